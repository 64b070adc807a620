import { Type } from '@sinclair/typebox'
import { migrate as runMigrations, findPendingMigrations } from '../../db/migrate.ts'
import { hostOptionsFrom, requireDatabase } from '../../host/start.ts'
import { openDatabase } from '../../host/open-database.ts'
import { quietLog } from '../../host/quiet-log.ts'
import { HostError } from '../../plugin/errors.ts'
import { formatCount } from '../../plugin/format-count.ts'
import { registryOf } from '../call-command.ts'
import { sendCommand } from '../control-client.ts'
import { localCommand } from './local-command.ts'

export const migrate = localCommand({
  name: 'migrate',
  summary: 'Run the migrations that the next start would run. With --dry-run it only names them.',
  args: Type.Object({ dry_run: Type.Optional(Type.Boolean({ description: 'Name them and change nothing.' })) }),
  async run(env, { dry_run: dryRun = false }) {
    if (dryRun) requireDatabase(env)
    const { plugins } = await registryOf(env)
    if (await sendCommand(env, 'user list', {}))
      throw new HostError(
        'the service is running and holds the embedded database, which it migrated to its own version when it started; ' +
          'stop it first to migrate to the version of this command',
      )
    const database = await openDatabase(await hostOptionsFrom(env), plugins, quietLog)
    try {
      const names = dryRun
        ? await findPendingMigrations(database.write, plugins)
        : await runMigrations(database, plugins)
      const head = dryRun ? 'would run:' : 'ran:'
      const text =
        names.length === 0
          ? 'The database is up to date.'
          : `${formatCount(names.length, 'migration')} ${head}\n${names.join('\n')}`
      process.stdout.write(`${text}\n`)
    } finally {
      await database.close()
    }
  },
})
