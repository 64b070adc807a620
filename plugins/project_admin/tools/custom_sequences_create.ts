import { defineTool, guarded, Type } from 'tasuki/plugin'
import {
  createSeries,
  PREFIX_PATTERN,
  series,
  SERIES_KEY_PATTERN,
  seriesName,
  toSeriesJson,
} from '../../numbering/index.ts'
import { requireWholeAccount } from '../whole-account.ts'

export const customSequencesCreate = defineTool({
  name: 'custom_sequences_create',
  class: 'W',
  title: 'Create numbering series',
  summary: 'Creates a numbering series of yours, whose numbers read PREFIX-1, PREFIX-2; returns it.',
  rank: 1180,
  needs: ['numbering'],
  input: {
    series_key: guarded(Type.String({ description: 'Lower case key.' }), { pattern: SERIES_KEY_PATTERN }),
    prefix: guarded(Type.String({ description: 'Upper case prefix.' }), { pattern: PREFIX_PATTERN }),
    name: Type.Optional(seriesName),
    start: Type.Optional(
      guarded(Type.Integer({ description: 'First number; default 1.' }), { minimum: 1, maximum: 999_999_999 }),
    ),
  },
  output: { sequence: series, changed: Type.Array(Type.String()) },
  async run(ctx, { series_key: key, ...rest }) {
    requireWholeAccount(ctx, 'create numbering series')
    const created = await createSeries(ctx, ctx.actor.userId, { key, ...rest })
    return { sequence: toSeriesJson(created), changed: ['series_key', ...Object.keys(rest)] }
  },
})
