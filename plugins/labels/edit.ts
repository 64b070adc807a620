import { nameKey, quoteName, ToolError } from 'tasuki/plugin'
import { labelName } from './names.ts'

const FIELD = 'labels'

/** The change of items' labels in a call. Maps go from the key of a label to its name as given. */
export interface LabelEdit {
  /** `add` replaces the existing labels of an item. */
  readonly replaces: boolean
  readonly add: ReadonlyMap<string, string>
  readonly remove: ReadonlyMap<string, string>
}

/**
 * Parses the parameter `labels`: plain names replace the set; names that all begin with `+` or `-` add and remove. The rest after the sign
 * is the name, so `++x` adds a label called `+x`.
 * @throws ToolError invalid_argument
 */
export function readLabels(texts: readonly string[]): LabelEdit {
  const signs = texts.map(signOf)
  const signed = texts.filter((_, n) => signs[n] !== null)
  if (signed.length > 0 && signed.length < texts.length) throw mixedError(texts[signs.indexOf(null)]!, signed[0]!)
  const add = new Map<string, string>()
  const remove = new Map<string, string>()
  for (const [n, text] of texts.entries()) {
    const name = labelName(signs[n] === null ? text : text.trim().slice(1), FIELD)
    const names = signs[n] === '-' ? remove : add
    if (!names.has(nameKey(name))) names.set(nameKey(name), name)
  }
  for (const [key, name] of add) if (remove.has(key)) throw contradictionError(name)
  return { replaces: signed.length === 0, add, remove }
}

function signOf(text: string): '+' | '-' | null {
  const first = nameKey(text)[0]
  return first === '+' || first === '-' ? first : null
}

function mixedError(plain: string, signed: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `labels mixes ${quoteName(plain)}, which replaces, with ${quoteName(signed)}, which changes.`,
    {
      field: FIELD,
      hint: 'Give plain names to replace the set, or begin each with + to add or - to remove; a name that itself begins with a sign gets another one before it.',
    },
  )
}

function contradictionError(name: string): ToolError {
  return new ToolError('invalid_argument', `labels both adds and removes ${quoteName(name)}.`, {
    field: FIELD,
    hint: 'Name each label once.',
  })
}
