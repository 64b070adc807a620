import { defineTool, Type } from 'tasuki/plugin'
import { readSeries } from '../series.repository.ts'
import { series, toSeriesJson } from '../series.ts'

export const customSequencesList = defineTool({
  name: 'custom_sequences_list',
  class: 'R',
  title: 'List numbering series',
  summary: 'Lists your numbering series with next number and freeze level.',
  rank: 910,
  rows: 'sequences',
  input: {},
  output: Type.Object({ sequences: Type.Array(series) }),
  async run(ctx) {
    return { sequences: (await readSeries(ctx, { ownerId: ctx.actor.userId, seen: true })).map(toSeriesJson) }
  },
})
