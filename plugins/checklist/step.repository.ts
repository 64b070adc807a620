import { expressions, insertRecords, refersTo, sql, updateWhere, uuid } from 'tasuki/plugin'
import type { Expression, NewRow, OwnedKey, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { copiesOf, findItemRow, readListWithItem, type ItemCopy, type ItemOfRow } from '../items/index.ts'
import type { Step } from './step.ts'

/** The step `c` as one jsonb record. */
const stepJson: RawBuilder<Step> = sql.raw(
  `jsonb_build_object('id', c.id, 'content', c.content, 'done', c.done, 'position', c.position)`,
)

/** SQL of the share of done steps of the item `i`; null without steps. */
const ofItem = expressions<{ i: 'items.items' }>().selectFrom('checklist.steps as c').where(refersTo('c.item_id', 'i'))
export const doneShare: Expression<unknown> = ofItem.select(({ cast, fn }) =>
  fn.avg(cast<number>('c.done', 'integer')).as('share'),
)

/** The steps of the item `i` as a json array of their texts; null for none. */
export const stepsText: Expression<unknown> = ofItem.select(
  sql`json_agg(json_build_object('content', c.content, 'done', c.done) order by c.position, c.id)`.as('steps'),
)

/** Reads the steps of an item in order. */
export function readSteps(ctx: ReadContext, ref: string): Promise<Step[]> {
  return readListWithItem<Step>(
    ctx,
    ref,
    ofItem.select(({ fn }) => fn.agg('jsonb_agg', [stepJson]).orderBy('c.position').orderBy('c.id').as('steps')),
  )
}

/** Finds and locks a step, with its item. */
export function lockStep(ctx: WriteContext, id: string): Promise<(Step & ItemOfRow) | undefined> {
  return findItemRow<Step>(ctx, 'checklist.steps', id, sql.raw('r.id, r.content, r.done, r.position'), { lock: true })
}

/** Inserts a step at the end of a checklist. @returns undefined if it already has `most` steps */
export async function insertStep(ctx: WriteContext, item: OwnedKey, content: string, most: number) {
  const { rows } = await sql<{ step: Step }>`
    insert into checklist.steps as c (owner_id, id, item_id, content, done, position, created_at)
    select ${item.ownerId}::uuid, ${uuid()}::uuid, ${item.id}::uuid, ${content}::text, false, n.last + 1, ${ctx.now}::timestamptz
    from (select coalesce(max(s.position), 0) as last, count(*) as steps from checklist.steps s
      where s.owner_id = ${item.ownerId} and s.item_id = ${item.id}) n
    where n.steps < ${most} returning ${stepJson} as step
  `.execute(ctx.db)
  return rows[0]?.step
}

/** Inserts the steps of new items. */
export async function insertSteps(ctx: WriteContext, steps: readonly NewRow<'checklist.steps'>[]): Promise<void> {
  if (steps.length > 0) await insertRecords(ctx.db, 'checklist.steps', steps).execute()
}

export async function updateDone(ctx: WriteContext, ownerId: string, id: string, done: boolean): Promise<void> {
  await updateWhere(ctx.db, 'checklist.steps', { owner_id: ownerId, id }, { done, done_at: done ? ctx.now : null })
}

/** Copies the steps of items to other items, where none is done. */
export async function copySteps(ctx: WriteContext, copies: readonly ItemCopy[]): Promise<void> {
  await ctx.db
    .insertInto('checklist.steps')
    .columns(['owner_id', 'id', 'item_id', 'content', 'done', 'position', 'created_at'])
    .expression(({ selectFrom, fn, val }) =>
      selectFrom(copiesOf(copies))
        .innerJoin('checklist.steps as s', 's.item_id', 'c.from_id')
        .whereRef('s.owner_id', '=', 'c.owner_id')
        .select(['s.owner_id', fn<string>('gen_random_uuid').as('id'), 'c.to_id', 's.content'])
        .select([val(false).as('done'), 's.position', val(ctx.now).as('created_at')]),
    )
    .execute()
}

/** Moves the open steps of items to other items. */
export async function moveOpenSteps(ctx: WriteContext, moves: readonly ItemCopy[]): Promise<void> {
  await ctx.db
    .updateTable('checklist.steps as s')
    .from(copiesOf(moves))
    .set(({ ref }) => ({ item_id: ref('c.to_id') }))
    .whereRef('s.owner_id', '=', 'c.owner_id')
    .whereRef('s.item_id', '=', 'c.from_id')
    .where('s.done', '=', false)
    .execute()
}
