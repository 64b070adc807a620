import { allOf, anyOf, compare, expressions, isOneOf, sql } from 'tasuki/plugin'
import type { Condition, Expression, RawBuilder, ReadContext } from 'tasuki/plugin'
import { access, keyFor } from './access.ts'

const columns = new Map<string, Expression<unknown>>()

/** A column as plain text, made once: Kysely would parse and quote it anew several times in each read. */
function columnOf(alias: string, column: string): Expression<unknown> {
  const name = `${alias}.${column}`
  let made = columns.get(name)
  if (!made) columns.set(name, (made = sql.raw(name)))
  return made
}

/**
 * Condition that keeps rows which the caller may see, for a table with `owner_id` and a project column.
 * @param alias the table's alias
 * @param column name of its project id column
 */
export function visible(ctx: ReadContext, alias: string, column = 'project_id'): Condition {
  const owner = columnOf(alias, 'owner_id')
  const project = columnOf(alias, column)
  const { shared } = access(ctx)
  const { userId, projects } = ctx.actor
  // Without shared projects the condition is a plain equality, which the listing's indexes lead with.
  const seen =
    shared.length === 0
      ? compare(owner, '=', userId)
      : anyOf([
          compare(owner, '=', userId),
          isOneOf(
            [`${alias}.owner_id`, `${alias}.${column}`],
            shared.map(share => [share.ownerId, share.projectId]),
          ),
        ])
  if (projects === null) return seen
  if (projects.length === 0) return sql.lit(false)
  return allOf([seen, compare(project, 'in', projects)])
}

/** Whether the caller sees everything of everybody of whom they see anything: their own records, whole. */
export function seesAll(ctx: ReadContext): boolean {
  return ctx.actor.projects === null && access(ctx).shared.length === 0
}

/** Condition that keeps rows of owners some of whose projects the caller may see, for tables without a project column. */
export function ofSeenOwner(ctx: ReadContext, alias: string): Condition {
  const owners = [...new Set([ctx.actor.userId, ...access(ctx).shared.map(share => share.ownerId)])]
  return compare(columnOf(alias, 'owner_id'), 'in', owners)
}

/** SQL of `keyFor`, from an alias of the projects table. */
export function keyColumn(ctx: ReadContext, alias: string): RawBuilder<string> {
  const key = columnOf(alias, 'key') as RawBuilder<string>
  const cases = access(ctx).shared.flatMap(share => {
    const name = keyFor(ctx, share)
    return name === share.key ? [] : [sql`when ${columnOf(alias, 'id')} = ${share.projectId}::uuid then ${name}::text`]
  })
  return cases.length === 0 ? key : sql`case ${sql.join(cases, sql.raw(' '))} else ${key} end`
}

/** SQL of how the caller names an item. @param project alias of its project @param item alias of the item itself */
export function refColumn(ctx: ReadContext, project = 'p', item = 'i'): RawBuilder<string> {
  return sql`${keyColumn(ctx, project)} || '#' || ${columnOf(item, 'number')}`
}

/**
 * SQL of the key of a project in a text that is stored for a user, who may come to own a project of that key: bare for its owner, with
 * the owner's address for everybody else.
 * @param alias of the projects table
 * @param user SQL of the user's id
 */
export function keyKeptFor(alias: string, user: Expression<unknown>): RawBuilder<string> {
  const [owner, key] = [columnOf(alias, 'owner_id'), columnOf(alias, 'key')]
  return sql`case when ${owner} = ${user} then ${key}
    else (select o.email from core.users o where o.id = ${owner}) || '/' || ${key} end`
}

/** A column has the id of the user of an address. */
export function isOwnedBy(column: string, email: string): Condition {
  const users = expressions<{ p: 'projects.projects' }>().selectFrom('core.users as u')
  return compare(column, '=', users.select('u.id').where('u.email', '=', email))
}
