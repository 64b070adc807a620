/** The delivery that a requirement belongs to: 2 = core and work items, 3 = the other features, 4 = OAuth and portal. */
export type Since = 2 | 3 | 4

/** Requirements of one source, by id `<tool or topic>.<aspect>`. */
export interface RequirementGroup<Rows extends Readonly<Record<string, string>>> {
  readonly source: string
  readonly since: Since
  readonly rows: Rows
}

/** Declares requirements; ids are cited by tests, so they are never renamed, only added or removed. */
export function requirements<const Rows extends Readonly<Record<string, string>>>(
  source: string,
  since: Since,
  rows: Rows,
): RequirementGroup<Rows> {
  return { source, since, rows }
}
