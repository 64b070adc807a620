import { Type, type Static } from '@sinclair/typebox'
import { listAudit } from '../../identity/audit.repository.ts'
import { requireUser } from '../../identity/users.ts'
import type { AuditEntry } from '../../plugin/audit.ts'
import { ToolError } from '../../plugin/errors.ts'
import { choice } from '../../plugin/fields.ts'
import { byNearness } from '../../plugin/nearest.ts'
import { quoteName } from '../../plugin/quote-name.ts'
import type { HostCommand } from '../host-command.ts'
import { HOUR_MS } from '../../plugin/durations.ts'

const PERIOD = /^(\d{1,5})([dh])$/
const MAX_SUGGESTIONS = 10

const Args = Type.Object({
  user: Type.Optional(Type.String({ description: 'E-mail address: only what concerns or was done by this user.' })),
  action: Type.Optional(Type.String({ description: 'Only this action, for example token.issued.' })),
  since: Type.Optional(Type.String({ description: 'From this instant (ISO 8601) on, or as 7d or 12h ago.' })),
  until: Type.Optional(Type.String({ description: 'Before this instant, written as in since.' })),
  limit: Type.Integer({ default: 200, minimum: 1, maximum: 100_000, description: 'Most entries.' }),
  format: choice(['table', 'json', 'csv'], { default: 'table', description: 'json is one object per line.' }),
})

export const audit: HostCommand = {
  name: 'audit',
  summary: 'Print the audit trail, newest first.',
  args: Args,
  async onHost({ runner, registry }, { user, action, since, until, limit, format }: Static<typeof Args>, scope) {
    const entries = await runner.read(scope, async ctx =>
      listAudit(ctx, {
        userId: user === undefined ? undefined : (await requireUser(ctx, user)).id,
        action,
        since: instantOf('since', since, ctx.now),
        until: instantOf('until', until, ctx.now),
        limit,
      }),
    )
    // A plugin that is off may have recorded actions that are not declared now.
    const known = [...registry.auditActions.keys()]
    if (entries.length === 0 && action !== undefined && !known.includes(action))
      throw new ToolError('invalid_argument', `There is no action ${quoteName(action)}.`, {
        field: 'action',
        allowed: byNearness(action, known).slice(0, MAX_SUGGESTIONS),
        hint: `These are the nearest of ${known.length}; without --action all entries are printed with theirs.`,
      })
    if (format === 'json') return { text: entries.map(entry => JSON.stringify(entry)).join('\n'), data: { entries } }
    if (format === 'csv') return { text: toCsv(entries) }
    return { rows: entries.map(toTableRow) }
  },
}

function instantOf(field: string, value: string | undefined, now: Date): Date | undefined {
  if (value === undefined) return undefined
  const period = PERIOD.exec(value)
  if (period) return new Date(now.getTime() - Number(period[1]) * HOUR_MS * (period[2] === 'd' ? 24 : 1))
  const at = new Date(value)
  if (Number.isNaN(at.getTime()))
    throw new ToolError('invalid_argument', `"${value}" is no instant.`, {
      field,
      hint: 'Write 2026-12-01, 2026-12-01T09:00Z, 7d or 12h.',
    })
  return at
}

function toTableRow({ at, user, actor, action, outcome, times, target, credential, client, address }: AuditEntry) {
  return { at, user, actor, action, outcome, times, target, credential, client, address }
}

const COLUMNS = [
  'at',
  'user',
  'actor',
  'actor_kind',
  'action',
  'outcome',
  'times',
  'target_kind',
  'target_id',
  'target',
  'credential_id',
  'credential',
  'client',
  'client_version',
  'address',
  'request_id',
  'details',
  'id',
] as const satisfies readonly (keyof AuditEntry)[]

/** Formats entries as CSV (RFC 4180) with a header. */
function toCsv(entries: readonly AuditEntry[]): string {
  const lines = entries.map(entry => COLUMNS.map(name => csvCell(entry[name])).join(','))
  return [COLUMNS.join(','), ...lines].join('\r\n')
}

function csvCell(value: unknown): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  // Spreadsheets would execute cells that look like formulas, and names come from users (CWE-1236).
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
