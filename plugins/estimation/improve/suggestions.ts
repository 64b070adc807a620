/** One thing to do better, with the facts that speak for it. */
export interface Improvement {
  /** What the facts are about: `carry_over`, `velocity_trend` or a kind of risk. */
  readonly signal: string
  readonly severity: 'high' | 'medium' | 'low'
  readonly suggestion: string
  readonly evidence: string
  readonly item_refs?: string[]
}

const ORDER = ['high', 'medium', 'low'] as const

/** The gravest first; what is equally grave stays in the order in which it was found. */
export function gravestFirst(improvements: readonly Improvement[]): Improvement[] {
  return improvements.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))
}
