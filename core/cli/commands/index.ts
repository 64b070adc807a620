import type { DatabaseCommand } from '../host-command.ts'
import { audit } from './audit.ts'
import { tokenCreate, tokenList, tokenRevoke } from './tokens.ts'
import {
  userAdmin,
  userCreate,
  userDelete,
  userInvite,
  userList,
  userResetSecondFactor,
  userDisable,
  userEnable,
  userRevoke,
  userSetEmail,
} from './users.ts'

/** Commands of the host that use the database. */
export const coreCommands = [
  audit,
  tokenCreate,
  tokenList,
  tokenRevoke,
  userAdmin,
  userCreate,
  userDelete,
  userInvite,
  userList,
  userResetSecondFactor,
  userDisable,
  userEnable,
  userRevoke,
  userSetEmail,
] as readonly DatabaseCommand[]
