import { sql, ToolError, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

type Unit = ProjectRow['estimateUnit']

/** The largest estimate, in either unit: far beyond any task, and exact as a number. */
const MOST = 100_000
const NUMBER = /^(\d{1,6}(?:\.\d{1,2})?|\.\d{1,2})\s*(\p{L}*)$/u
/** What people write behind a number, by the unit that they mean. */
const SUFFIXES = {
  points: ['', 'p', 'pt', 'pts', 'sp', 'point', 'points'],
  hours: ['', 'h', 'hr', 'hrs', 'hour', 'hours'],
} as const

/** The estimate of the item `i` as numeric; null = none. */
export const estimateValue: RawBuilder<number | null> = sql`(
  select e.value from estimation.estimates e where e.owner_id = i.owner_id and e.item_id = i.id)`

/**
 * Reads an estimate as people write it (`3`, `2.5`, `3h` where hours are meant), in any width; empty text is null and clears.
 * @returns the number as plain text, or why it does not fit the unit of the project
 */
export function readEstimate(text: string, project: ProjectRow, field: string): string | null | ToolError {
  const plain = text.normalize('NFKC').trim().toLowerCase()
  if (plain === '') return null
  const { key, estimateUnit: unit } = project
  if (unit === 'none') {
    return new ToolError('invalid_argument', `${key} has no estimate unit, so its items take no estimate.`, {
      field,
      hint: 'Its owner chooses points or hours in the portal, in the settings of the project.',
    })
  }
  const [, digits, suffix = ''] = NUMBER.exec(plain) ?? []
  const value = Number(digits)
  if (digits === undefined || value > MOST || !fits(suffix, unit)) {
    return new ToolError('invalid_argument', `"${text}" is not an estimate in ${unit}.`, {
      field,
      hint: `${key} estimates in ${unit}: give a number from 0 to ${MOST} with at most two decimals, for example ${unit === 'points' ? '3' : '1.5'}.`,
    })
  }
  return String(value)
}

function fits(suffix: string, unit: Exclude<Unit, 'none'>): boolean {
  return (SUFFIXES[unit] as readonly string[]).includes(suffix)
}

/** The estimate that an item shall have; null = none. */
export interface NewEstimate {
  readonly ownerId: string
  readonly itemId: string
  readonly value: string | null
}

/** Sets and clears estimates, in one statement for each of the two. */
export async function writeEstimates(ctx: WriteContext, estimates: readonly NewEstimate[]): Promise<void> {
  const given = (rows: readonly NewEstimate[]): RawBuilder<unknown> =>
    sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g ("ownerId" uuid, "itemId" uuid, value numeric)`
  const cleared = estimates.filter(({ value }) => value === null)
  const set = estimates.filter(({ value }) => value !== null)
  if (cleared.length > 0) {
    await sql`
      delete from estimation.estimates e using ${given(cleared)} where e.owner_id = g."ownerId" and e.item_id = g."itemId"
    `.execute(ctx.db)
  }
  if (set.length > 0) {
    await sql`
      insert into estimation.estimates (owner_id, item_id, value, updated_at)
      select g."ownerId", g."itemId", g.value, ${ctx.now}::timestamptz from ${given(set)}
      on conflict (owner_id, item_id) do update set value = excluded.value, updated_at = excluded.updated_at
    `.execute(ctx.db)
  }
}
