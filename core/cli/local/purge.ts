import { Type } from '@sinclair/typebox'
import { resolve } from 'node:path'
import type { Database } from '../../db/database.ts'
import { requireMigrated } from '../../db/migrate.ts'
import { loadConfig, parseObject } from '../../host/config/load.ts'
import { loadOffPlugins } from '../../host/config/plugins.ts'
import type { Db } from '../../plugin/context.ts'
import { MINUTE_MS } from '../../plugin/durations.ts'
import { HostError } from '../../plugin/errors.ts'
import type { ExternalData, PluginSpec } from '../../plugin/plugin.ts'
import { deletePlugin, lockPlugins, readPlugins } from '../../runtime/plugin.repository.ts'
import { checkSettings } from '../../runtime/registry/settings.ts'
import { configFolder, requireDatabase } from '../../host/start.ts'
import { registryOf } from '../call-command.ts'
import { sendCommand } from '../control-client.ts'
import { openUnmigrated } from '../../host/open-database.ts'
import { formatTable } from '../table.ts'
import { localCommand } from './local-command.ts'
import { countRows, dropSchema, findReferrers } from './schema.repository.ts'

export const purge = localCommand({
  name: 'purge',
  summary:
    'Delete all data of a disabled plugin, including its files. Without --yes it only says what would be deleted.',
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
    if (plugins.some(spec => spec.name === plugin))
      throw new HostError(`${plugin} is on in the config; switch it off there and restart the service first`)
    const allOff = await loadOffPlugins(await loadConfig(env.configFile), configFolder(env))
    const disabledPlugin = allOff.find(({ spec }) => spec.name === plugin)
    requireDatabase(env)
    if (await sendCommand(env, 'user list', {}))
      throw new HostError('the service is running on this database; stop it, purge, and start it again')
    const database = await openUnmigrated(env, MINUTE_MS)
    try {
      await requireMigrated(database.write, plugins)
      const external = await database.write.transaction().execute(async db => {
        await lockPlugins(db)
        const elsewhere = disabledPlugin
          ? await readExternalData(disabledPlugin.spec, settings, { db, dataDir: env.dataDir })
          : null
        await purgeTables(db, plugin, database.engine, elsewhere, yes === true)
        return elsewhere
      })
      if (yes) await removeExternalData(plugin, external)
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
  const parsed = parseObject(settings)
  if (parsed === null) throw new HostError('--settings is no JSON object')
  const checked = checkSettings(spec, parsed)
  return spec.externalData({ db, config: () => checked as never, deployment: { dataDir: resolve(dataDir) } })
}

/** Deletes external data after the tables are dropped: files without rows can be found again, but rows without files would be broken. */
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
  // An earlier purge may have been interrupted after it dropped the tables.
  if (!(await checkOff(db, plugin, engine, external !== null))) {
    process.stdout.write(`${plugin} has no tables any more, but ${external!.text}.\n`)
    if (!yes) process.stdout.write(`To delete them for good: tasuki purge ${plugin} --yes\n`)
    return
  }
  const counts = await countRows(db, plugin)
  const others = await findReferrers(db, plugin)
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
  await dropSchema(db, plugin)
  await deletePlugin(db, plugin)
  process.stdout.write(`Deleted ${plugin}. When it is switched on again, it starts empty.\n`)
}

/** @returns whether the plugin has tables. @throws HostError if it has no data here, or an instance runs it */
async function checkOff(db: Db, plugin: string, engine: Database['engine'], leftovers: boolean): Promise<boolean> {
  const rows = await readPlugins(db)
  const found = rows.find(row => row.name === plugin)
  if (!found && leftovers) return false
  if (!found) {
    const disabledNames = rows.filter(row => !row.enabled).map(row => row.name)
    const rest =
      disabledNames.length === 0
        ? 'no plugin that is off has any'
        : `plugins that are off and have: ${disabledNames.join(', ')}`
    throw new HostError(`${plugin} has no data here; ${rest}`)
  }
  // This process has opened the embedded database, so no other process uses it.
  if (found.enabled && engine === 'postgres')
    throw new HostError(`${plugin} was on when the service last started; start it once with ${plugin} off, then purge`)
  return true
}
