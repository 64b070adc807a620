import type { Command } from '../../plugin/command.ts'
import { tokenCreate, tokenList, tokenRevoke } from './tokens.ts'
import { userCreate, userList } from './users.ts'

/** Commands of the host itself that work on the database. */
export const coreCommands = [tokenCreate, tokenList, tokenRevoke, userCreate, userList] as readonly Command[]
