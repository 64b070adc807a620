import type { FastifyRequest } from 'fastify'
import type { Actor } from './actor.ts'

/**
 * Something that the audit trail tells. A plugin names its own in `auditActions`; the trail knows no others, so that people can choose from
 * a closed list.
 */
export interface AuditAction {
  /** `<what>.<happened>`, for example `token.issued`: lower case letters, digits and _. */
  readonly name: string
  /** What people read, by language. */
  readonly title: { readonly en: string; readonly [language: string]: string }
}

/** Declares an action of the audit trail. */
export function defineAuditAction(action: AuditAction): AuditAction {
  return Object.freeze(action)
}

export type AuditOutcome = 'ok' | 'refused' | 'failed'

/** What an action was done to. */
export interface AuditTarget {
  /** For example `token`, `user`, `project`. */
  readonly kind: string
  readonly id?: string | null
  /** As people know it, at that time. */
  readonly name?: string | null
}

/** A record of the audit trail, without what the context knows. It must hold no secret. */
export interface AuditRecord {
  readonly action: AuditAction
  /** Default `ok`. */
  readonly outcome?: AuditOutcome
  /** Id of the user whose account it concerns, who may read it; default the actor; null = nobody who is known. */
  readonly userId?: string | null
  /** Where it differs from the actor of the context, such as somebody who has just signed in. */
  readonly actor?: Partial<Actor>
  readonly target?: AuditTarget
  /** At most 2 kB as JSON; longer ones are left out. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A record outside of a write: of a request that was refused, or of something that another library wrote. */
export interface DetachedAuditRecord extends AuditRecord {
  /** From whom it came. */
  readonly request?: Pick<FastifyRequest, 'id' | 'ip'>
}

/** An entry of the audit trail as it is read. */
export interface AuditEntry {
  readonly id: string
  /** ISO 8601 UTC. */
  readonly at: string
  /** Name of the action; one of a plugin that is off has no title. */
  readonly action: string
  readonly outcome: AuditOutcome
  /** E-mail address of the user whose account it concerns; the id where the user is gone; null = nobody who is known. */
  readonly user: string | null
  /** E-mail address of who did it; the id where the user is gone; null = the system, or nobody who is known. */
  readonly actor: string | null
  readonly actor_kind: Actor['kind'] | null
  readonly credential_id: string | null
  readonly credential: string | null
  readonly client: string | null
  readonly client_version: string | null
  readonly address: string | null
  readonly target_kind: string | null
  readonly target_id: string | null
  readonly target: string | null
  readonly request_id: string | null
  /** How many times it happened: of many refusals alike, one entry tells the number. */
  readonly times: number
  readonly details: Readonly<Record<string, unknown>>
}

/** Which entries are wanted; all conditions hold. */
export interface AuditFilter {
  /** Id of a user whose account an entry concerns, or who did it. Only administrators may leave it out or name others. */
  readonly userId?: string | undefined
  readonly action?: string | undefined
  readonly outcome?: AuditOutcome | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  readonly limit: number
  readonly offset?: number
}
