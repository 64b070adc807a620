import { allOf, anyOf, compare, expressions, sql } from 'tasuki/plugin'
import type { Condition, Expression, RawBuilder, ReadContext } from 'tasuki/plugin'
import { fromOther, otherRef } from '../items/index.ts'
import { keyColumn, seesAll, visible } from '../projects/index.ts'

// The history is stored once and read by several users. It names items and projects as of the change; each reader sees only those that they
// may see, under their own names. All SQL here is about the entry `a` of an item that the caller may see.

const activity = expressions<{ a: 'workspace.activities' }>()

type Value = 'from_value' | 'to_value'

const textOf = (value: Value): RawBuilder<string> => sql`(${sql.ref(`a.${value}`)} #>> '{}')`
const isLink = sql.raw(`a.kind like 'relation.%'`)
const isParent = sql.raw(`a.kind = 'item.parent.changed'`)
const isMove = sql.raw(`a.kind = 'item.moved'`)

/** Returns the SQL of the current reference for a stored one; the item's number does not change when it moves. */
function itemIn(ctx: ReadContext, text: RawBuilder<string>): RawBuilder<string> {
  return sql`(select ${otherRef(ctx)} ${fromOther(ctx, 'a.owner_id', compare('o.number', '=', sql`substring(${text} from '#([0-9]+)$')::int`))})`
}

function projectIn(ctx: ReadContext, text: RawBuilder<string>): RawBuilder<string> {
  return sql`(select ${keyColumn(ctx, 'hp')} from projects.projects hp
    where hp.owner_id = a.owner_id and hp.key = ${text} and ${visible(ctx, 'hp', 'id')})`
}

const linked = (ctx: ReadContext): RawBuilder<string> => itemIn(ctx, sql`(a.to_value ->> 'item')`)

/** Kinds whose values belong to the item itself; other values name records of its former project. */
const isOwnField = sql.raw(
  `a.kind ~ '^item[.](created$|archived$|unarchived$|completed$|reopened$|(title|detail|due|start|priority|estimate)[._])'`,
)

/** Returns the condition that the entry dates from when the item was in a project that the caller may not see. */
function isBefore(ctx: ReadContext): Condition {
  return sql`exists (
    select from (
      select m.from_value #>> '{}' as key from workspace.activities m
      where m.owner_id = a.owner_id and m.item_id = a.item_id and m.kind = 'item.moved' and (m.id >= a.id or m.created_at = a.created_at)
      order by m.id limit 1) was
    where ${projectIn(ctx, sql.ref('was.key'))} is null)`
}

/** Returns the SQL of a value of the entry, restricted to what the caller may see. */
export function visibleValue(ctx: ReadContext, value: Value): Expression<unknown> {
  const column = sql.ref(`a.${value}`)
  if (seesAll(ctx)) return column
  return sql`case when ${column} is null then null
    when ${isLink} then jsonb_set(${column}, '{item}', to_jsonb(${linked(ctx)}))
    when ${isParent} then to_jsonb(${itemIn(ctx, textOf(value))})
    when ${isMove} then to_jsonb(${projectIn(ctx, textOf(value))})
    when ${isOwnField} or not ${isBefore(ctx)} then ${column} end`
}

/** Returns the condition that the caller may see the record that the entry is about. */
export function isShown(ctx: ReadContext): Condition {
  if (seesAll(ctx)) return sql.lit(true)
  const either = (find: typeof itemIn): Condition =>
    anyOf((['from_value', 'to_value'] as const).map(value => compare(find(ctx, textOf(value)), 'is not', null)))
  return sql`case when ${isLink} then ${linked(ctx)} is not null when ${isParent} then ${either(itemIn)}
    when ${isMove} then ${either(projectIn)} else true end`
}

/** Returns the SQL of the reason, free text that may name any record. */
export function visibleReason(ctx: ReadContext): RawBuilder<string | null> {
  return seesAll(ctx)
    ? sql.ref('a.reason')
    : sql`case when a.reason is not null and not ${isBefore(ctx)} then a.reason end`
}

/** Returns the SQL of the credential's name, which only its user may read; a credential with a project scope reads only its own. */
export function visibleCredential({ actor }: ReadContext): RawBuilder<string | null> {
  const own = [activity('a.actor_user_id', '=', actor.userId)]
  if (actor.projects !== null) own.push(activity('a.credential_label', '=', actor.credentialLabel))
  return sql`case when ${allOf(own)} then a.credential_label end`
}
