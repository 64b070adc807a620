import {
  choice,
  nameKey,
  sql,
  ToolError,
  Type,
  uuid,
  type ReadContext,
  type Static,
  type WriteContext,
} from 'tasuki/plugin'
import { recordSettingChange } from '../projects/index.ts'

export const FREEZE_LEVELS = ['none', 'no_new', 'no_change'] as const
export type FreezeLevel = (typeof FREEZE_LEVELS)[number]
/** What keys look like: lower case words. */
export const SERIES_KEY_PATTERN = '^[a-z][a-z0-9_-]{0,39}$'
/** What prefixes look like. */
export const PREFIX_PATTERN = '^[A-Z][A-Z0-9_]{0,15}$'

/** A series as results show it. */
export const series = Type.Object({
  series_key: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  next_number: Type.Integer(),
  next_preview: Type.String(),
  freeze_level: choice(FREEZE_LEVELS),
})
export type Series = Static<typeof series>

export interface SeriesRow {
  readonly ownerId: string
  readonly id: string
  readonly key: string
  readonly name: string
  readonly prefix: string
  readonly nextNumber: number
  readonly freezeLevel: FreezeLevel
}

/** Columns of `SeriesRow`, from the alias `n`. */
export const seriesColumns = sql`n.owner_id as "ownerId", n.id, n.key, n.name, n.prefix, n.next_number as "nextNumber", n.freeze_level as "freezeLevel"`

export function toSeriesJson({ key, name, prefix, nextNumber, freezeLevel }: SeriesRow): Series {
  return {
    series_key: key,
    name,
    prefix,
    next_number: nextNumber,
    next_preview: `${prefix}-${nextNumber}`,
    freeze_level: freezeLevel,
  }
}

/** Finds a series of an owner and locks it, so that numbers are given one after the other. @throws ToolError not_found */
export async function lockSeries(ctx: WriteContext, ownerId: string, key: string): Promise<SeriesRow> {
  const { rows } = await sql<SeriesRow>`
    select ${seriesColumns} from numbering.series n where n.owner_id = ${ownerId} and n.key = ${nameKey(key)} for update
  `.execute(ctx.db)
  const [found] = rows
  if (found) return found
  const known = await seriesOf(ctx, ownerId)
  throw new ToolError('not_found', `There is no numbering series ${key}.`, {
    field: 'series_key',
    allowed: known.map(each => each.key),
    hint: 'custom_sequences_list shows your series.',
  })
}

/** All series of an owner, by key. */
export async function seriesOf(ctx: ReadContext, ownerId: string): Promise<readonly SeriesRow[]> {
  const { rows } =
    await sql<SeriesRow>`select ${seriesColumns} from numbering.series n where n.owner_id = ${ownerId} order by n.key`.execute(
      ctx.db,
    )
  return rows
}

export interface NewSeries {
  readonly key: string
  readonly prefix: string
  readonly name?: string | undefined
  readonly start?: number | undefined
}

/** Creates a series. @throws ToolError conflict */
export async function createSeries(
  ctx: WriteContext,
  ownerId: string,
  { key, prefix, name, start }: NewSeries,
): Promise<SeriesRow> {
  const { rows } = await sql<SeriesRow>`
    insert into numbering.series as n (owner_id, id, key, name, prefix, next_number, created_at)
    values (${ownerId}, ${uuid()}, ${key}, ${name ?? key}, ${prefix}, ${start ?? 1}, ${ctx.now})
    on conflict do nothing returning ${seriesColumns}
  `.execute(ctx.db)
  const [made] = rows
  if (!made)
    throw new ToolError('conflict', `A series with the key ${key} or the prefix ${prefix} exists already.`, {
      field: 'series_key',
      hint: 'Choose another key and prefix.',
    })
  await recordSettingChange(
    ctx,
    { ownerId, id: null },
    {
      kind: 'series.created',
      of: made,
      after: made,
      changed: ['key', 'prefix'],
    },
  )
  return made
}

/** Changes name and freeze level of a series; what is undefined stays. */
export async function updateSeries(
  ctx: WriteContext,
  before: SeriesRow,
  change: { name?: string | undefined; freezeLevel?: FreezeLevel | undefined },
): Promise<SeriesRow> {
  const { ownerId, id } = before
  const { rows } = await sql<SeriesRow>`
    update numbering.series n set name = coalesce(${change.name ?? null}, n.name), freeze_level = coalesce(${change.freezeLevel ?? null}, n.freeze_level)
    where n.owner_id = ${ownerId} and n.id = ${id} returning ${seriesColumns}
  `.execute(ctx.db)
  const after = rows[0]!
  const changed = (['name', 'freezeLevel'] as const).filter(field => before[field] !== after[field])
  await recordSettingChange(ctx, { ownerId, id: null }, { kind: 'series.changed', of: before, before, after, changed })
  return after
}
