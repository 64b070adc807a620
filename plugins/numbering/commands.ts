import { choice, defineCommand, Type } from 'tasuki/plugin'
import { defineListCommand, ownerOption } from '../projects/index.ts'
import {
  createSeries,
  FREEZE_LEVELS,
  lockSeries,
  PREFIX_PATTERN,
  SERIES_KEY_PATTERN,
  seriesName,
  toSeriesJson,
  updateSeries,
} from './series.ts'
import { readSeries } from './series.repository.ts'

const Key = Type.String({ pattern: SERIES_KEY_PATTERN, description: 'Lower case key.' })

export const seriesCreate = defineCommand({
  name: 'series create',
  summary: 'Create a numbering series; its numbers read PREFIX-1, PREFIX-2 …',
  args: Type.Object({
    key: Key,
    prefix: Type.String({ pattern: PREFIX_PATTERN, description: 'Upper case prefix.' }),
    name: Type.Optional(seriesName),
    start: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999 })),
    user: ownerOption,
  }),
  positional: ['key', 'prefix'],
  async run(ctx, { user, ...series }) {
    const owner = await ctx.users.require(user)
    return { rows: [toSeriesJson(await createSeries(ctx, owner.id, series))] }
  },
})

export const seriesFreeze = defineCommand({
  name: 'series freeze',
  summary: 'Freeze a numbering series: no_new refuses new numbers, no_change any change, none lifts it.',
  args: Type.Object({ key: Key, level: choice(FREEZE_LEVELS), user: ownerOption }),
  positional: ['key', 'level'],
  async run(ctx, { key, level, user }) {
    const { id: ownerId } = await ctx.users.require(user)
    const series = await lockSeries(ctx, { ownerId, seen: false }, key)
    return { rows: [toSeriesJson(await updateSeries(ctx, series, { freezeLevel: level }))] }
  },
})

export const seriesList = defineListCommand('series list', 'List numbering series.', async (ctx, user) => {
  const { id: ownerId } = await ctx.users.require(user)
  return (await readSeries(ctx, { ownerId, seen: false })).map(toSeriesJson)
})
