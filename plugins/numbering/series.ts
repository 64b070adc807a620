import { choice, guarded, isFull, limitReached, nameKey, notBlank, quoteValue, ToolError, Type } from 'tasuki/plugin'
import type { Static, WriteContext } from 'tasuki/plugin'
import { recordSettingChange } from '../projects/index.ts'
import { insertSeries, lockSeriesRow, readSeries, updateSeriesRow } from './series.repository.ts'
import type { FreezeLevel, SeriesRow, SeriesScope } from './series.repository.ts'
import { settings } from './settings.ts'

/** The highest number in a series. */
export const NUMBER_MAX = 999_999_999
export const FREEZE_LEVELS = ['none', 'no_new', 'no_change'] as const satisfies readonly FreezeLevel[]
/** The pattern of keys: lower-case words. */
export const SERIES_KEY_PATTERN = '^[a-z][a-z0-9_-]{0,39}$'
/** The pattern of prefixes. */
export const PREFIX_PATTERN = '^[A-Z][A-Z0-9_]{0,15}$'

export const seriesName = notBlank(
  guarded(Type.String({ description: 'Name for people.' }), { minLength: 1, maxLength: 80 }),
)

/** A series as tools return it. */
export const series = Type.Object({
  series_key: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  /** Absent after the last number. */
  next_number: Type.Optional(Type.Integer()),
  next_preview: Type.Optional(Type.String()),
  freeze_level: choice(FREEZE_LEVELS),
})
export type Series = Static<typeof series>

export function toSeriesJson({ key, name, prefix, nextNumber, freezeLevel }: SeriesRow): Series {
  return {
    series_key: key,
    name,
    prefix,
    ...(nextNumber <= NUMBER_MAX && { next_number: nextNumber, next_preview: `${prefix}-${nextNumber}` }),
    freeze_level: freezeLevel,
  }
}

/** Finds and locks a series of an owner, so that numbers are assigned one at a time. @throws ToolError not_found */
export async function lockSeries(ctx: WriteContext, scope: SeriesScope, key: string): Promise<SeriesRow> {
  const found = await lockSeriesRow(ctx, scope, nameKey(key))
  if (found) return found
  const known = await readSeries(ctx, scope)
  throw new ToolError('not_found', `There is no numbering series ${quoteValue(key)}.`, {
    field: 'series_key',
    allowed: known.map(each => each.key),
    hint:
      scope.ownerId === ctx.actor.userId
        ? 'custom_sequences_list shows your series.'
        : 'Give a series of the owner of the item.',
  })
}

/** @throws ToolError frozen at one of the levels */
export function refuseFrozen({ key, freezeLevel }: SeriesRow, levels: readonly FreezeLevel[]): void {
  if (!levels.includes(freezeLevel)) return
  throw new ToolError('frozen', `The series ${key} is frozen (${freezeLevel}).`, {
    field: 'series_key',
    hint: 'Its owner can lift the freeze in the portal under Numbering.',
  })
}

export interface NewSeries {
  readonly key: string
  readonly prefix: string
  readonly name?: string | undefined
  readonly start?: number | undefined
}

/** Creates a series. @throws ToolError conflict, limit_exceeded */
export async function createSeries(
  ctx: WriteContext,
  ownerId: string,
  { key, prefix, name, start }: NewSeries,
): Promise<SeriesRow> {
  const { series_per_user: most } = ctx.config(settings)
  const created = await insertSeries(ctx, { ownerId, key, name: name ?? key, prefix, nextNumber: start ?? 1 }, most)
  if (!created && (await isFull(ctx.db, 'numbering.series', ownerId, most)))
    throw limitReached(most, 'series', {
      field: 'series_key',
      hint: 'Use one of them, or ask the operator for a higher series_per_user.',
    })
  if (!created)
    throw new ToolError('conflict', `A series with the key ${key} or the prefix ${prefix} exists already.`, {
      field: 'series_key',
      hint: 'Choose another key and prefix.',
    })
  await recordSettingChange(
    ctx,
    { ownerId, id: null },
    { kind: 'series.created', of: created, after: created, changed: ['key', 'prefix'] },
  )
  return created
}

/** Updates name and freeze level of a series; undefined values stay. */
export async function updateSeries(
  ctx: WriteContext,
  before: SeriesRow,
  change: { name?: string | undefined; freezeLevel?: FreezeLevel | undefined },
): Promise<SeriesRow> {
  const { name = before.name, freezeLevel = before.freezeLevel } = change
  const after = await updateSeriesRow(ctx, before, { name, freeze_level: freezeLevel })
  const changed = (['name', 'freezeLevel'] as const).filter(field => before[field] !== after[field])
  const { ownerId } = before
  await recordSettingChange(ctx, { ownerId, id: null }, { kind: 'series.changed', of: before, before, after, changed })
  return after
}
