import { choice, defineTool, nothingToChange, reference, Type } from 'tasuki/plugin'
import { FREEZE_LEVELS, lockSeries, series, seriesName, toSeriesJson, updateSeries } from '../../numbering/index.ts'
import { requireWholeAccount } from '../whole-account.ts'

export const customSequencesUpdate = defineTool({
  name: 'custom_sequences_update',
  class: 'W',
  title: 'Change numbering series',
  summary: 'Renames a numbering series or sets its freeze level; no_new refuses new numbers, no_change any change.',
  rank: 1190,
  needs: ['numbering'],
  input: {
    series_key: reference('Key of the series.'),
    name: Type.Optional(seriesName),
    freeze_level: Type.Optional(choice(FREEZE_LEVELS, { description: 'Freeze level.' })),
  },
  output: { sequence: series, changed: Type.Array(Type.String()) },
  async run(ctx, { series_key, name, freeze_level: freezeLevel }) {
    requireWholeAccount(ctx, 'change numbering series')
    if (name === undefined && freezeLevel === undefined) throw nothingToChange('Give name or freeze_level.')
    const row = await lockSeries(ctx, { ownerId: ctx.actor.userId, seen: true }, series_key)
    const before = toSeriesJson(row)
    const after = toSeriesJson(await updateSeries(ctx, row, { name, freezeLevel }))
    return { sequence: after, changed: (['name', 'freeze_level'] as const).filter(key => before[key] !== after[key]) }
  },
})
