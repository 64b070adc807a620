import { Type } from '@sinclair/typebox'
import { createReadStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { verifyArchive } from '../../archive/load.ts'
import { filesOfPlugins, fingerprint } from '../../host/archiver.ts'
import { installedPlugins, loadInto, requireEmptyFolder } from '../../host/load-archive.ts'
import { hostOptionsFrom } from '../../host/start.ts'
import { KEY_FILE, readSecret } from '../../identity/signing-key.ts'
import { HostError } from '../../plugin/errors.ts'
import { formatCount } from '../../plugin/format-count.ts'
import { registryOf } from '../call-command.ts'
import { describeSkipped } from '../commands/archive.ts'
import { localCommand } from './local-command.ts'

export const restore = localCommand({
  name: 'restore',
  summary: 'Load a backup into an empty database of either engine, and migrate it to this version.',
  args: Type.Object({ file: Type.String({ minLength: 1, description: 'File that tasuki backup wrote.' }) }),
  positional: ['file'],
  async run(env, { file }) {
    const info = await stat(file).catch((error: unknown) => refuseUnreadable(file, error))
    // It is read twice, and opening a pipe would wait for a writer.
    if (!info.isFile()) throw new HostError(`${file} is not a file that tasuki backup wrote`)
    const registry = await registryOf(env)
    const secret = await readSecret(env.secretKey, env.dataDir)
    const options = { ...(await hostOptionsFrom(env)), fastifyPlugins: [], secret, logger: false as const }
    requireEmptyFolder(options)
    const plugins = await installedPlugins(options)
    const { key, version, created_at: at } = await readArchive(file, source => verifyArchive(source, plugins))
    const { rows, files, left } = await readArchive(file, source =>
      loadInto(options, { source, compressed: true, plugins, files: filesOfPlugins(registry, resolve(env.dataDir)) }),
    )
    const lines = [
      `Restored ${formatCount(rows, 'row')} and ${formatCount(files, 'file')}, as they were at ${at} (tasuki ${version}).`,
      ...describeSkipped(left),
      ...(key === fingerprint(secret) ? [] : [otherKey(env.secretKey !== null, env.dataDir)]),
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
  },
})

async function readArchive<T>(file: string, use: (source: ReadStream) => Promise<T>): Promise<T> {
  const source = createReadStream(file)
  return use(source).catch((error: unknown) => {
    // What fails later, such as unpacking, also ends the stream.
    if (source.errored && 'syscall' in source.errored) refuseUnreadable(file, source.errored)
    throw error
  })
}

function refuseUnreadable(file: string, error: unknown): never {
  const { code = '', message } = error as NodeJS.ErrnoException
  const why = { ENOENT: 'it is not there', EACCES: 'this user may not read it' }[code] ?? message
  throw new HostError(`${file} cannot be read: ${why}`)
}

function otherKey(set: boolean, dataDir: string): string {
  const where = set ? 'SECRET_KEY' : resolve(dataDir, KEY_FILE)
  return (
    `Before the first start, put the key of the deployment that was backed up into ${where}: with another one apps have to be ` +
    'connected again, and what is encrypted, such as secrets of webhooks and of authenticator apps, cannot be read.'
  )
}
