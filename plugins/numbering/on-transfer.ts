import { roleIn } from '../projects/index.ts'
import { importParts } from '../transfer/points.ts'
import { insertNumbers } from './number.repository.ts'
import { lockSeriesOf, type SeriesRow } from './series.repository.ts'
import { createSeries, NUMBER_MAX } from './series.ts'

/** The keys that imported items had, as numbers of a series of their prefix. */
export const importNumbers = importParts({
  of: 'number',
  refuse: (ctx, project) =>
    roleIn(ctx, project) === 'owner' && ctx.actor.projects === null ? null : 'only the owner chooses numbers',
  async write(ctx, { ownerId }, given) {
    const known = new Map((await lockSeriesOf(ctx, ownerId)).map(series => [series.prefix, series]))
    for (const prefix of new Set(given.map(({ value }) => value.prefix))) {
      if (!known.has(prefix)) known.set(prefix, await createSeries(ctx, ownerId, { key: prefix.toLowerCase(), prefix }))
    }
    const wanted = given.flatMap(part => {
      const series = known.get(part.value.prefix) as SeriesRow
      if (series.freezeLevel !== 'none') part.note(`the series ${series.key} is frozen`)
      else if (part.value.number > NUMBER_MAX) part.note(`numbers go to ${NUMBER_MAX}`)
      else return [{ part, series }]
      return []
    })
    const inserted = await insertNumbers(
      ctx,
      wanted.map(({ part, series }) => ({
        owner_id: ownerId,
        item_id: part.draft.id,
        series_id: series.id,
        number: part.value.number,
      })),
    )
    for (const { part } of wanted)
      if (!inserted.has(part.draft.id)) part.note(`${part.value.prefix}-${part.value.number} is taken by another item`)
  },
})
