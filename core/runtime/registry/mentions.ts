/** Whether a name is that of a tool which a connection does not show. */
export type Hides = (name: string) => boolean

/** Words that may be names of tools. Names of one word are words of the language too, so texts do not name such tools. */
const NAME = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g

/** Whether a text names a hidden tool. */
export function namesHidden(text: string, hides: Hides): boolean {
  for (const [name] of text.matchAll(NAME)) if (hides(name)) return true
  return false
}

/**
 * Leaves out the sentences and clauses of a text that name a hidden tool, since a model that is told of it would try to call it.
 * @returns an empty text when nothing is left.
 */
export function withoutHidden(text: string, hides: Hides): string {
  if (!namesHidden(text, hides)) return text
  const clauses = text.split(/(?<=[.;])\s+/)
  const kept = clauses.filter(clause => !namesHidden(clause, hides))
  const left = kept.join(' ').replace(/;$/, '.')
  return kept[0] === clauses[0] || /^\w+_/.test(left) ? left : left.charAt(0).toUpperCase() + left.slice(1)
}
