import { Type } from '@sinclair/typebox'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { databaseFolder, type Environment } from '../../host/config/environment.ts'
import { loadConfig } from '../../host/config/load.ts'
import { artifactKey, compareKeys, KEYS_OF_ANOTHER_SECRET } from '../../identity/oauth/keys.ts'
import { KEY_FILE, readSecret } from '../../identity/signing-key.ts'
import { findUsers } from '../../identity/user.repository.ts'
import { pendingSchemaChanges } from '../../db/drift.ts'
import { compareMigrations, describeNewerDatabase, readMigrations } from '../../db/migrate.ts'
import { checkFolder } from '../../db/pglite/folder-lock.ts'
import { findExposedPaths } from '../../db/pglite/private-folder.ts'
import { findServerProblem, knowsJapanese, mayCreateSchemas } from '../../db/server.ts'
import type { Database } from '../../db/database.ts'
import type { Db } from '../../plugin/context.ts'
import { HostError } from '../../plugin/errors.ts'
import { formatCount } from '../../plugin/format-count.ts'
import { PLACEHOLDER_EMAIL } from '../../plugin/users.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import { describeWarnings, privatePaths } from '../../host/start.ts'
import { registryOf } from '../call-command.ts'
import { sendCommand } from '../control-client.ts'
import { openUnmigrated } from '../../host/open-database.ts'
import { formatError } from '../format-error.ts'
import { localCommand } from './local-command.ts'
import type { Registry } from '../../runtime/registry/types.ts'
import { addressesOf } from '../listen.ts'
import {
  checkAddress,
  checkClock,
  checkExternalServices,
  checkFolderWritable,
  checkLatency,
  checkMemory,
  ATTEMPT_MS,
  note,
  ok,
  wrong,
  type Finding,
} from './environment-checks.ts'

/** Labels of equal width. */
const LABELS: Readonly<Record<Finding['state'], string>> = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' }

export const doctor = localCommand({
  name: 'doctor',
  summary:
    'Check this machine, the config, the database and the external services in the config, and say what to fix. It changes nothing.',
  args: Type.Object({}),
  async run(env) {
    const addresses = await Promise.all(addressesOf(env).map(checkAddress))
    const findings = [ok(`Node ${process.versions.node}`), checkMemory(env), ...addresses.flat()]
    const registry = await registryOf(env).catch((error: unknown) => {
      findings.push(wrong(`config: ${formatError(error)}`))
    })
    if (registry)
      findings.push(
        ...describeConfig(env, registry),
        ...(await checkFolders(env, registry.plugins)),
        ...(await attempt('database', () => checkDatabase(env, registry.plugins))),
        ...(await describeWarnings(env)).map(note),
        ...checkFileModes(env, registry.plugins),
        ...(await attempt('services', () => checkExternalServices(registry))),
      )
    for (const { state, what } of findings) process.stdout.write(`${LABELS[state]} ${what}\n`)
    if (!registry) process.stdout.write('The database was not looked at.\n')
    return findings.every(({ state }) => state !== 'wrong') ? 0 : 1
  },
})

async function attempt(what: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [wrong(`${what}: ${formatError(error)}`)]
  }
}

function describeConfig(env: Environment, { plugins, tools, skipped }: Registry): Finding[] {
  return [
    ok(`config: ${formatCount(plugins.length, 'plugin')}, ${formatCount(tools.size, 'tool')}`),
    ...skipped.map(line => ok(`not used, because its target is off: ${line}`)),
    describeKey(env),
  ]
}

function describeKey({ secretKey, dataDir }: Environment): Finding {
  if (secretKey) return ok('SECRET_KEY is set')
  const file = resolve(dataDir, KEY_FILE)
  const shared = 'instances that share a database need the same SECRET_KEY'
  if (existsSync(file)) return ok(`signing key in ${file} (${shared})`)
  return note(`signing key: there is no ${file} yet; the first start makes it (${shared})`)
}

async function checkFolders(env: Environment, plugins: readonly PluginSpec[]): Promise<Finding[]> {
  const { folder } = (await loadConfig(env.configFile)).backups
  const hasKey = env.secretKey !== null || existsSync(resolve(env.dataDir, KEY_FILE))
  const storesFiles = plugins.some(({ archivedFiles }) => archivedFiles !== undefined)
  const writesData = env.databaseUrl === null || !hasKey || storesFiles
  return [
    ...(writesData ? await checkFolderWritable('DATA_DIR', env.dataDir) : []),
    ...(folder === undefined ? [] : await checkFolderWritable('backups.folder', resolve(env.dataDir, folder))),
  ]
}

async function checkDatabase(env: Environment, plugins: readonly PluginSpec[]): Promise<Finding[]> {
  const engine = env.databaseUrl ? 'PostgreSQL' : `embedded database in ${env.dataDir}`
  const users = await sendCommand(env, 'user list', {})
  if (users) {
    const hasPlaceholder = users.rows?.some(row => row['email'] === PLACEHOLDER_EMAIL) ?? false
    return [ok(`${engine}: a server is running and answers`), ...(hasPlaceholder ? [placeholderOwner] : [])]
  }
  if (env.databaseUrl === null && checkFolder(databaseFolder(env)))
    return [note(`${engine}: there is none yet; the first start makes it`)]
  const database = await openUnmigrated(env, ATTEMPT_MS, plugins)
  try {
    const problem = database.embedded ? null : await findServerProblem(database.write)
    if (problem !== null) return [wrong(`${engine}: ${problem}`)]
    return [
      ...(await inspectDatabase(env, engine, database, plugins)),
      ...(env.replicaUrl === null ? [] : await attempt('replica', () => checkReplica(database))),
    ]
  } finally {
    await database.close()
  }
}

async function inspectDatabase(
  env: Environment,
  engine: string,
  database: Database,
  plugins: readonly PluginSpec[],
): Promise<Finding[]> {
  const db = database.write
  const { pending, unknown, tooNew } = await compareMigrations(db, plugins)
  if (tooNew.length > 0) throw new HostError(describeNewerDatabase(tooNew))
  const found = await db.selectNoFrom(({ fn }) => fn<string>('version').as('version')).executeTakeFirstOrThrow()
  const [version = ''] = found.version.split(' on ', 1)
  if (pending.length > 0) {
    const lacks = `the user of DATABASE_URL may not create schemas, which ${pending[0]} needs: let it own the database`
    if (!(await mayCreateSchemas(db))) return [wrong(`${engine}: ${lacks}`)]
    const what = `${engine}: ${version}; the next start runs ${formatCount(pending.length, 'migration')}${pending.length > 1 ? ', the first is' : ':'} ${pending[0]}; make a backup before`
    return [note(what)]
  }
  const newer = `; a newer version has added ${formatCount(unknown.length, 'migration')}, with which this one works: upgrade it too`
  const what = `${engine}: ${version}, migrations done${unknown.length === 0 ? '' : newer}`
  return [
    ...(unknown.length === 0 ? [ok(what), ...(await compareTables(database))] : [note(what)]),
    ...(await findUsers({ db }, PLACEHOLDER_EMAIL)).map(() => placeholderOwner),
    ...(await checkKeys(env, db)),
    await checkJapanese(db),
    ...(await checkLatency(db)),
    await checkClock(db),
  ]
}

/** Calls that name a column which no migration adds would fail. */
async function compareTables(database: Database): Promise<Finding[]> {
  const [first] = await pendingSchemaChanges(database)
  if (first === undefined) return []
  const hint = 'if you changed entities, write the migration: tasuki migration new <plugin> <what>'
  return [note(`the tables differ from the entities of the plugins; ${hint}. First: ${first}`)]
}

/** A replica of another database, or one that does not follow, would answer with other data. */
async function checkReplica({ read, write }: Database): Promise<Finding[]> {
  const [there, here] = await Promise.all([readMigrations(read), readMigrations(write)])
  const missing = [...here].find(name => !there.has(name))
  const lacks = `the database of DATABASE_REPLICA_URL lacks ${missing}: it does not follow that of DATABASE_URL, or is no replica of it`
  return [missing === undefined ? ok('replica: it answers') : wrong(`replica: ${lacks}`)]
}

const placeholderOwner = note(
  `the owner is still ${PLACEHOLDER_EMAIL}, to whom nobody can write: tasuki user set-email ${PLACEHOLDER_EMAIL} <address>`,
)

async function checkKeys(env: Environment, db: Db): Promise<Finding[]> {
  const state = await compareKeys(db, artifactKey(await readSecret(env.secretKey, env.dataDir)), new Date())
  if (state === 'mismatch') return [wrong(KEYS_OF_ANOTHER_SECRET)]
  return state === 'same'
    ? []
    : [note('the database also has keys of another SECRET_KEY, with which it was used before')]
}

async function checkJapanese(db: Db): Promise<Finding> {
  return (await knowsJapanese(db))
    ? ok('its locale can search Japanese')
    : wrong('its locale cannot search Japanese: create the database with LC_CTYPE C.UTF-8 or another UTF-8 locale')
}

/** Finds database, data and key files that other users of this machine can access. */
function checkFileModes(env: Environment, plugins: readonly PluginSpec[]): Finding[] {
  const names = plugins.map(({ name }) => name)
  return findExposedPaths(privatePaths(env, names)).map(path =>
    wrong(
      `${path} is open to other users of this machine: start the service, which closes it, or run: chmod -R go= ${path}`,
    ),
  )
}
