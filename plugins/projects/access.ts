import { defineClaim, type ReadContext, type Row } from 'tasuki/plugin'
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
  /** Switches of single projects that differ from `features`. */
  readonly overrides: readonly Readonly<Record<string, boolean>>[]
  /** Projects of others that the user is a member of. */
  readonly shared: readonly {
    readonly ownerId: string
    readonly projectId: string
    readonly role: MemberRole
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

export function access(ctx: ReadContext): Access {
  return ctx.claim(accessClaim)
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
