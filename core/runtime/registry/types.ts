import type { TypeCheck } from '@sinclair/typebox/compiler'
import type { TObject } from '@sinclair/typebox'
import type { AuditAction } from '../../plugin/audit.ts'
import type { Command } from '../../plugin/command.ts'
import type { ConfigKey } from '../../plugin/config.ts'
import type { PrincipalClaim } from '../../plugin/claim.ts'
import type { Job } from '../../plugin/context.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import type { All } from '../../plugin/point.ts'
import type { Prompt, Resource } from '../../plugin/resource.ts'
import type { Tool, ToolClass } from '../../plugin/tool.ts'
import type { Hides } from './mentions.ts'
import type { Points } from './points.ts'

/** Validates values against a schema. */
export type SchemaCheck = Pick<TypeCheck<TObject>, 'Check' | 'Errors'>

export interface CompiledTool {
  readonly name: string
  readonly class: ToolClass
  readonly group: string
  readonly plugin: PluginSpec
  readonly tool: Tool
  readonly input: TObject
  readonly output: TObject | null
  readonly check: SchemaCheck
  readonly checkOutput: SchemaCheck | null
  /** Parameters that clients repeat in a header (`x-mcp-header`): lower-case `mcp-param-…` name → path in the arguments. */
  readonly paramHeaders: ReadonlyMap<string, readonly string[]>
  /** Entry of tools/list. */
  readonly listed: Readonly<Record<string, unknown>>
}

/** The view of one kind of connection: a profile, restricted by scope and by the selection of the connection. */
export interface View {
  readonly profile: string
  readonly scope: 'read' | 'write'
  readonly tools: ReadonlyMap<string, CompiledTool>
  /** Tools of the profile that need scope `write`; calling one returns `insufficient_scope`. */
  readonly needWrite: ReadonlyMap<string, CompiledTool>
  /** Prompts whose `tools` are all part of the view. */
  readonly prompts: ReadonlyMap<string, Prompt>
  readonly resources: readonly Resource[]
  /** Serialized `tools` array of tools/list. */
  readonly toolsJson: string
  /** Text for the client's model: what the service is, and rules that tools of this view share. */
  readonly instructions: string
  /** Returns whether a tool exists but is not part of this view; null if the view has all tools. */
  readonly hides: Hides | null
}

export interface ViewRequest {
  /** Undefined = the full-access profile. */
  readonly profile: string | undefined
  readonly scope: 'read' | 'write'
  /** Tool names to keep; undefined = all. */
  readonly only?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

/** The frozen result of loading all plugins. */
export interface Registry {
  readonly plugins: readonly PluginSpec[]
  readonly tools: ReadonlyMap<string, CompiledTool>
  readonly prompts: ReadonlyMap<string, Prompt>
  readonly resources: readonly Resource[]
  readonly claims: readonly PrincipalClaim<unknown>[]
  readonly jobs: readonly Job[]
  readonly commands: ReadonlyMap<string, Command>
  readonly profiles: readonly string[]
  /** Audit actions of the host and of plugins. */
  readonly auditActions: ReadonlyMap<string, AuditAction>
  /** Contributions to disabled plugins, as `plugin → point`, and tools that need one, as `plugin → needed plugin (tool)`. */
  readonly skipped: readonly string[]
  readonly all: All
  readonly addedBy: Points['addedBy']
  config<T>(key: ConfigKey<T>): T
  /** Returns a prebuilt view per profile and scope; narrowed views are built once and cached. Null if the profile is unknown. */
  view(request: ViewRequest): View | null
}
