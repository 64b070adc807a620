import { configCheck, configSchema } from './config.ts'
import { doctor } from './doctor.ts'
import type { LocalCommand } from './local-command.ts'
import { migrationNew } from './migration.ts'
import { pluginList } from './plugins.ts'

/** Commands that do not need the serving process. */
export const localCommands: readonly LocalCommand[] = [pluginList, doctor, configCheck, configSchema, migrationNew]
