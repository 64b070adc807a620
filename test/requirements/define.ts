/** The delivery that a requirement belongs to: 2 = core and work items, 3 = the other features, 4 = OAuth and portal. */
export type Since = 2 | 3 | 4

/** Requirements of one source, by id `<tool or topic>.<aspect>`. */
export interface RequirementGroup<Rows extends Readonly<Record<string, string>>> {
  readonly source: string
  readonly since: Since
  readonly rows: Rows
}

/**
 * Declares requirements: one testable sentence per id. A sentence that begins with a verb has the tool of its id as subject.
 * Tests cite the ids, so an id is never renamed, only added or removed.
 */
export function requirements<const Rows extends Readonly<Record<string, string>>>(
  source: string,
  since: Since,
  rows: Rows,
): RequirementGroup<Rows> {
  return { source, since, rows }
}
