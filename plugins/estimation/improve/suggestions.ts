/** A suggested improvement with its evidence. */
export interface Improvement {
  /** The topic of the evidence: `carry_over`, `velocity_trend` or a kind of risk. */
  readonly signal: string
  readonly severity: 'high' | 'medium' | 'low'
  readonly suggestion: string
  readonly evidence: string
  readonly item_refs?: string[]
}

const ORDER = ['high', 'medium', 'low'] as const

/** Sorts by severity, highest first; equal ones keep their order. */
export function sortBySeverity(improvements: readonly Improvement[]): Improvement[] {
  return improvements.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))
}
