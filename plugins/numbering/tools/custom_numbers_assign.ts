import { defineTool, guarded, sql, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { recordChanges, itemRef, requireItem, type ItemRow } from '../../items/index.ts'
import { itemNumber, toNumberJson } from '../number.ts'
import { lockSeries, type SeriesRow } from '../series.ts'

const Input = Type.Object(
  {
    item_ref: itemRef('KEY#n, #n or PREFIX-n.'),
    series_key: guarded(Type.String({ description: 'Numbering series.' }), { minLength: 1, maxLength: 40 }),
    number: Type.Optional(
      guarded(Type.Integer({ description: 'Omit for the next.' }), { minimum: 1, maximum: 999_999_999 }),
    ),
    link_only: Type.Optional(Type.Boolean({ description: 'Link without a number.' })),
  },
  { additionalProperties: false },
)

export const customNumbersAssign = defineTool({
  name: 'custom_numbers_assign',
  class: 'W',
  title: 'Assign number',
  summary: 'Gives an item the next number of a series or an explicit one, or links it without.',
  rank: 930,
  input: Input,
  output: Type.Object({ item_ref: Type.String(), custom_number: itemNumber, changed: Type.Array(Type.String()) }),
  async run(ctx, { item_ref: ref, series_key: key, number: wanted, link_only: linkOnly = false }) {
    if (linkOnly && wanted !== undefined) {
      throw new ToolError('invalid_argument', 'number and link_only exclude each other.', {
        field: 'number',
        hint: 'Leave one of them out.',
      })
    }
    const item = await requireItem(ctx, ref, { write: true, lock: true })
    const series = await lockSeries(ctx, item.ownerId, key)
    const before = await currentNumber(ctx, item, series)
    const after = linkOnly ? null : (wanted ?? before?.number ?? series.nextNumber)
    const itemRefText = `${item.project.key}#${item.number}`
    const result = { item_ref: itemRefText, custom_number: toNumberJson(series.prefix, series.key, after) }
    if (before && before.number === after) return { ...result, changed: [] }
    refuseFrozen(series)
    await give(ctx, item, series, after)
    await recordChanges(ctx, [
      {
        ownerId: item.ownerId,
        itemId: item.id,
        projectId: item.project.id,
        ref: itemRefText,
        title: item.title,
        kind: 'number.assigned',
        from: before && toNumberJson(series.prefix, series.key, before.number),
        to: result.custom_number,
      },
    ])
    return { ...result, changed: ['custom_numbers'] }
  },
})

async function currentNumber(
  ctx: WriteContext,
  item: ItemRow,
  series: SeriesRow,
): Promise<{ number: number | null } | null> {
  const { rows } = await sql<{ number: number | null }>`
    select number from numbering.numbers where owner_id = ${item.ownerId} and item_id = ${item.id} and series_id = ${series.id}
  `.execute(ctx.db)
  return rows[0] ?? null
}

function refuseFrozen({ key, freezeLevel }: SeriesRow): void {
  if (freezeLevel === 'none') return
  throw new ToolError('frozen', `The series ${key} is frozen (${freezeLevel}).`, {
    field: 'series_key',
    hint: 'Its owner can lift the freeze in the portal under Numbering.',
  })
}

/** Numbers only go up: a number that was given back leaves a gap. */
async function give(ctx: WriteContext, item: ItemRow, series: SeriesRow, number: number | null): Promise<void> {
  const { rows } = await sql`
    insert into numbering.numbers (owner_id, item_id, series_id, number, created_at)
    select ${item.ownerId}::uuid, ${item.id}::uuid, ${series.id}::uuid, ${number}::int, ${ctx.now}::timestamptz
    where not exists (select from numbering.numbers t where t.owner_id = ${item.ownerId} and t.series_id = ${series.id} and t.number = ${number}::int)
    on conflict (owner_id, item_id, series_id) do update set number = excluded.number returning item_id
  `.execute(ctx.db)
  if (rows.length === 0) {
    throw new ToolError('conflict', `${series.prefix}-${number} is taken by another item.`, {
      field: 'number',
      hint: `Omit number to take the next, ${series.prefix}-${series.nextNumber}.`,
    })
  }
  if (number !== null && number >= series.nextNumber) {
    await sql`update numbering.series set next_number = ${number + 1} where owner_id = ${series.ownerId} and id = ${series.id}`.execute(
      ctx.db,
    )
  }
}
