import { defineTool, guarded, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { recordChanges, toItemChange, toItemOfRow, type ItemRow } from '../../items/index.ts'
import { findNumber, saveNumber } from '../number.repository.ts'
import { itemNumber, toNumberJson } from '../number.ts'
import { lockNumberedItem, numberedItem } from '../numbered-item.ts'
import { updateSeriesRow, type SeriesRow } from '../series.repository.ts'
import { NUMBER_MAX, refuseFrozen } from '../series.ts'

export const customNumbersAssign = defineTool({
  name: 'custom_numbers_assign',
  class: 'W',
  title: 'Assign number',
  summary: 'Gives an item the next number of a series or an explicit one, or links it without.',
  rank: 930,
  input: {
    ...numberedItem,
    number: Type.Optional(
      guarded(Type.Integer({ description: 'Omit for the next.' }), { minimum: 1, maximum: NUMBER_MAX }),
    ),
    link_only: Type.Optional(Type.Boolean({ description: 'Link without a number.' })),
  },
  output: { item_ref: Type.String(), custom_number: itemNumber, changed: Type.Array(Type.String()) },
  async run(ctx, { number: wanted, link_only: linkOnly = false, ...names }) {
    if (linkOnly && wanted !== undefined)
      throw new ToolError('invalid_argument', 'number and link_only exclude each other.', {
        field: 'number',
        hint: 'Leave one of them out.',
      })
    const { item, series } = await lockNumberedItem(ctx, names)
    const before = await findNumber(ctx, item, series)
    const after = linkOnly ? null : (wanted ?? before?.number ?? series.nextNumber)
    const found = toItemOfRow(item)
    const to = toNumberJson(series.prefix, series.key, after)
    const result = { item_ref: found.item.ref, custom_number: to }
    if (before && before.number === after) return { ...result, changed: [] }
    refuseFrozen(series, ['no_new', 'no_change'])
    refuseNumber(ctx, series, after)
    await assign(ctx, item, series, after)
    const from = before ? toNumberJson(series.prefix, series.key, before.number) : null
    await recordChanges(ctx, [toItemChange(found, 'number.assigned', { from, to })])
    return { ...result, changed: ['custom_numbers'] }
  },
})

/** Only the owner may choose a number: a choice would reveal which numbers are in use elsewhere, and could exhaust the series. */
function refuseNumber({ actor }: WriteContext, { ownerId, key, prefix, nextNumber }: SeriesRow, number: number | null) {
  const field = 'number'
  if (number === nextNumber && number > NUMBER_MAX)
    throw new ToolError('limit_exceeded', `The series ${key} has given its last number, ${prefix}-${NUMBER_MAX}.`, {
      field,
      hint: 'Give a lower number that is free, or use another series.',
    })
  if (number === null || number === nextNumber || (ownerId === actor.userId && actor.projects === null)) return
  throw new ToolError('forbidden', `Only the owner of the series ${key}, for all projects, chooses its numbers.`, {
    field,
    hint: `Omit number to take the next, ${prefix}-${nextNumber}.`,
  })
}

/** Numbers only increase: a removed number leaves a gap. */
async function assign(ctx: WriteContext, item: ItemRow, series: SeriesRow, number: number | null): Promise<void> {
  if (!(await saveNumber(ctx, item, series, number)))
    throw new ToolError('conflict', `${series.prefix}-${number} is taken by another item.`, {
      field: 'number',
      hint: `Omit number to take the next, ${series.prefix}-${series.nextNumber}.`,
    })
  if (number !== null && number >= series.nextNumber) await updateSeriesRow(ctx, series, { next_number: number + 1 })
}
