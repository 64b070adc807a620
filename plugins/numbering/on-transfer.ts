import { Type } from 'tasuki/plugin'
import { roleIn } from '../projects/index.ts'
import { exportParts, importParts, listCell } from '../transfer/points.ts'
import { insertNumbers, numbersText } from './number.repository.ts'
import { readSeries, type SeriesRow } from './series.repository.ts'
import { createSeries, NUMBER_MAX, PREFIX_PATTERN } from './series.ts'

/** The original keys of imported items, as numbers of a series with their prefix. */
export const importNumbers = importParts({
  of: 'numbers',
  schema: Type.Array(
    Type.Object({ prefix: Type.String({ pattern: PREFIX_PATTERN }), number: Type.Integer({ minimum: 1 }) }),
  ),
  refuse: (ctx, project) =>
    roleIn(ctx, project) === 'owner' && ctx.actor.projects === null ? null : 'only the owner chooses numbers',
  async write(ctx, { ownerId }, parts) {
    const existing = await readSeries(ctx, { ownerId, seen: false }, { lock: true })
    const known = new Map(existing.map(series => [series.prefix, series]))
    const numbered = parts.flatMap(part => part.value.map(({ prefix, number }) => ({ part, prefix, number })))
    for (const prefix of new Set(numbered.map(each => each.prefix))) {
      if (!known.has(prefix)) known.set(prefix, await createSeries(ctx, ownerId, { key: prefix.toLowerCase(), prefix }))
    }
    const wanted = numbered.flatMap(({ part, prefix, number }) => {
      const series = known.get(prefix) as SeriesRow
      if (series.freezeLevel !== 'none') part.note(`the series ${series.key} is frozen`)
      else if (number > NUMBER_MAX) part.note(`numbers go to ${NUMBER_MAX}`)
      else return [{ part, prefix, number, series }]
      return []
    })
    const numbers = wanted.map(({ part, number, series }) => {
      return { owner_id: ownerId, item_id: part.draft.id, series_id: series.id, number }
    })
    const inserted = await insertNumbers(ctx, numbers)
    for (const { part, prefix, number } of wanted)
      if (!inserted.has(part.draft.id)) part.note(`${prefix}-${number} is taken by another item`)
  },
})

export const exportNumbers = exportParts({
  of: 'numbers',
  sql: () => numbersText,
  cell: {
    write: numbers => listCell.write(numbers.map(({ prefix, number }) => `${prefix}-${number}`)),
    read: text =>
      listCell.read(text).flatMap(name => {
        const [, prefix, number] = /^(.+)-(\d{1,9})$/.exec(name) ?? []
        return prefix === undefined ? [] : [{ prefix, number: Number(number) }]
      }),
  },
  markdown: {
    as: 'fact',
    title: 'Numbers',
    write: numbers => numbers.map(({ prefix, number }) => `${prefix}-${number}`).join(', '),
  },
})
