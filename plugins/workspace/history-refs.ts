/** Kinds of entries whose values name items or projects of the item's owner. */
const NAMING = /^(relation\.\w+|item\.(parent\.changed|moved))$/
/** The owner's prefix in a reference. */
const OWNER = /^[^\s/]+@[^\s/]+\/(?=[A-Z][A-Z0-9_]*#\d+$)/

/** Normalizes a value for storage: several users read the history, so it names items as their owner does. */
export function toStoredValue(kind: string, value: unknown): unknown {
  return NAMING.test(kind) ? mapTexts(value, text => text.replace(OWNER, '')) : value
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]))
}
