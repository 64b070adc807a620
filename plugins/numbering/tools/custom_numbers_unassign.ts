import { defineTool, ToolError, Type } from 'tasuki/plugin'
import { recordChanges, toItemChange, toItemOfRow } from '../../items/index.ts'
import { deleteNumber } from '../number.repository.ts'
import { toNumberJson } from '../number.ts'
import { lockNumberedItem, numberedItem } from '../numbered-item.ts'
import { refuseFrozen } from '../series.ts'

export const customNumbersUnassign = defineTool({
  name: 'custom_numbers_unassign',
  class: 'WD',
  title: 'Remove number',
  summary: 'Takes an item out of a series.',
  rank: 940,
  input: numberedItem,
  output: { deleted: Type.Boolean(), id: Type.String(), item_ref: Type.String(), series_key: Type.String() },
  async run(ctx, input) {
    const { item, series } = await lockNumberedItem(ctx, input)
    const found = toItemOfRow(item)
    const { ref: shown } = found.item
    refuseFrozen(series, ['no_change'])
    const gone = await deleteNumber(ctx, item, series)
    if (!gone)
      throw new ToolError('not_found', `${shown} has no number in the series ${series.key}.`, {
        field: 'series_key',
        hint: 'item_custom_numbers_list shows its numbers.',
      })
    const number = toNumberJson(series.prefix, series.key, gone.number)
    await recordChanges(ctx, [toItemChange(found, 'number.unassigned', { from: number })])
    return { deleted: true, id: number.display_ref ?? series.key, item_ref: shown, series_key: series.key }
  },
})
