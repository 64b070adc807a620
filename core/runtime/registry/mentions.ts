/** Returns whether a name is that of a tool hidden from a connection. */
export type Hides = (name: string) => boolean

/** Matches possible tool names. Names of a single word are also ordinary words, so texts do not mention such tools. */
const NAME = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g

/** Returns whether a text mentions a hidden tool. */
export function mentionsHidden(text: string, hides: Hides): boolean {
  for (const [name] of text.matchAll(NAME)) if (hides(name)) return true
  return false
}

/**
 * Removes the sentences and clauses of a text that mention a hidden tool, because a model would try to call it.
 * @returns an empty string if nothing is left
 */
export function removeHiddenMentions(text: string, hides: Hides): string {
  if (!mentionsHidden(text, hides)) return text
  const clauses = text.split(/(?<=[.;])\s+/)
  const visibleClauses = clauses.filter(clause => !mentionsHidden(clause, hides))
  const visibleText = visibleClauses.join(' ').replace(/;$/, '.')
  return visibleClauses[0] === clauses[0] || /^\w+_/.test(visibleText)
    ? visibleText
    : visibleText.charAt(0).toUpperCase() + visibleText.slice(1)
}
