import type { DatabaseCommand } from '../host-command.ts'
import { audit } from './audit.ts'
import * as tokenCommands from './tokens.ts'
import * as userCommands from './users.ts'

/** Commands of the host that use the database. */
export const coreCommands = [
  audit,
  ...Object.values(tokenCommands),
  ...Object.values(userCommands),
] as readonly DatabaseCommand[]
