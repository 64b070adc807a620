import { Type } from '@sinclair/typebox'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, extname, isAbsolute, join, parse, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../host/config/environment.ts'
import { loadConfig } from '../../host/config/load.ts'
import { loadPlugins, requireListedMigrations } from '../../host/config/plugins.ts'
import type { Config } from '../../host/config/schema.ts'
import { pendingSchemaChanges } from '../../db/drift.ts'
import { migrate } from '../../db/migrate.ts'
import { HostError } from '../../plugin/errors.ts'
import { compile } from '../../runtime/registry/compile.ts'
import { configFolder } from '../../host/start.ts'
import { quietLog } from '../../host/quiet-log.ts'
import { localCommand } from './local-command.ts'

export const migrationNew = localCommand({
  name: 'migration new',
  summary: 'Write the migration that adapts the tables of a plugin to its entities. Review it before you commit it.',
  args: Type.Object({
    plugin: Type.String({ minLength: 1, description: 'Name of the plugin; it may be off in the config.' }),
    what: Type.String({
      pattern: '^[a-z][a-z0-9_]*$',
      description: 'What it does, in snake_case; goes into the name.',
    }),
  }),
  positional: ['plugin', 'what'],
  async run(env, { plugin: name, what }) {
    const { specs, entry } = await everyPlugin(env, name)
    const folder = migrationsFolder(name, entry)
    const spec = specs.find(each => each.name === name)
    if (spec) await requireListedMigrations(dirname(folder), spec)
    const { openEmbeddedDatabase } = await import('../../db/embedded.ts')
    const database = await openEmbeddedDatabase({ dataDir: null, queryTimeout: 60_000, plugins: specs, log: quietLog })
    try {
      await migrate(database, specs)
      const changes = (await pendingSchemaChanges(database)).filter(statement =>
        new RegExp(`\\b"?${name}"?\\.`).test(statement),
      )
      if (changes.length === 0) {
        process.stdout.write(`The tables of ${name} agree with its entities; there is nothing to write.\n`)
        return
      }
      await mkdir(folder, { recursive: true })
      const number = (await readdir(folder)).filter(file => /^\d{4}_/.test(file)).length + 1
      const extension = entry === null ? '.ts' : extname(entry)
      const file = join(folder, `${String(number).padStart(4, '0')}_${what}${extension}`)
      await writeFile(file, migrationFile(changes, name === 'core'))
      const listed = name !== 'core' && (await listMigration(folder, file))
      process.stdout.write(
        listed
          ? `Wrote ${file}, and listed it in index${extension}. Read it before you commit it.\n`
          : `Wrote ${file}. Add it to the migrations of the plugin, and read it.\n`,
      )
      if (changes.some(statement => /\b(drop|rename)\b/i.test(statement)))
        process.stdout.write(
          'It drops or renames what older versions may use: raise compatibleFrom to the first that does not.\n',
        )
    } finally {
      await database.close()
    }
  },
})

/** The file that lists the migrations, as `plugin new` writes it. */
const LIST = /^export const migrations = \{([^{}]*)\}\s*$/
const LISTED = /^'\d{4}_\w+': \(\) => import\('[^']+'\)$/

/** Adds a migration to the list in the folder. @returns false if it is written otherwise */
async function listMigration(folder: string, file: string): Promise<boolean> {
  const { name, ext } = parse(file)
  const index = join(folder, `index${ext}`)
  const list = LIST.exec(await readFile(index, 'utf8').catch(() => ''))?.[1]
  const entries = list?.split(',').flatMap(entry => entry.trim() || []) ?? []
  if (list === undefined || !entries.every(entry => LISTED.test(entry))) return false
  const lines = [...entries, `'${name}': () => import('./${name}${ext}')`].map(entry => `  ${entry},\n`)
  await writeFile(index, `export const migrations = {\n${lines.join('')}}\n`)
  return true
}

/** Compiles all configured plugins, including disabled ones, and finds the source file of the given plugin if it is not built-in. */
async function everyPlugin(env: Environment, name: string) {
  const config = await loadConfig(env.configFile)
  const plugins: Config['plugins'] = Object.fromEntries(
    Object.entries(config.plugins).map(([key, options]) => [key, options || {}]),
  )
  const folder = configFolder(env)
  const loaded = await loadPlugins({ ...config, plugins }, folder)
  const { plugins: specs } = compile(
    loaded.map(({ plugin, options }) => ({ spec: plugin.spec, options })),
    config.profiles,
  )
  const found = loaded.find(({ plugin }) => plugin.spec.name === name)
  if (!found && name !== 'core')
    throw new HostError(`there is no plugin ${name} in the config; it has ${specs.map(spec => spec.name).join(', ')}`)
  return { specs, entry: !found || /^\w+$/.test(found.name) ? null : sourceOf(found.name, name, folder) }
}

function sourceOf(key: string, name: string, folder: string): string {
  if (key.startsWith('.') || isAbsolute(key)) return resolve(folder, key)
  throw new HostError(
    `${name} comes from the package ${key}: run this where its sources are, with a config that names them by path: { "plugins": { "./index.js": {} } }`,
  )
}

function migrationsFolder(name: string, entry: string | null): string {
  if (entry !== null) return join(dirname(entry), 'migrations')
  const folder = name === 'core' ? '../../db/migrations/' : `../../../plugins/${name}/migrations/`
  if (!existsSync(new URL('./migration.ts', import.meta.url)))
    throw new HostError(`${name} is part of this package; its migrations are written in a checkout of it`)
  return fileURLToPath(new URL(folder, import.meta.url))
}

function migrationFile(statements: readonly string[], core: boolean): string {
  const lines = statements.map(statement => `  ${statement.replace(/;$/, '').replace(/[`\\]|\$\{/g, '\\$&')};`)
  return `import { defineMigration } from '${core ? '../../plugin/define-migration.ts' : 'tasuki/entities'}'

export const migration = defineMigration(\`
${lines.join('\n')}
\`)
`
}
