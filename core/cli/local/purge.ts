import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { resolve } from 'node:path'
import type { Database } from '../../db/database.ts'
import { requireMigrated } from '../../db/migrate.ts'
import { loadConfig } from '../../host/config/load.ts'
import { loadOffPlugins } from '../../host/config/plugins.ts'
import type { Db } from '../../plugin/context.ts'
import { HostError } from '../../plugin/errors.ts'
import type { ExternalData, PluginSpec } from '../../plugin/plugin.ts'
import { checkSettings } from '../../runtime/registry/settings.ts'
import { configFolder, requireDatabase } from '../../host/start.ts'
import { registryOf } from '../call-command.ts'
import { sendCommand } from '../control.ts'
import { openAsItIs } from '../open-database.ts'
import { formatTable } from '../table.ts'
import { localCommand } from './local-command.ts'

export const purge = localCommand({
  name: 'purge',
  summary: 'Delete all data of a plugin that is off, also its files. Without --yes it only says what would go.',
  args: Type.Object({
    plugin: Type.String({ minLength: 1, description: 'Name of the plugin, as in tasuki plugins.' }),
    yes: Type.Optional(Type.Boolean({ description: 'Delete it now. There is no way back but a backup.' })),
    settings: Type.Optional(
      Type.String({
        description: 'JSON of the settings that it had, where they tell where its files are, for example {"s3":{…}}.',
      }),
    ),
  }),
  positional: ['plugin'],
  async run(env, { plugin, yes, settings = '{}' }) {
    const { plugins } = await registryOf(env)
    if (plugins.some(spec => spec.name === plugin)) {
      throw new HostError(`${plugin} is on in the config; switch it off there and restart the service first`)
    }
    const allOff = await loadOffPlugins(await loadConfig(env.configFile), configFolder(env))
    const off = allOff.find(({ spec }) => spec.name === plugin)
    requireDatabase(env)
    if (await sendCommand(env, 'user list', {})) {
      throw new HostError('the service is running on this database; stop it, purge, and start it again')
    }
    const database = await openAsItIs(env)
    try {
      await requireMigrated(database.write, plugins)
      const external = await database.write.transaction().execute(async db => {
        // The lock of the boot: no instance may switch plugins on meanwhile.
        await sql`lock table core.plugins in exclusive mode`.execute(db)
        const elsewhere = off ? await readExternalData(off.spec, settings, { db, dataDir: env.dataDir }) : null
        await purgeTables(db, plugin, database.engine, elsewhere, yes === true)
        return elsewhere
      })
      if (yes) await removeExternalData(plugin, external)
      return 0
    } finally {
      await database.close()
    }
  },
})

async function readExternalData(
  spec: PluginSpec,
  settings: string,
  { db, dataDir }: { readonly db: Db; readonly dataDir: string },
): Promise<ExternalData | null> {
  if (!spec.externalData) return null
  const given: unknown = parseJson(settings)
  if (typeof given !== 'object' || given === null) throw new HostError('--settings is no JSON object')
  const checked = checkSettings(spec, given)
  return spec.externalData({ db, config: () => checked as never, deployment: { dataDir: resolve(dataDir) } })
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** Deletes external data once the tables are gone for good: files without rows can be found again, rows without files could not. */
async function removeExternalData(plugin: string, external: ExternalData | null): Promise<void> {
  if (!external) return
  try {
    await external.remove()
  } catch (error) {
    throw new HostError(
      `the tables of ${plugin} are gone, but not all of ${external.text}: ${(error as Error).message}; purge it again`,
      { cause: error },
    )
  }
  process.stdout.write(`Deleted ${external.text}.\n`)
}

async function purgeTables(
  db: Db,
  plugin: string,
  engine: Database['engine'],
  external: ExternalData | null,
  yes: boolean,
): Promise<void> {
  // An earlier purge may have been cut short between the tables and the rest.
  if (!(await checkOff(db, plugin, engine, external !== null))) {
    process.stdout.write(`${plugin} has no tables any more, but ${external!.text}.\n`)
    if (!yes) process.stdout.write(`To delete them for good: tasuki purge ${plugin} --yes\n`)
    return
  }
  const counts = await rowCounts(db, plugin)
  const others = await referrers(db, plugin)
  process.stdout.write(`${await formatTable(counts.map(({ name, rows }) => ({ table: `${plugin}.${name}`, rows })))}\n`)
  if (external) process.stdout.write(`and ${external.text}\n`)
  if (others.length > 0) {
    const list = others.join(', ')
    throw new HostError(`the tables of ${list} refer to those of ${plugin}; purge ${list} first, or keep ${plugin}`)
  }
  if (!yes) {
    process.stdout.write(`Nothing else refers to them. To delete them for good: tasuki purge ${plugin} --yes\n`)
    return
  }
  await sql`drop schema if exists ${sql.id(plugin)} cascade`.execute(db)
  await sql`delete from core.migrations where split_part(name, '/', 1) = ${plugin}`.execute(db)
  await sql`delete from core.plugins where name = ${plugin}`.execute(db)
  process.stdout.write(`Deleted ${plugin}. When it is switched on again, it starts empty.\n`)
}

/** @returns whether there are tables. @throws HostError when there is nothing of the plugin here, or some instance runs it. */
async function checkOff(db: Db, plugin: string, engine: Database['engine'], leftovers: boolean): Promise<boolean> {
  const { rows } = await sql<{ name: string; enabled: boolean }>`select name, enabled from core.plugins`.execute(db)
  const found = rows.find(row => row.name === plugin)
  if (!found && leftovers) return false
  if (!found) {
    const off = rows.filter(row => !row.enabled).map(row => row.name)
    const rest = off.length === 0 ? 'no plugin that is off has any' : `plugins that are off and have: ${off.join(', ')}`
    throw new HostError(`${plugin} has no data here; ${rest}`)
  }
  // The embedded database is open here, so nobody else runs on it.
  if (found.enabled && engine === 'postgres') {
    throw new HostError(`${plugin} was on when the service last started; start it once with ${plugin} off, then purge`)
  }
  return true
}

async function rowCounts(db: Db, schema: string): Promise<{ name: string; rows: number }[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p') order by c.relname
  `.execute(db)
  const counts = []
  for (const { name } of tables) {
    const { rows } = await sql<{ rows: number }>`select count(*)::int as rows from ${sql.id(schema, name)}`.execute(db)
    counts.push({ name, rows: rows[0]!.rows })
  }
  return counts
}

/** Schemas whose tables have foreign keys to those of this one; dropping it would leave them pointing at nothing. */
async function referrers(db: Db, schema: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct theirs.nspname as name
    from pg_constraint k
      join pg_class c on c.oid = k.conrelid join pg_namespace theirs on theirs.oid = c.relnamespace
      join pg_class f on f.oid = k.confrelid join pg_namespace ours on ours.oid = f.relnamespace
    where k.contype = 'f' and ours.nspname = ${schema} and theirs.nspname <> ${schema} order by 1
  `.execute(db)
  return rows.map(row => row.name)
}
