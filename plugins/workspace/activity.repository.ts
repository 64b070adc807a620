import { compare, expressions, fixedPlan, iso, parens, recordset, sql, updateWhere } from 'tasuki/plugin'
import type { AliasedExpression, Condition, Expression, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import { readWithItem, refFor } from '../items/index.ts'
import { isShown, visibleCredential, visibleReason, visibleValue } from './history.repository.ts'
import { changedNames } from './points.ts'
import type { ActivityChoice, ActivityRecord, NamesOfChanges } from './activity.ts'

/** Reads the change history of an item, newest first, in one statement; with a `kind` filter, `kinds` lists all kinds in the history. */
export async function readActivities(
  ctx: ReadContext,
  text: string,
  { kind, actorKind, limit, offset = 0, named = false }: ActivityChoice,
) {
  const ofItem = sql`from workspace.activities a where a.owner_id = i.owner_id and a.item_id = i.id and ${isShown(ctx)}`
  const columns = sql`coalesce((select json_agg(x.activity order by x.id desc) from (
        select a.id, json_strip_nulls(json_build_object('kind', a.kind, 'from', ${visibleValue(ctx, 'from_value')}, 'to', ${visibleValue(ctx, 'to_value')}, 'reason', ${visibleReason(ctx)},
          'actor_kind', a.actor_kind, 'actor', (select coalesce(nullif(u.name, ''), u.email) from core.users u where u.id = a.actor_user_id),
          'client', a.client, 'credential', ${visibleCredential(ctx)}, 'tool', a.call, 'created_at', ${iso('a.created_at')})) as activity
        ${ofItem} and ${kind === undefined ? sql.lit(true) : isKind(kind)} and ${actorKind === undefined ? sql.lit(true) : compare('a.actor_kind', '=', actorKind)}
        order by a.id desc limit ${limit} offset ${offset}) x), '[]') as activities,
      ${kind === undefined ? sql.raw("'[]'::json") : sql`coalesce((select json_agg(distinct a.kind) ${ofItem}), '[]')`} as kinds`
  const found = await readWithItem<{
    readonly activities: readonly ActivityRecord[]
    readonly kinds: readonly string[]
    readonly names?: NamesOfChanges
  }>(ctx, text, named ? sql.join([columns, namesOfChanges(ctx)]) : columns)
  return { ref: refFor(ctx, found), activities: found.activities, kinds: found.kinds, names: found.names ?? {} }
}

/** Returns SQL for the names of what plugins change of the item `i`, as a json object by part of the kind. */
function namesOfChanges(ctx: ReadContext): AliasedExpression<unknown, 'names'> {
  const members = ctx.all(changedNames).flatMap(({ part, sql: names }) => [sql.lit(part), parens(names)])
  return expressions<{ a: 'workspace.activities' }>().fn('json_build_object', members).as('names')
}

/** Returns SQL for the last writer of the title or body of the item `i`; nothing for the caller and the service itself. */
export function lastWriter(ctx: ReadContext): Expression<unknown> {
  return sql`select json_build_object('written_by', json_strip_nulls(json_build_object(
      'name', coalesce((select coalesce(nullif(u.name, ''), u.email) from core.users u where u.id = w.actor_user_id), 'Deleted user'), 'kind', w.actor_kind, 'client', w.client)))
    from (select a.actor_user_id, a.actor_kind, a.client from workspace.activities a
      where a.owner_id = i.owner_id and a.item_id = i.id and a.kind in ('item.created', 'item.title.changed', 'item.detail.changed')
      order by a.id desc limit 1) w
    where w.actor_user_id <> ${ctx.actor.userId} and w.actor_kind <> 'system'`
}

/** `item.` and `item.*` are prefixes; other texts match the whole kind. */
function isKind(text: string): Condition {
  const kind = text.trim().toLowerCase()
  if (!kind.endsWith('.') && !kind.endsWith('.*')) return compare('a.kind', '=', kind)
  return compare('a.kind', '^@', kind.replace(/\*$/, ''))
}

/** The columns of an entry that describe the change itself. */
export type NewActivity = Pick<
  Row<'workspace.activities'>,
  'owner_id' | 'id' | 'item_id' | 'project_id' | 'kind' | 'reason'
> & {
  readonly from_value: unknown
  readonly to_value: unknown
}

/** Inserts entries with the actor and the call, in one statement. */
export async function insertActivities(ctx: WriteContext, activities: readonly NewActivity[]): Promise<void> {
  const { actor, call } = ctx
  const rowset = recordset(
    'x',
    {
      owner_id: 'uuid',
      id: 'uuid',
      item_id: 'uuid',
      project_id: 'uuid',
      kind: 'text',
      from_value: 'jsonb',
      to_value: 'jsonb',
      reason: 'text',
    },
    activities,
  )
  await sql`
    ${fixedPlan} insert into workspace.activities (owner_id, id, item_id, project_id, kind, from_value, to_value, reason,
      actor_kind, actor_user_id, client, credential_label, call, created_at)
    select x.*, ${actor.kind}::text, ${actor.userId}::uuid, ${actor.client}::text, ${actor.credentialLabel}::text, ${call.name}::text, ${ctx.now}::timestamptz
    from ${rowset}
  `.execute(ctx.db)
}

/** Moves the history of items into another project. */
export async function moveActivities(
  ctx: WriteContext,
  ownerId: string,
  itemIds: readonly string[],
  projectId: string,
): Promise<void> {
  await updateWhere(ctx.db, 'workspace.activities', { owner_id: ownerId, item_id: itemIds }, { project_id: projectId })
}
