import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import { overwrite } from '../plugin/overwrite.ts'
import { insertRecords } from '../plugin/recordset.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import { ownerOf } from './migrations-of.ts'
import { VERSION } from '../plugin/version.ts'

/**
 * Oldest version of the program that works with the current tables of core. A release raises it when its migration removes something that
 * older versions use.
 */
const CORE_COMPATIBLE_FROM = '0.1.0'

type Versions = Pick<PluginSpec, 'name' | 'version' | 'compatibleFrom'>

/** Stores the oldest compatible version for each migration that has just run. */
export async function storeCompatibility(
  db: Db,
  plugins: readonly Versions[],
  migrations: readonly string[],
): Promise<void> {
  const oldest = new Map(plugins.map(({ name, version, compatibleFrom = version }) => [name, compatibleFrom]))
  oldest.set('core', CORE_COMPATIBLE_FROM)
  const rows = migrations.map(name => ({ migration: name, compatible_from: oldest.get(ownerOf(name)) ?? VERSION }))
  if (rows.length === 0) return
  await insertRecords(db, 'core.migration_compatibility', rows)
    .onConflict(overwrite(['migration'], ['compatible_from']))
    .execute()
}

/** A migration that this program does not support, with the required version; null if the version is unknown. */
export interface IncompatibleMigration {
  readonly migration: string
  readonly needs: string | null
}

/** Finds which of the migrations unknown to this program are incompatible with it. */
export async function findIncompatible(
  db: Db,
  plugins: readonly Versions[],
  unknown: readonly string[],
): Promise<readonly IncompatibleMigration[]> {
  if (unknown.length === 0) return []
  const { rows } = await sql<{ migration: string; compatible_from: string }>`
    select migration, compatible_from from core.migration_compatibility where migration in (${sql.join(unknown)})
  `.execute(db)
  const oldestVersions = new Map(rows.map(row => [row.migration, row.compatible_from]))
  const versions = new Map(plugins.map(({ name, version }) => [name, version]))
  const { gte, valid } = (await import('semver')).default
  return unknown.flatMap(migration => {
    const needs = oldestVersions.get(migration) ?? null
    const owner = ownerOf(migration)
    const version = owner === 'core' ? VERSION : versions.get(owner)
    const works = needs !== null && version !== undefined && valid(needs) && valid(version) && gte(version, needs)
    return works ? [] : [{ migration, needs }]
  })
}
