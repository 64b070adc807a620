import { cleanName } from '../items/index.ts'

export const NAME_MAX = 64

/** Normalizes a name to its stored form. @throws ToolError invalid_argument for blank or overlong text */
export const labelName = (text: string, field: string): string =>
  cleanName(text, { noun: 'label', max: NAME_MAX, field })
