import { defineClaim, oncePer, type OwnedKey, type ReadContext, type Row } from 'tasuki/plugin'
import { accessQuery } from './access.repository.ts'

/** The role of a member of a shared project. */
export type MemberRole = Row<'projects.members'>['role']
export type Role = 'owner' | MemberRole

/** Which projects a user may see, and how dates are read. Loaded with the credential, so that checks need no statement. */
export interface Access {
  readonly email: string
  /** IANA name; the time zone of due dates of the user's own items. */
  readonly timeZone: string
  readonly features: Readonly<Record<string, boolean>>
  /** Features of the user's own projects that differ from `features`. */
  readonly overrides: readonly { readonly projectId: string; readonly features: Readonly<Record<string, boolean>> }[]
  /** Projects of other users that the user is a member of. */
  readonly shared: readonly {
    readonly ownerId: string
    readonly projectId: string
    readonly role: MemberRole
    readonly key: string
    /** Email of the owner. */
    readonly owner: string
    /** IANA name; the time zone of due dates of the project. */
    readonly timeZone: string
    /** Id of the user's own project with the same key, which the bare key then names; null = none. */
    readonly namesake: string | null
    /** Features of the project, else of its owner, else the defaults of a new owner. */
    readonly features: Readonly<Record<string, boolean>>
  }[]
}

export const accessClaim = defineClaim<Access>({
  name: 'projects.access',
  sql: accessQuery,
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

/** Returns what the caller has access to. Projects outside the credential's scope are left out, as if they did not exist. */
export function access(ctx: ReadContext): Access {
  const all = ctx.claim(accessClaim)
  const { projects } = ctx.actor
  return projects === null ? all : limitAccess(all, projects)
}

/** Cached per claim: a claim belongs to one credential, whose scope is fixed. */
const limitAccess = oncePer((all: Access, projects: readonly string[]): Access => {
  const isIn = ({ projectId }: { readonly projectId: string }): boolean => projects.includes(projectId)
  return {
    ...all,
    overrides: all.overrides.filter(isIn),
    shared: all.shared.filter(isIn).map(share => ({
      ...share,
      namesake: share.namesake !== null && projects.includes(share.namesake) ? share.namesake : null,
    })),
  }
})

/** Returns the caller's role in a project that the caller may see. */
export function roleIn(ctx: ReadContext, project: OwnedKey): Role {
  if (project.ownerId === ctx.actor.userId) return 'owner'
  return (
    access(ctx).shared.find(share => share.projectId === project.id && share.ownerId === project.ownerId)?.role ??
    'viewer'
  )
}

/** Returns whether a bare key names the caller's own project although a shared project has the same key. */
export function keyIsOwn(ctx: ReadContext, key: string): boolean {
  return access(ctx).shared.some(share => share.key === key && share.namesake !== null)
}

/** Returns the caller's name of a project: `KEY` if unambiguous, else `owner@example.com/KEY`. */
export function keyFor(ctx: ReadContext, { ownerId, key }: { readonly ownerId: string; readonly key: string }): string {
  const { shared } = access(ctx)
  if (shared.length === 0 || ownerId === ctx.actor.userId) return key
  const same = shared.filter(share => share.key === key)
  const share = same.find(each => each.ownerId === ownerId)
  return share && (share.namesake !== null || same.length > 1) ? `${share.owner}/${key}` : key
}
