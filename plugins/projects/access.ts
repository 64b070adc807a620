import { defineClaim, sql, type ReadContext, type RawBuilder } from 'tasuki/plugin'

export type Role = 'owner' | 'editor' | 'viewer'

/** What decides which projects a user sees and how dates are read; loaded with the credential, so checks cost no statement. */
export interface Access {
  readonly email: string
  /** IANA name; due dates of the user's own items are in it. */
  readonly timeZone: string
  readonly features: Readonly<Record<string, boolean>>
  /** Switches of single projects that differ from `features`. */
  readonly overrides: readonly Readonly<Record<string, boolean>>[]
  /** Projects of others that the user is a member of. */
  readonly shared: readonly {
    readonly ownerId: string
    readonly projectId: string
    readonly role: 'editor' | 'viewer'
    readonly key: string
    /** Address of its owner. */
    readonly owner: string
    /** The user owns a project of that key, which the bare key means then. */
    readonly keyIsOwn: boolean
    /** Switches of the project, else of its owner; those that neither has set are as for a new owner. */
    readonly features: Readonly<Record<string, boolean>>
  }[]
}

export const accessClaim = defineClaim<Access>({
  name: 'projects.access',
  sql: `select jsonb_build_object(
      'email', u.email,
      'timeZone', u.time_zone,
      'features', (select s.features from projects.settings s where s.owner_id = u.id),
      'overrides', (select jsonb_agg(p.features) from projects.projects p where p.owner_id = u.id and p.features <> '{}'::jsonb),
      'shared', (select jsonb_agg(jsonb_build_object('ownerId', m.owner_id, 'projectId', m.project_id, 'role', m.role,
          'key', p.key, 'owner', (select o.email from core.users o where o.id = p.owner_id),
          'keyIsOwn', exists (select from projects.projects o where o.owner_id = u.id and o.key = p.key),
          'features', coalesce(s.features, '{}'::jsonb) || p.features))
        from projects.members m join projects.projects p on p.owner_id = m.owner_id and p.id = m.project_id
          left join projects.settings s on s.owner_id = m.owner_id where m.user_id = u.id))`,
  parse(json) {
    const found = (json ?? {}) as { [K in keyof Access]?: Access[K] | null }
    return {
      email: found.email ?? '',
      timeZone: found.timeZone ?? 'UTC',
      features: found.features ?? {},
      overrides: found.overrides ?? [],
      shared: found.shared ?? [],
    }
  },
})

export function access(ctx: ReadContext): Access {
  return ctx.claim(accessClaim)
}

const words = new Map<string, Map<string, RawBuilder<unknown>>>()

/** Alias and column are words of the program, and few; Kysely would take them apart and quote them anew, several times in each read. */
function word(alias: string, column: string): RawBuilder<unknown> {
  let columns = words.get(alias)
  if (!columns) words.set(alias, (columns = new Map()))
  let made = columns.get(column)
  if (!made) columns.set(column, (made = sql.raw(`${alias}.${column}`)))
  return made
}

/**
 * Condition that keeps rows which the caller may see, for a table with `owner_id` and a project column.
 * @param alias the table's alias
 * @param column name of its project id column
 */
export function visible(ctx: ReadContext, alias: string, column = 'project_id'): RawBuilder<boolean> {
  const owner = word(alias, 'owner_id')
  const project = word(alias, column)
  const { shared } = access(ctx)
  const { userId, projects } = ctx.actor
  // Without shared projects the condition is a plain equality, which the listing's indexes lead with.
  const seen =
    shared.length === 0
      ? sql<boolean>`${owner} = ${userId}`
      : sql<boolean>`(${owner} = ${userId} or (${owner}, ${project}) in (${sql.join(shared.map(share => sql`(${share.ownerId}::uuid, ${share.projectId}::uuid)`))}))`
  if (projects === null) return seen
  if (projects.length === 0) return sql<boolean>`false`
  return sql<boolean>`(${seen} and ${project} in (${sql.join(projects.map(id => sql`${id}::uuid`))}))`
}

/** Condition that keeps rows of owners some of whose projects the caller may see, for tables without a project column. */
export function ofSeenOwner(ctx: ReadContext, alias: string): RawBuilder<boolean> {
  const owners = [...new Set([ctx.actor.userId, ...access(ctx).shared.map(share => share.ownerId)])]
  return sql<boolean>`${sql.ref(`${alias}.owner_id`)} in (${sql.join(owners.map(id => sql`${id}::uuid`))})`
}

/** The caller's role in a project that is known to be visible. */
export function roleIn(ctx: ReadContext, project: { readonly ownerId: string; readonly id: string }): Role {
  if (project.ownerId === ctx.actor.userId) return 'owner'
  return (
    access(ctx).shared.find(share => share.projectId === project.id && share.ownerId === project.ownerId)?.role ??
    'viewer'
  )
}

/** Whether a bare key means a project of the caller's own, though somebody shares another of that key. */
export function keyIsOwn(ctx: ReadContext, key: string): boolean {
  return access(ctx).shared.some(share => share.key === key && share.keyIsOwn)
}

/** How the caller names a project: `KEY` where that means it, else `owner@example.com/KEY`. */
export function keyFor(ctx: ReadContext, { ownerId, key }: { readonly ownerId: string; readonly key: string }): string {
  const { shared } = access(ctx)
  if (shared.length === 0 || ownerId === ctx.actor.userId) return key
  const same = shared.filter(share => share.key === key)
  const share = same.find(each => each.ownerId === ownerId)
  return share && (share.keyIsOwn || same.length > 1) ? `${share.owner}/${key}` : key
}

/** SQL of `keyFor`, from an alias of the projects table. */
export function keyColumn(ctx: ReadContext, alias: string): RawBuilder<string> {
  const key = word(alias, 'key') as RawBuilder<string>
  const cases = access(ctx).shared.flatMap(share => {
    const name = keyFor(ctx, share)
    return name === share.key ? [] : [sql`when ${word(alias, 'id')} = ${share.projectId}::uuid then ${name}::text`]
  })
  return cases.length === 0 ? key : sql<string>`case ${sql.join(cases, sql` `)} else ${key} end`
}

/**
 * SQL of the key of a project for a text that is kept for a user, who may come to own a project of that key: bare for its owner, by its
 * owner for everybody else.
 * @param alias of the projects table
 * @param user SQL of the user's id
 */
export function keyKeptFor(alias: string, user: RawBuilder<unknown>): RawBuilder<string> {
  const [owner, key] = [word(alias, 'owner_id'), word(alias, 'key')]
  return sql<string>`case when ${owner} = ${user} then ${key}
    else (select o.email from core.users o where o.id = ${owner}) || '/' || ${key} end`
}
