import type { AuditAction, AuditRecord } from '../../plugin/audit.ts'
import type { Actor, Db } from '../../plugin/context.ts'
import { clip } from '../../plugin/clip.ts'
import { json, type NewRow } from '../../plugin/tables.ts'
import { uuid } from '../../plugin/uuid.ts'

export type AuditRow = NewRow<'core.audit'>
export type AuditActions = ReadonlyMap<string, AuditAction>

/** Owner of entries without a known user. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'
const MAX_TEXT_LENGTH = 300
const MAX_DETAILS_LENGTH = 2000

/** Context of a record that its caller does not pass. */
export interface AuditFacts {
  readonly at: Date
  readonly actor: Actor | null
  readonly clientVersion: string | null
  readonly address: string | null
  readonly requestId: string | null
}

/** Builds the row of a record. @throws Error if no enabled plugin declares the action */
export function auditRow(actions: AuditActions, record: AuditRecord, facts: AuditFacts): AuditRow {
  const { action, outcome = 'ok', target, details = {} } = record
  if (actions.get(action.name) !== action)
    throw new Error(`the audit trail has no action ${action.name}: name it in the auditActions of the plugin`)
  const actor: Partial<Actor> = { ...facts.actor, ...record.actor }
  const actorId = actor.userId === NOBODY ? null : (actor.userId ?? null)
  return {
    owner_id: (record.userId === undefined ? actorId : record.userId) ?? NOBODY,
    id: uuid(),
    at: facts.at,
    action: action.name,
    outcome,
    actor_id: actorId,
    actor_kind: actor.kind ?? null,
    credential_id: actor.credentialId ?? null,
    credential: toText(actor.credentialLabel),
    client: toText(actor.client),
    client_version: toText(facts.clientVersion),
    address: facts.address,
    target_kind: target?.kind ?? null,
    target_id: toText(target?.id),
    target: toText(target?.name),
    request_id: facts.requestId,
    times: 1,
    details: json(JSON.stringify(details).length > MAX_DETAILS_LENGTH ? { left_out: true } : details),
  }
}

export async function insertAuditRows(db: Db, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('core.audit').values(rows).execute()
}

/** Inserts deferred rows. If a user was deleted since, only ids, actions and times are stored, as in the user's older entries. */
export async function insertDeferredRows(db: Db, rows: readonly AuditRow[]): Promise<void> {
  const ids = [...new Set(rows.flatMap(usersOf))]
  await db.transaction().execute(async tx => {
    // Locks the users, so that a concurrent deletion waits until these rows are inserted.
    const existing = await tx
      .selectFrom('core.users')
      .select('id')
      .where('id', 'in', ids)
      .orderBy('id')
      .forKeyShare()
      .execute()
    const knownIds = new Set([NOBODY, ...existing.map(({ id }) => id)])
    const isKnown = (row: AuditRow): boolean => usersOf(row).every(id => knownIds.has(id))
    await insertAuditRows(
      tx,
      rows.map(row => (isKnown(row) ? row : { ...row, ...ANONYMOUS })),
    )
  })
}
const ANONYMOUS = { credential: null, address: null, target: null, details: json({}) }

function usersOf({ owner_id: owner, actor_id: actor, target_kind: kind, target_id: target }: AuditRow): string[] {
  return [owner, actor, kind === 'user' ? target : null].filter(id => id != null)
}

/** PostgreSQL cannot store NUL. */
function toText(value: string | null | undefined): string | null {
  return value == null ? null : clip(value.replaceAll('\0', ''), MAX_TEXT_LENGTH)
}
