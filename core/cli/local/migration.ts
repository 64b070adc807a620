import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { loadConfig } from '../../config/load.ts'
import { loadPlugins } from '../../config/plugins.ts'
import { openEmbeddedDatabase } from '../../db/embedded.ts'
import { pendingSchemaChanges } from '../../db/drift.ts'
import { migrate } from '../../db/migrate.ts'
import { HostError } from '../../plugin/errors.ts'
import { compile } from '../../registry/compile.ts'
import { configFolder } from '../../start.ts'
import type { LocalCommand } from './local-command.ts'

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export const migrationNew: LocalCommand = {
  name: 'migration new',
  usage: 'migration new <plugin> <what>',
  summary: 'Write the migration that brings the tables of a plugin to its entities. Read it before you commit it.',
  async run(env, [name, what]) {
    if (!name || !what || !/^[a-z][a-z0-9_]*$/.test(what))
      throw new HostError('tasuki migration new <plugin> <what_in_snake_case>')
    const config = await loadConfig(env.configFile)
    const added = await loadPlugins(
      {
        ...config,
        plugins: Object.fromEntries(Object.keys(config.plugins).map(key => [key, config.plugins[key] || {}])),
      },
      configFolder(env),
    )
    const { plugins } = compile(
      added.map(({ plugin, options }) => ({ spec: plugin.spec, options })),
      { profiles: config.profiles },
    )
    const database = await openEmbeddedDatabase({ dataDir: null, queryTimeout: 60_000, plugins, log: quiet })
    try {
      await migrate(database, plugins)
      const changes = (await pendingSchemaChanges(database)).filter(statement =>
        new RegExp(`\\b"?${name}"?\\.`).test(statement),
      )
      if (changes.length === 0) {
        process.stdout.write(`The tables of ${name} agree with its entities; there is nothing to write.\n`)
        return 0
      }
      const folder = new URL(
        name === 'core' ? '../../db/migrations/' : `../../../plugins/${name}/migrations/`,
        import.meta.url,
      )
      await mkdir(folder, { recursive: true })
      const number = (await readdir(folder)).filter(file => /^\d{4}_/.test(file)).length + 1
      const file = new URL(`${String(number).padStart(4, '0')}_${what}.ts`, folder)
      await writeFile(file, migrationFile(what, changes, name === 'core'))
      process.stdout.write(`Wrote ${file.pathname}. Add it to the plugin's migrations and read it.\n`)
      return 0
    } finally {
      await database.close()
    }
  },
}

function migrationFile(what: string, statements: readonly string[], core: boolean): string {
  const className = what.replace(/(^|_)([a-z])/g, (_match, _gap, letter: string) => letter.toUpperCase())
  const lines = statements.map(
    statement =>
      `    this.addSql(${JSON.stringify(statement.replace(/;$/, '')).replaceAll('\\"', '"').replace(/^"|"$/g, '`')})`,
  )
  return `import { Migration } from '${core ? '@mikro-orm/migrations' : 'tasuki/plugin'}'\n\nexport class ${className} extends Migration {\n  override up(): void {\n${lines.join('\n')}\n  }\n}\n`
}
