import { defineClaim, type OwnedKey, type ReadContext, type Row } from 'tasuki/plugin'
import { accessQuery } from './access.repository.ts'

/** The role of somebody with whom a project is shared. */
export type MemberRole = Row<'projects.members'>['role']
export type Role = 'owner' | MemberRole

/** What decides which projects a user sees and how dates are read; loaded with the credential, so checks cost no statement. */
export interface Access {
  readonly email: string
  /** IANA name; due dates of the user's own items are in it. */
  readonly timeZone: string
  readonly features: Readonly<Record<string, boolean>>
  /** Switches of single projects of the user that differ from `features`. */
  readonly overrides: readonly { readonly projectId: string; readonly features: Readonly<Record<string, boolean>> }[]
  /** Projects of others that the user is a member of. */
  readonly shared: readonly {
    readonly ownerId: string
    readonly projectId: string
    readonly role: MemberRole
    readonly key: string
    /** Address of its owner. */
    readonly owner: string
    /** Id of the user's own project of that key, which the bare key means then; null = there is none. */
    readonly namesake: string | null
    /** Switches of the project, else of its owner; those that neither has set are as for a new owner. */
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

const limited = new WeakMap<Access, Access>()

/** What the caller has access to; projects that the credential is not for are left out, as if they did not exist. */
export function access(ctx: ReadContext): Access {
  const all = ctx.claim(accessClaim)
  const { projects } = ctx.actor
  if (projects === null) return all
  let rest = limited.get(all)
  if (!rest) limited.set(all, (rest = limitAccess(all, projects)))
  return rest
}

/** A claim is loaded with one credential, whose limits do not change. */
function limitAccess(all: Access, projects: readonly string[]): Access {
  const isIn = ({ projectId }: { readonly projectId: string }): boolean => projects.includes(projectId)
  return {
    ...all,
    overrides: all.overrides.filter(isIn),
    shared: all.shared.filter(isIn).map(share => ({
      ...share,
      namesake: share.namesake !== null && projects.includes(share.namesake) ? share.namesake : null,
    })),
  }
}

/** The caller's role in a project that is known to be visible. */
export function roleIn(ctx: ReadContext, project: OwnedKey): Role {
  if (project.ownerId === ctx.actor.userId) return 'owner'
  return (
    access(ctx).shared.find(share => share.projectId === project.id && share.ownerId === project.ownerId)?.role ??
    'viewer'
  )
}

/** Whether a bare key means a project of the caller's own, though somebody shares another of that key. */
export function keyIsOwn(ctx: ReadContext, key: string): boolean {
  return access(ctx).shared.some(share => share.key === key && share.namesake !== null)
}

/** How the caller names a project: `KEY` where that means it, else `owner@example.com/KEY`. */
export function keyFor(ctx: ReadContext, { ownerId, key }: { readonly ownerId: string; readonly key: string }): string {
  const { shared } = access(ctx)
  if (shared.length === 0 || ownerId === ctx.actor.userId) return key
  const same = shared.filter(share => share.key === key)
  const share = same.find(each => each.ownerId === ownerId)
  return share && (share.namesake !== null || same.length > 1) ? `${share.owner}/${key}` : key
}
