import type { EntitySchema } from '@mikro-orm/core'
import type { Migration } from '@mikro-orm/migrations'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AuditAction } from './audit.ts'
import type { Command } from './command.ts'
import type { ConfigKey } from './config.ts'
import type { ReadContext, WriteContext, Job } from './context.ts'
import type { PrincipalClaim } from './claim.ts'
import type { Contribution, LazyContributions, ExtensionPoint } from './point.ts'
import type { Prompt, Resource } from './resource.ts'
import { HOST_SERVICES, type HostServices } from './services.ts'
import type { Tool } from './tool.ts'
import { VERSION } from './version.ts'

/** Version of this contract; incremented when something is removed or changes its meaning. */
export const API_LEVEL = 1

// oxlint-disable-next-line typescript/no-explicit-any -- the ORM's migration constructor is declared with any
export type MigrationClass = new (...args: any[]) => Migration

/** Imports the file of a migration, which exports only the class that `defineMigration` returns. */
export type MigrationFile = () => Promise<Readonly<Record<string, MigrationClass>>>

/** Context of a disabled plugin, to find its external data. */
export interface ExternalDataContext extends Pick<ReadContext, 'db' | 'config'> {
  readonly deployment: Pick<ReadContext['deployment'], 'dataDir'>
}

/** Data that a plugin stores outside the database. */
export interface ExternalData {
  /** Description for people: how much data, and where. */
  readonly text: string
  /** Deletes the data, after the tables were dropped; called again if the first attempt failed. */
  remove(): Promise<void>
}

/** Files of a plugin that backups, copies and exports include. */
export interface ArchivedFiles {
  /** Location of the files. A copy to a deployment with the same location leaves them in place. */
  readonly place: string
  /** Lists the files that the tables of `db` refer to, of one user or of all. */
  list(db: ReadContext['db'], ownerId: string | null): AsyncIterable<{ readonly key: string; readonly size: number }>
  /** Returns null if the file no longer exists. */
  read(key: string, size: number): Promise<AsyncIterable<Uint8Array> | null>
  /** Writes a file; several are written concurrently. @returns false if the file existed before, so that a failed restore keeps it */
  write(key: string, bytes: AsyncIterable<Uint8Array>, size: number): Promise<boolean | void>
  /** Called after the last write; when it resolves, all files must survive a power failure. */
  written?(): Promise<void>
  /** Removes newly written files after a failed restore. */
  remove?(keys: readonly string[]): Promise<void>
}

export interface PluginSpec {
  /** Lower snake case; also the PostgreSQL schema and, unless the plugin comes from a package, its key in the config. */
  readonly name: string
  readonly version: string
  /** Contract level that the plugin was written for. */
  readonly api: number
  /** Group of its tools, for the selection in profiles. */
  readonly group: string
  /** Plugins that must be enabled; they start before this one. */
  readonly dependsOn?: readonly string[]
  /**
   * Plugins that it uses if they are enabled. It may import their index, points and entities, contribute to their points, and name them in
   * `whenEnabled` and in `needs` of a tool. If enabled they start before this one, unless they depend on it.
   */
  readonly optionalDependsOn?: readonly string[]
  readonly config?: ConfigKey
  /** Imports its entities when the ORM is needed; on the embedded database that is only for a new migration. */
  readonly entities?: () => Promise<{ readonly entities: readonly EntitySchema[] }>
  /** Migrations by name `NNNN_what`, run in the order of their names. */
  readonly migrations?: Readonly<Record<string, MigrationFile>>
  /**
   * Oldest version of the plugin whose instances work with the tables after these migrations; default: only this version. Older versions
   * refuse to start on such a database. Both are npm versions, `1.2.3`.
   */
  readonly compatibleFrom?: string
  readonly tools?: readonly Tool[]
  readonly prompts?: readonly Prompt[]
  readonly resources?: readonly Resource[]
  // oxlint-disable-next-line typescript/no-explicit-any -- payload types are checked where the job is defined
  readonly jobs?: readonly Job<any>[]
  // oxlint-disable-next-line typescript/no-explicit-any -- argument types are checked where the command is defined
  readonly commands?: readonly Command<any>[]
  /** Audit actions that it records; see `defineAuditAction`. */
  readonly auditActions?: readonly AuditAction[]
  // oxlint-disable-next-line typescript/no-explicit-any -- claim types are checked where the claim is defined
  readonly claims?: readonly PrincipalClaim<any>[]
  /** Points that other plugins may contribute to; declaring them lets the host report contributions to unknown points. */
  // oxlint-disable-next-line typescript/no-explicit-any -- point types are checked where the point is defined
  readonly points?: readonly ExtensionPoint<any>[]
  readonly contributes?: readonly (Contribution | LazyContributions)[]
  /** Whether it publishes changes of what it serves at runtime; clients are informed that they can subscribe. */
  readonly publishes?: boolean
  /** Runs at every boot, after all declarations are read, to reject settings that refer to something unknown. @throws HostError */
  check?(boot: Pick<ReadContext, 'all' | 'config'>): void
  /** Runs once at boot if the plugin is new or was disabled, to catch up with what happened since then. */
  onEnabled?(ctx: WriteContext, since: Date | null): Promise<void>
  /**
   * Describes to `tasuki purge` what the plugin stores outside its tables, such as files; null = nothing. Called while the plugin is
   * disabled. The tables may already be dropped if an earlier purge was interrupted. @throws HostError if the data is not accessible
   */
  externalData?(ctx: ExternalDataContext): Promise<ExternalData | null>
  /** Returns access to its files, for backups. */
  archivedFiles?(ctx: Omit<ExternalDataContext, 'db'>): ArchivedFiles
  /**
   * Tables, as `<plugin>.<table>`, and columns, as `<plugin>.<table>.<column>`, to omit from the export of a user: credentials, data derived
   * from other tables, and what the owner of a row must not learn of others.
   */
  readonly notExported?: readonly string[]
  /** Registers HTTP routes in a separate Fastify scope; hooks and Fastify plugins registered there apply only to them. */
  routes?(app: FastifyInstance, services: HostServices): Promise<void> | void
}

/**
 * What an author declares. The group defaults to the name. Plugins that come with tasuki omit version and contract level, which are those of
 * tasuki; all others declare both.
 */
export type PluginDeclaration = Omit<PluginSpec, 'group' | 'version' | 'api'> &
  Partial<Pick<PluginSpec, 'group'>> &
  (Pick<PluginSpec, 'version' | 'api'> | { readonly version?: never; readonly api?: never })

/** A plugin as npm packages export it (`export const plugin`): a Fastify plugin with its declaration. */
export type HostPlugin = ((app: FastifyInstance, options: object) => Promise<void>) & { readonly spec: PluginSpec }

/**
 * Runs on the server's root instance: decorators are available to all plugins, and hooks apply to every route registered later, including
 * those of other plugins. Register hooks for the plugin's own routes in `routes`.
 */
export type PluginBody = (app: FastifyInstance, services: HostServices) => Promise<void> | void

/**
 * Creates a Fastify plugin from a declaration. Fastify checks its version, the name, and that the dependencies were registered before. The
 * host reads all declarations before any plugin runs.
 * @param body adds decorators, hooks and other Fastify plugins; afterwards the routes of the declaration are registered in a separate scope
 */
export function definePlugin(declaration: PluginDeclaration, body?: PluginBody): HostPlugin {
  const spec: PluginSpec = { version: VERSION, api: API_LEVEL, group: declaration.name, ...declaration }
  const register = async (app: FastifyInstance): Promise<void> => {
    const services = app.getDecorator<HostServices>(HOST_SERVICES)
    const { routes } = spec
    await body?.(app, services)
    if (routes) await app.register(async scope => routes(scope, services))
  }
  const plugin = fp(register, {
    name: spec.name,
    fastify: '5.x',
    dependencies: [...(spec.dependsOn ?? [])],
    decorators: { fastify: [HOST_SERVICES] },
  })
  return Object.assign(plugin, { spec: Object.freeze(spec) })
}
