/** The complete contract between the host and its plugins: `import { … } from 'tasuki/plugin'`. */
export { callTool } from './call-tool.ts'
export { Type, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'
export {
  sql,
  type AliasableExpression,
  type AliasedExpression,
  type Expression,
  type RawBuilder,
  type Sql,
} from 'kysely'
export type { Administration, ServiceState } from './administration.ts'
export { isUuid, uuid, uuidBytes, uuidText } from './uuid.ts'
export { nameKey, withNameKey } from './name-key.ts'
export { normalizeText } from './normalize-text.ts'
export { runInSavepoint, writeApart } from './savepoint.ts'
export { clip, countCharacters, firstCharacters, isLonger } from './clip.ts'
export { quoteName, quoteNameJa, quoteValue } from './quote-name.ts'
export { networkOf } from './network.ts'
export { keyFrom } from './key-from.ts'

export {
  defineAuditAction,
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type AuditOutcome,
  type AuditRecord,
  type AuditTarget,
  type DetachedAuditRecord,
} from './audit.ts'
export { defineCommand, type Command, type CommandResult } from './command.ts'
export { defineConfig, type ConfigKey } from './config.ts'
export type { Confirmation, Confirmations } from './confirmations.ts'
export type * from './context.ts'
export { json } from './tables.ts'
export type * from './tables.ts'
export {
  ERROR_CODES,
  errorBody,
  HostError,
  limitReached,
  throwAll,
  ToolError,
  type ErrorBody,
  type ErrorCode,
  type ErrorHelp,
} from './errors.ts'
export { defineClaim, type PrincipalClaim } from './claim.ts'
export { requireUnchanged } from './optimistic-concurrency.ts'
export {
  choice,
  continuedText,
  date,
  guarded,
  mapOf,
  nullable,
  recordId,
  reference,
  time,
  timestamp,
  widen,
} from './fields.ts'
export {
  accessRevoked,
  accessMade,
  administratorNotices,
  argumentValues,
  toolCallObservers,
  firstStart,
  externalServices,
  type ExternalService,
  type PageText,
  type ServiceFigures,
  emailChanged,
  featureGuards,
  instructions,
  rowsAboutUsers,
  secondFactorReset,
  serviceFigures,
  notifyAccessMade,
  userCreated,
  userDeleted,
  type NewAccess,
  type ToolCallObserver,
  type FinishedCall,
} from './host-points.ts'
export { defineJob } from './job.ts'
export {
  API_LEVEL,
  definePlugin,
  type HostPlugin,
  type MigrationFile,
  type PluginBody,
  type ArchivedFiles,
  type ExternalDataContext,
  type ExternalData,
  type PluginSpec,
} from './plugin.ts'
export { byNearness, nearest } from './nearest.ts'
export {
  definePoint,
  lazyContributions,
  whenEnabled,
  type All,
  type Contribution,
  type LazyContributions,
  type ExtensionPoint,
} from './point.ts'
export { promptSteps, type PromptStep } from './prompt-steps.ts'
export { deleteRecords, insertRecords, recordset, updateRecords } from './recordset.ts'
export { deleteWhere, updateWhere, type RowMatch } from './rows-where.ts'
export { insertIf } from './insert-if.ts'
export type { Publisher } from './publisher.ts'
export type {
  AddressParams,
  Prompt,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceEntry,
  WatchedRecord,
} from './resource.ts'
export { readCursor, writeCursor } from './cursors.ts'
export type { Sealer } from './sealer.ts'
export type { ExportedFile, HostFault, HostServices, ProfileSize, RouteCall } from './services.ts'
export {
  placeOf,
  signIn,
  type Authorization,
  type AuthorizationAnswer,
  type AuthorizationProblem,
  type AuthorizationRequest,
  type Connection,
  type Scope,
  type SignIn,
} from './sign-in.ts'
export {
  allOf,
  anyOf,
  castTo,
  compare,
  compileFragment,
  contains,
  exists,
  expressions,
  fixedPlan,
  hasRoom,
  idIs,
  isAfter,
  isFreeName,
  isIn,
  iso,
  isOneOf,
  keyList,
  lockUntilCommit,
  lower,
  negate,
  nextUpdate,
  noSql,
  parens,
  refersTo,
  renderFragment,
  rowExists,
  tableExists,
  type Condition,
} from './sql.ts'
export { Content, defineTool, type DefinedTool, type Tool, type ToolClass, type ToolSpec } from './tool.ts'
export { isTimeZone } from './time-zone.ts'
export { PLACEHOLDER_EMAIL } from './users.ts'
export type { AccessOrigin, IssuedToken, NewToken, NewUser, User, UserAccounts, UserDirectory } from './users.ts'
export { defineThread, type ThreadOptions } from './threads.ts'
