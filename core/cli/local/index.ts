import { configCheck, configSchema } from './config.ts'
import { doctor } from './doctor.ts'
import type { LocalCommand } from './local-command.ts'
import { migrate } from './migrate.ts'
import { migrationNew } from './migration.ts'
import { pluginNew } from './plugin-new.ts'
import { pluginList } from './plugins.ts'
import { purge } from './purge.ts'
import { restore } from './restore.ts'
import { start } from './start.ts'

/** Commands that run in this process instead of the server process. */
export const localCommands: readonly LocalCommand[] = [
  start,
  doctor,
  configCheck,
  configSchema,
  pluginList,
  pluginNew,
  migrationNew,
  purge,
  restore,
  migrate,
]
