/** Entries whose values name items or projects, all of the owner of the item. */
const NAMING = /^(relation\.\w+|item\.(parent\.changed|moved))$/
/** Whom the caller named it by. */
const OWNER = /^[^\s/]+@[^\s/]+\/(?=[A-Z][A-Z0-9_]*#\d+$)/

/** What is kept of a value: the history is read by several people, so it names items as their owner does. */
export function keptValue(kind: string, value: unknown): unknown {
  return NAMING.test(kind) ? eachText(value, text => text.replace(OWNER, '')) : value
}

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, eachText(member, change)]))
}
