import { allOf, anyOf, compare, expressions, isOneOf, renderFragment, sql } from 'tasuki/plugin'
import type { Condition, Expression, RawBuilder, ReadContext } from 'tasuki/plugin'
import { access, keyFor, type Access } from './access.ts'

/** Returns a column as raw SQL, because Kysely would parse and quote it. */
const columnOf = (alias: string, column: string): RawBuilder<unknown> => sql.raw(`${alias}.${column}`)

/** What a credential has access to is loaded with it, and collected with it. */
const byCaller = new WeakMap<Access, Map<string, Expression<unknown>>>()

/**
 * Builds a fragment that depends only on the caller and what the caller has access to, once for each caller.
 * @param name identifies the fragment
 */
export function perCaller<T>(ctx: ReadContext, name: string, build: () => Expression<T>): Expression<T> {
  const caller = access(ctx)
  let fragments = byCaller.get(caller)
  if (!fragments) byCaller.set(caller, (fragments = new Map()))
  let made = fragments.get(name)
  if (!made) fragments.set(name, (made = renderFragment(build())))
  return made as Expression<T>
}

/**
 * Returns the condition for rows that the caller may see, for a table with `owner_id` and a project column.
 * @param alias the table's alias
 * @param column name of its project id column
 */
export function visible(ctx: ReadContext, alias: string, column = 'project_id'): Condition {
  return perCaller(ctx, `visible ${alias}.${column}`, () => {
    const { userId, projects } = ctx.actor
    const own = compare(columnOf(alias, 'owner_id'), '=', userId)
    const project = columnOf(alias, column)
    const shared = access(ctx).shared.map(share => [share.ownerId, share.projectId])
    // Without shared projects the condition is a plain equality on the first column of the listing's indexes.
    const seen = shared.length === 0 ? own : anyOf([own, isOneOf([`${alias}.owner_id`, `${alias}.${column}`], shared)])
    if (projects === null) return seen
    if (projects.length === 0) return sql.lit(false)
    return allOf([seen, compare(project, 'in', projects)])
  })
}

/** Returns whether the caller sees all records of every owner whose records are visible: only own records, without a project scope. */
export function seesAll(ctx: ReadContext): boolean {
  return ctx.actor.projects === null && access(ctx).shared.length === 0
}

/** Returns the condition for rows of owners of visible projects, for tables without a project column. */
export function isOfVisibleOwner(ctx: ReadContext, alias: string): Condition {
  const owners = [...new Set([ctx.actor.userId, ...access(ctx).shared.map(share => share.ownerId)])]
  return compare(columnOf(alias, 'owner_id'), 'in', owners)
}

/** Returns the SQL of `keyFor`, from an alias of the projects table. */
export function keyColumn(ctx: ReadContext, alias: string): RawBuilder<string> {
  const key = columnOf(alias, 'key') as RawBuilder<string>
  const cases = access(ctx).shared.flatMap(share => {
    const name = keyFor(ctx, share)
    return name === share.key ? [] : [sql`when ${columnOf(alias, 'id')} = ${share.projectId}::uuid then ${name}::text`]
  })
  return cases.length === 0 ? key : sql`case ${sql.join(cases, sql.raw(' '))} else ${key} end`
}

/** Returns the SQL of the caller's reference to an item. @param project alias of its project @param item alias of the item itself */
export function refColumn(ctx: ReadContext, project = 'p', item = 'i'): RawBuilder<string> {
  return sql`${keyColumn(ctx, project)} || '#' || ${columnOf(item, 'number')}`
}

/**
 * Returns the SQL of the key of the project `p` in a text stored for a user, who may later own a project with the same key: bare for the
 * owner, with the owner's email for other users.
 * @param user SQL of the user's id
 */
export function storedKeyFor(user: Expression<unknown>): RawBuilder<string> {
  const [owner, key] = [columnOf('p', 'owner_id'), columnOf('p', 'key')]
  return sql`case when ${owner} = ${user} then ${key}
    else (select o.email from core.users o where o.id = ${owner}) || '/' || ${key} end`
}

/** Returns the condition that a column holds the id of the user with an email address. */
export function isOwnedBy(column: string, email: string): Condition {
  const users = expressions<{ p: 'projects.projects' }>().selectFrom('core.users as u')
  return compare(column, '=', users.select('u.id').where('u.email', '=', email))
}
