import { Type } from '@sinclair/typebox'
import { resolve } from 'node:path'
import { isReadOnly } from '../../db/failure.ts'
import { archiveName, exportRecord, writeFileAtomically, type WrittenFile } from '../../host/archiver.ts'
import type { Host } from '../../host/host.ts'
import { copyDeployment, describeTarget, type CopyTarget, type OtherSettings } from '../../host/load-archive.ts'
import { isObject, parseObject } from '../../host/config/load.ts'
import { requireUser } from '../../identity/users.ts'
import type { AuditRecord } from '../../plugin/audit.ts'
import { ToolError } from '../../plugin/errors.ts'
import { formatCount } from '../../plugin/format-count.ts'
import { backupMade, dataCopied } from '../../runtime/audit/actions.ts'
import type { CallScope } from '../../runtime/runner.ts'
import type { HostCommand } from '../host-command.ts'

const backup: HostCommand = {
  name: 'backup',
  summary:
    'Write a snapshot of everything to a file while the service runs. Keep it with the secret key, and as secure.',
  args: Type.Object({
    file: Type.Optional(Type.String({ minLength: 1, description: 'File to make; default tasuki-<time>.tar.gz here.' })),
  }),
  positional: ['file'],
  localize: ({ file }: { file?: string }, cwd) => ({ file: resolve(cwd, file ?? archiveName('tasuki', new Date())) }),
  async onHost(host, { file }: { file: string }, scope) {
    const summary = await writeFileAtomically(file, target => host.archiver.backup(target))
    const details = { file, rows: summary.rows, files: summary.files, bytes: summary.size }
    const unrecorded = await record(host, scope, { action: backupMade, userId: null, details })
    return { text: [describe(summary), ...unrecorded, KEY_NOTE].join('\n') }
  },
}

const KEY_NOTE =
  'Keep secret.key of DATA_DIR (or SECRET_KEY) too, in another place: what is encrypted can be read with it alone.'

const copy: HostCommand = {
  name: 'copy',
  summary:
    'Copy a snapshot of everything into an empty PostgreSQL database or a new data folder while the service runs.',
  args: Type.Object({
    to: Type.String({ minLength: 1, description: 'postgres://user@host/database, or a folder for DATA_DIR.' }),
    settings: Type.Optional(
      Type.String({
        description:
          'JSON with plugin settings that differ at the destination, for files stored elsewhere: {"attachments":{"s3":{…}}}, or {"attachments":{}} for DATA_DIR.',
      }),
    ),
  }),
  localize: ({ to, ...rest }: { to: string; settings?: string }, cwd) => ({
    ...rest,
    to: parseDatabaseUrl(to) === null ? resolve(cwd, to) : to,
  }),
  async onHost(host, { to, settings }: { to: string; settings?: string }, scope) {
    const url = parseDatabaseUrl(to)
    const target: CopyTarget = url === null ? { folder: to } : { url: url.href }
    const { rows, files, left, shared, mark } = await copyDeployment(host, target, parseSettings(settings))
    const place = describeTarget(target)
    const details = { to: place, ...(rows !== undefined && { rows }), files }
    const unrecorded = await record(host, scope, { action: dataCopied, userId: null, details })
    const next =
      url === null ? `DATA_DIR=${to} and without DATABASE_URL` : 'DATABASE_URL set to it, and the same DATA_DIR'
    return {
      text: [
        `Copied ${rows === undefined ? 'the database' : formatCount(rows, 'row')} and ${formatCount(files, 'file')} to ${place}.`,
        ...shared.map(place => `Files in ${place} were not copied: both use them. To copy them too, give --settings.`),
        ...describeSkipped(left),
        ...unrecorded,
        `What is written here from now on is not in it: stop this service, then start one with ${next}.`,
        ...(mark === undefined
          ? []
          : [`Without DATABASE_URL this database is refused after that, until ${mark} is deleted.`]),
      ].join('\n'),
    }
  },
}

/** @throws ToolError */
function parseSettings(text = '{}'): OtherSettings {
  const parsed = parseObject(text)
  if (parsed && Object.values(parsed).every(isObject)) return parsed as OtherSettings
  throw new ToolError('invalid_argument', '--settings is no JSON object of settings by plugin.', {
    field: 'settings',
    hint: 'Give for example {"attachments":{"s3":{"bucket":"files"}}}.',
  })
}

/** Describes the tables that were skipped because an extension is missing. */
export function describeSkipped(left: readonly string[]): readonly string[] {
  return left.length === 0
    ? []
    : [`Skipped, because the destination lacks their extension: ${left.join(', ')}; made again there.`]
}

const userExport: HostCommand = {
  name: 'user export',
  summary: 'Write all data and files of one user to a file, without credentials.',
  args: Type.Object({
    email: Type.String({ description: 'E-mail address of the user.' }),
    file: Type.Optional(
      Type.String({ minLength: 1, description: 'File to make; default <e-mail>-<time>.tar.gz here.' }),
    ),
  }),
  positional: ['email', 'file'],
  localize: ({ email, file }: { email: string; file?: string }, cwd) => ({
    email,
    file: resolve(cwd, file ?? archiveName(email.replaceAll(/[^\w.@+-]/g, '_'), new Date())),
  }),
  async onHost(host, { email, file }: { email: string; file: string }, scope) {
    const user = await host.runner.read(scope, ctx => requireUser(ctx, email))
    const summary = await writeFileAtomically(file, target => host.archiver.exportUser(target, user))
    return { text: [describe(summary), ...(await record(host, scope, exportRecord(user, summary)))].join('\n') }
  },
}

/** Commands that write archives. */
export const archiveCommands: readonly HostCommand[] = [backup, copy, userExport]

/** Records a finished command in the audit log. A read-only database, such as a standby, takes no record. @returns a line that says so */
async function record(host: Host, scope: CallScope, done: AuditRecord): Promise<readonly string[]> {
  try {
    await host.runner.write(scope, async ctx => ctx.audit(done))
    return []
  } catch (error) {
    if (!isReadOnly(error)) throw error
    return ['The audit log does not have this: the database takes no writes.']
  }
}

function describe({ file, rows, files, size, missing }: WrittenFile): string {
  const length = size < 1e6 ? `${Math.ceil(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`
  return [
    `Wrote ${formatCount(rows, 'row')} and ${formatCount(files, 'file')} to ${file} (${length}).`,
    ...(missing.length === 0 ? [] : [`Not in the storage any more: ${missing.join(', ')}.`]),
  ].join('\n')
}

/** Parses the URL of a PostgreSQL database; null for a folder. @throws ToolError */
function parseDatabaseUrl(to: string): URL | null {
  if (!/^[a-z]{2,}:/i.test(to)) return null
  const url = URL.parse(to)
  if (url && /^postgres(ql)?:$/.test(url.protocol)) return url
  throw new ToolError('invalid_argument', '--to must be postgres://user@host/database or a folder.', { field: 'to' })
}
