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
export { clip, countCharacters, firstCharacters, isLonger, isStorable } from './clip.ts'
export { formatCount } from './format-count.ts'
export { quoteName, quoteNameJa, quoteValue } from './quote-name.ts'
export { networkOf } from './network.ts'
export { keyFrom } from './key-from.ts'
export { joinChunks } from './join-chunks.ts'

export * from './audit.ts'
export { defineCommand, type Command, type CommandResult } from './command.ts'
export * from './durations.ts'
export { defineConfig, type ConfigKey } from './config.ts'
export type { Confirmation, Confirmations } from './confirmations.ts'
export type * from './context.ts'
export { json } from './tables.ts'
export type * from './tables.ts'
export * from './errors.ts'
export { defineClaim, type PrincipalClaim } from './claim.ts'
export { requireUnchanged } from './optimistic-concurrency.ts'
export {
  choice,
  continuedText,
  clearable,
  date,
  endOfPage,
  guarded,
  httpAddress,
  notBlank,
  mapOf,
  nullable,
  pageEnd,
  pageOffset,
  recordId,
  reference,
  time,
  timestamp,
  widen,
} from './fields.ts'
export * from './host-points.ts'
export { defineJob } from './job.ts'
export {
  API_LEVEL,
  definePlugin,
  type HostPlugin,
  type MigrationClass,
  type MigrationFile,
  type PluginBody,
  type ArchivedFiles,
  type ExternalDataContext,
  type ExternalData,
  type PluginSpec,
} from './plugin.ts'
export { byNearness, nearest } from './nearest.ts'
export * from './point.ts'
export { promptSteps, type PromptStep } from './prompt-steps.ts'
export { deleteRecords, insertRecords, recordset, updateRecords, type JsonRow } from './recordset.ts'
export { deleteWhere, updateWhere, type RowMatch } from './rows-where.ts'
export { insertIf, isFull } from './insert-if.ts'
export { overwrite } from './overwrite.ts'
export type { PublicRequest, PublicResponse } from './public-request.ts'
export type { Publisher } from './publisher.ts'
export type * from './resource.ts'
export { readCursor, writeCursor } from './cursors.ts'
export type { Sealer } from './sealer.ts'
export type { ExportedFile, HostFault, HostServices, ProfileSize, RouteCall } from './services.ts'
export * from './sign-in.ts'
export { contributedSql } from './contributed-sql.ts'
export * from './sql.ts'
export { Content, defineTool, type DefinedTool, type Tool, type ToolClass, type ToolSpec } from './tool.ts'
export { oncePer } from './once-per.ts'
export { normalizeTimeZone, requireTimeZone } from './time-zone.ts'
export { isEmail, PLACEHOLDER_EMAIL } from './users.ts'
export type { AccessOrigin, IssuedToken, NewToken, NewUser, User, UserAccounts, UserDirectory } from './users.ts'
export { defineThread, type ThreadOptions } from './threads.ts'
export { Turn } from './turn.ts'
