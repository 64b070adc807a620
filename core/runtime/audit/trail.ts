import type { DetachedAuditRecord } from '../../plugin/audit.ts'
import type { Actor, Db, Log } from '../../plugin/context.ts'
import type { Database } from '../../db/database.ts'
import { isUnavailable } from '../../db/failure.ts'
import { logRepeated } from '../../db/repeated-log.ts'
import { networkOf } from '../../plugin/network.ts'
import { createBursts, type FlushedEntries } from './bursts.ts'
import { auditRow, insertAuditRows, insertDeferredRows, type AuditActions, type AuditRow } from './audit.repository.ts'

/** Delay before entries are stored, so that several are stored together. */
const WAIT_MS = 1000
const BURSTS_MS = 60_000
/** Limit of unsaved entries; further ones are dropped and logged. */
const MAX_WAITING = 5000
const BATCH_SIZE = 250

/** A record outside of a write context. */
export interface TrailRecord extends DetachedAuditRecord {
  readonly clientVersion?: string | null
  /** Credential of an unauthenticated request; its former owner is looked up before the entry is stored. */
  readonly credential?: string
}

interface TrailOptions {
  readonly database: Pick<Database, 'write'>
  readonly actions: AuditActions
  /** Finds the current or former owner of a credential. */
  readonly findOwner: (db: Db, credential: string) => Promise<Partial<Actor> | undefined>
  readonly log: Log
  readonly now: () => Date
}

export interface AuditTrail {
  /** Records an entry without waiting or throwing: it is stored up to a second later, and bursts of refusals are counted. */
  record(record: TrailRecord): void
  /** Inserts an entry in the transaction of `db`. */
  write(db: Db, record: TrailRecord): Promise<void>
  /** Stores pending entries, and the counts of refusals whose hour has elapsed, or all of them. */
  flush(entries?: FlushedEntries): Promise<void>
  stop(): Promise<void>
}

interface PendingEntry {
  row: AuditRow
  readonly credential: string | undefined
}

/** Creates the audit trail for events outside of writes: batched, limited, and without delaying responses. */
export function createAuditTrail(options: TrailOptions): AuditTrail {
  const { database, actions, findOwner, log, now } = options
  const bursts = createBursts<PendingEntry>(now)
  let pending: PendingEntry[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let lastStore: Promise<void> = Promise.resolve()

  const rowOf = ({ request, clientVersion = null, ...record }: TrailRecord): AuditRow =>
    auditRow(actions, record, {
      at: now(),
      actor: null,
      clientVersion,
      address: request?.ip ?? null,
      requestId: request?.id ?? null,
    })
  const add = (entry: PendingEntry): void => {
    if (pending.length < MAX_WAITING) pending.push(entry)
    else dropped++
    timer ??= setTimeout(() => void flush(), WAIT_MS).unref()
  }
  const record: AuditTrail['record'] = trailRecord => {
    const entry = { row: rowOf(trailRecord), credential: trailRecord.credential }
    const { row } = entry
    const kind = `${row.action} ${row.owner_id} ${row.credential_id ?? ''}`
    if (row.outcome === 'ok' || bursts.take(kind, networkOf(row.address ?? ''), entry)) add(entry)
  }
  const store = async (): Promise<void> => {
    const entries = pending
    pending = []
    if (dropped > 0) log.warn({ dropped }, 'too many entries of the audit trail to store all of them')
    dropped = 0
    for (let at = 0; at < entries.length; at += BATCH_SIZE) {
      try {
        const rows: AuditRow[] = []
        for (const each of entries.slice(at, at + BATCH_SIZE)) rows.push(await withOwner(each))
        await insertDeferredRows(database.write, rows)
      } catch (error) {
        // Entries of a batch that the database refuses are lost; those that it could not take are stored later.
        const kept = entries.slice(isUnavailable(error) ? at : at + BATCH_SIZE)
        const room = Math.max(0, MAX_WAITING - pending.length)
        dropped += kept.length - Math.min(kept.length, room)
        pending = [...kept.slice(0, room), ...pending]
        throw error
      }
    }
  }
  const withOwner = async ({ row, credential }: PendingEntry): Promise<AuditRow> => {
    const owner = credential === undefined ? undefined : await findOwner(database.write, credential)
    if (!owner?.userId) return row
    const { userId, credentialId = null, credentialLabel = null } = owner
    return { ...row, owner_id: userId, credential_id: credentialId, credential: credentialLabel }
  }
  const flush = (entries: FlushedEntries = 'due'): Promise<void> => {
    for (const { entry, times } of bursts.close(entries)) add({ ...entry, row: { ...entry.row, times } })
    clearTimeout(timer)
    timer = undefined
    lastStore = lastStore
      .then(store)
      .catch((error: unknown) =>
        logRepeated(log, { err: error, waiting: pending.length }, 'entries of the audit trail could not be stored'),
      )
    return lastStore
  }
  const everyMinute = setInterval(() => void flush(), BURSTS_MS).unref()
  return {
    record,
    write: (db, trailRecord) => insertAuditRows(db, [rowOf(trailRecord)]),
    flush,
    stop() {
      clearInterval(everyMinute)
      return flush('all')
    },
  }
}
