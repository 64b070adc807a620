import { cleanName } from '../items/index.ts'

export const NAME_MAX = 64

/** A name as it is stored. @throws ToolError invalid_argument for blank and for over-long text */
export const labelName = (text: string, field: string): string =>
  cleanName(text, { noun: 'label', max: NAME_MAX, field })
