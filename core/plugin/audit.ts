import type { FastifyRequest } from 'fastify'
import type { Actor } from './actor.ts'

/**
 * An action of the audit trail. A plugin declares its actions in `auditActions`; the trail rejects others, so that people can filter by a
 * closed list.
 */
export interface AuditAction {
  /** `<what>.<happened>`, for example `token.issued`: lower-case letters, digits and _. */
  readonly name: string
  /** Title for people, by language. */
  readonly title: { readonly en: string; readonly [language: string]: string }
  /** Names of details (`scope`) and of their values (`scope.read`) for people; others are shown as they are recorded. */
  readonly words?: Readonly<Record<string, AuditAction['title']>>
}

/** Declares an action of the audit trail. */
export function defineAuditAction(action: AuditAction): AuditAction {
  return Object.freeze(action)
}

export type AuditOutcome = 'ok' | 'refused' | 'failed'

/** The object of an action. */
export interface AuditTarget {
  /** For example `token`, `user`, `project`. */
  readonly kind: string
  readonly id?: string | null
  /** Display name at the time of the action. */
  readonly name?: string | null
}

/** A record of the audit trail, without data that the context adds. It must not contain secrets. */
export interface AuditRecord {
  readonly action: AuditAction
  /** Default `ok`. */
  readonly outcome?: AuditOutcome
  /** Id of the user whose account is concerned and who may read the record; default the actor; null = unknown. */
  readonly userId?: string | null
  /** Overrides the actor of the context, for example with a user who has just signed in. */
  readonly actor?: Partial<Actor>
  readonly target?: AuditTarget
  /** At most 2 kB as JSON; larger details are omitted. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A record outside of a write, for example of a refused request. */
export interface DetachedAuditRecord extends AuditRecord {
  /** Request that caused the record. */
  readonly request?: Pick<FastifyRequest, 'id' | 'ip'>
}

/** An entry of the audit trail. */
export interface AuditEntry {
  readonly id: string
  /** ISO 8601 UTC. */
  readonly at: string
  /** Name of the action; an action of a disabled plugin has no title. */
  readonly action: string
  readonly outcome: AuditOutcome
  /** E-mail address of the user whose account is concerned, or the id if the user was deleted; null = unknown. */
  readonly user: string | null
  /** E-mail address of the actor, or the id if the user was deleted; null = the system, or unknown. */
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
  /** Number of occurrences: one entry may stand for many similar refusals. */
  readonly times: number
  readonly details: Readonly<Record<string, unknown>>
}

/** Filter of entries; all conditions must match. */
export interface AuditFilter {
  /** Id of a user whose account is concerned or who acted. Only administrators may omit it or pass another user. */
  readonly userId?: string | undefined
  readonly action?: string | undefined
  readonly outcome?: AuditOutcome | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  readonly limit: number
  readonly offset?: number
}
