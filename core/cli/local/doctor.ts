import { Type } from '@sinclair/typebox'
import { databaseFolder, type Environment } from '../../host/config/environment.ts'
import { compareMigrations, describeNewerDatabase } from '../../db/migrate.ts'
import { hasCluster } from '../../db/pglite/preopen.ts'
import { findExposedPaths } from '../../db/pglite/private-folder.ts'
import { knowsJapanese } from '../../db/server.ts'
import type { Db } from '../../plugin/context.ts'
import { HostError } from '../../plugin/errors.ts'
import { PLACEHOLDER_EMAIL } from '../../plugin/users.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import { describeUnusedDatabase, privatePaths } from '../../host/start.ts'
import { registryOf } from '../call-command.ts'
import { sendCommand } from '../control-client.ts'
import { openUnmigrated } from '../open-database.ts'
import { formatError } from '../format-error.ts'
import { localCommand } from './local-command.ts'
import { checkExternalServices, checkClock, checkMemory, type Finding } from './environment-checks.ts'

/** Labels of equal width. */
const LABELS: Readonly<Record<Finding['state'], string>> = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' }

export const doctor = localCommand({
  name: 'doctor',
  summary:
    'Check this machine, the config, the database and the external services in the config, and say what to fix. It changes nothing.',
  args: Type.Object({}),
  async run(env) {
    const config = await attempt('config', () => checkConfig(env))
    const isUsable = config.every(isFine)
    const findings = [
      checkRuntime(),
      checkMemory(env),
      ...config,
      ...(isUsable ? await attempt('database', () => checkDatabase(env)) : []),
      ...(isUsable ? await attempt('services', async () => checkExternalServices(await registryOf(env))) : []),
    ]
    for (const { state, what } of findings) process.stdout.write(`${LABELS[state]} ${what}\n`)
    if (!isUsable) process.stdout.write('The database was not looked at.\n')
    return findings.every(isFine) ? 0 : 1
  },
})

const isFine = ({ state }: Finding): boolean => state !== 'wrong'

async function attempt(what: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [{ state: 'wrong', what: `${what}: ${formatError(error)}` }]
  }
}

function checkRuntime(): Finding {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major >= 24) return { state: 'ok', what: `Node ${process.versions.node}` }
  return { state: 'wrong', what: `Node ${process.versions.node}: 24 or later is needed` }
}

async function checkConfig(env: Environment): Promise<Finding[]> {
  const { plugins, tools, skipped } = await registryOf(env)
  return [
    { state: 'ok', what: `config: ${plugins.length} plugins, ${tools.size} tools` },
    ...skipped.map(line => ({ state: 'ok' as const, what: `not used, because its target is off: ${line}` })),
    {
      state: 'ok',
      what: env.secretKey
        ? 'SECRET_KEY is set'
        : `signing key in ${env.dataDir}/secret.key (instances that share a database need the same SECRET_KEY)`,
    },
  ]
}

async function checkDatabase(env: Environment): Promise<Finding[]> {
  const unusedDatabase = describeUnusedDatabase(env)
  const otherFindings: Finding[] = [
    ...(unusedDatabase === null ? [] : [{ state: 'note' as const, what: unusedDatabase }]),
    ...(await checkFileModes(env)),
  ]
  const engine = env.databaseUrl ? 'PostgreSQL' : `embedded database in ${env.dataDir}`
  const users = await sendCommand(env, 'user list', {})
  if (users) {
    const hasPlaceholder = users.rows?.some(row => row['email'] === PLACEHOLDER_EMAIL) ?? false
    return [
      { state: 'ok', what: `${engine}: a server is running and answers` },
      ...(hasPlaceholder ? [placeholderOwner] : []),
      ...otherFindings,
    ]
  }
  if (env.databaseUrl === null && !hasCluster(databaseFolder(env)))
    return [{ state: 'note', what: `${engine}: there is none yet; the first start makes it` }, ...otherFindings]
  const { plugins } = await registryOf(env)
  const opened = await openUnmigrated(env)
  try {
    return [...(await inspectDatabase(engine, opened.read, plugins)), ...otherFindings]
  } finally {
    await opened.close()
  }
}

async function inspectDatabase(engine: string, db: Db, plugins: readonly PluginSpec[]): Promise<Finding[]> {
  const { pending, unknown, tooNew } = await compareMigrations(db, plugins)
  if (tooNew.length > 0) throw new HostError(describeNewerDatabase(tooNew))
  const found = await db.selectNoFrom(({ fn }) => fn<string>('version').as('version')).executeTakeFirstOrThrow()
  const [version = ''] = found.version.split(' on ', 1)
  if (pending.length > 0) {
    const what = `${engine}: ${version}; the next start runs ${pending.length} migrations, the first is ${pending[0]}: make a backup before`
    return [{ state: 'note', what }]
  }
  const newer = `; a newer version has added ${unknown.length} migrations, which leave this one working: upgrade it too`
  const what = `${engine}: ${version}, migrations done${unknown.length === 0 ? '' : newer}`
  return [
    { state: unknown.length === 0 ? 'ok' : 'note', what },
    ...((await isUser(db, PLACEHOLDER_EMAIL)) ? [placeholderOwner] : []),
    await checkJapanese(db),
    await checkClock(db),
  ]
}

const placeholderOwner: Finding = {
  state: 'note',
  what: `the owner is still ${PLACEHOLDER_EMAIL}, to whom nobody can write: tasuki user set-email ${PLACEHOLDER_EMAIL} <address>`,
}

async function isUser(db: Db, email: string): Promise<boolean> {
  return (await db.selectFrom('core.users').select('id').where('email', '=', email).executeTakeFirst()) !== undefined
}

async function checkJapanese(db: Db): Promise<Finding> {
  if (await knowsJapanese(db)) return { state: 'ok', what: 'its locale can search Japanese' }
  const what = 'its locale cannot search Japanese: create the database with LC_CTYPE C.UTF-8 or another UTF-8 locale'
  return { state: 'wrong', what }
}

/** Finds database, data and key files that other users of this machine can access. */
async function checkFileModes(env: Environment): Promise<Finding[]> {
  const { plugins } = await registryOf(env)
  const paths = privatePaths(
    env,
    plugins.map(({ name }) => name),
  )
  return findExposedPaths(paths).map(path => ({
    state: 'wrong',
    what: `${path} is open to other users of this machine: start the service, which closes it, or run: chmod -R go= ${path}`,
  }))
}
