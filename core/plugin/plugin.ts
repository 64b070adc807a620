import type { EntitySchema } from '@mikro-orm/core'
import type { Migration } from '@mikro-orm/migrations'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AuditAction } from './audit.ts'
import type { Command } from './command.ts'
import type { ConfigKey } from './config.ts'
import type { ReadContext, WriteContext } from './context.ts'
import type { PrincipalClaim } from './claim.ts'
import type { Job } from './context.ts'
import type { Contribution, LazyContributions, ExtensionPoint } from './point.ts'
import type { Prompt, Resource } from './resource.ts'
import { HOST_SERVICES, type HostServices } from './services.ts'
import type { Tool } from './tool.ts'

/** The level of this contract; raised when something in it is removed or changes its meaning. */
export const API_LEVEL = 1

// oxlint-disable-next-line typescript/no-explicit-any -- the ORM's migration constructor is declared with any
export type MigrationClass = new (...args: any[]) => Migration

/** Imports the file of a migration, whose one export is its class. */
export type MigrationFile = () => Promise<Readonly<Record<string, MigrationClass>>>

/** What a plugin that is off may use to look for its data. */
export interface ExternalDataContext extends Pick<ReadContext, 'db' | 'config'> {
  readonly deployment: Pick<ReadContext['deployment'], 'dataDir'>
}

/** Data of a plugin that is in no database. */
export interface ExternalData {
  /** For people: how much of what, and where. */
  readonly text: string
  /** Deletes it, after the tables are gone; a second time where the first one failed. */
  remove(): Promise<void>
}

/** Files of a plugin beside its tables, which backups, copies and exports take along. */
export interface ArchivedFiles {
  /** Where they are: copying to a deployment whose files are at the same place leaves them there. */
  readonly place: string
  /** Those that the tables of `db` name, of one user or of all. */
  list(db: ReadContext['db'], ownerId: string | null): AsyncIterable<{ readonly key: string; readonly size: number }>
  /** Null when it has gone. */
  read(key: string, size: number): Promise<AsyncIterable<Uint8Array> | null>
  /** Several are written at once. @returns false for one that was there before, which a restore that fails leaves alone */
  write(key: string, bytes: AsyncIterable<Uint8Array>, size: number): Promise<boolean | void>
  /** After the last one was written: from here on all of them outlast a power cut. */
  written?(): Promise<void>
  /** Removes what was written when the rest of a restore failed. */
  remove?(keys: readonly string[]): Promise<void>
}

export interface PluginSpec {
  /** Lower snake case; also its PostgreSQL schema and, unless it comes from a package, its key in config. */
  readonly name: string
  readonly version: string
  /** The contract level it was written for. */
  readonly api: number
  /** Group that its tools belong to, which profiles select by. */
  readonly group: string
  /** Plugins that must be enabled; they start before this one. */
  readonly dependsOn?: readonly string[]
  /**
   * Plugins that it uses where they are on: it may import their index, points and entities, contribute to their points, and name them in
   * `whenEnabled` and in the `needs` of a tool. Those that are on start before this one, unless they need it themselves.
   */
  readonly optionalDependsOn?: readonly string[]
  readonly config?: ConfigKey
  /** Imports its tables, when the ORM is needed: a start without a new migration on the embedded database does without. */
  readonly entities?: () => Promise<{ readonly entities: readonly EntitySchema[] }>
  /** By name `NNNN_what`, run in the order of their names. */
  readonly migrations?: Readonly<Record<string, MigrationFile>>
  /**
   * The oldest version of it whose instances go on working on the tables as these migrations leave them; default: this version alone. Older
   * ones refuse to start on such a database. Both are versions as npm has them, `1.2.3`.
   */
  readonly compatibleFrom?: string
  readonly tools?: readonly Tool[]
  readonly prompts?: readonly Prompt[]
  readonly resources?: readonly Resource[]
  // oxlint-disable-next-line typescript/no-explicit-any -- payload types are checked where the job is defined
  readonly jobs?: readonly Job<any>[]
  // oxlint-disable-next-line typescript/no-explicit-any -- argument types are checked where the command is defined
  readonly commands?: readonly Command<any>[]
  /** What it records in the audit trail; made by `defineAuditAction`. */
  readonly auditActions?: readonly AuditAction[]
  // oxlint-disable-next-line typescript/no-explicit-any -- claim types are checked where the claim is defined
  readonly claims?: readonly PrincipalClaim<any>[]
  /** Points that others may add to; naming them lets the host report a contribution to a point that does not exist. */
  // oxlint-disable-next-line typescript/no-explicit-any -- point types are checked where the point is defined
  readonly points?: readonly ExtensionPoint<any>[]
  readonly contributes?: readonly (Contribution | LazyContributions)[]
  /** What it serves may change while it runs, and it publishes that; clients are told that they may listen. */
  readonly publishes?: boolean
  /** Runs at every boot, once all declarations are read: refuses settings that name what is not there. @throws HostError */
  check?(boot: Pick<ReadContext, 'all' | 'config'>): void
  /** Runs once at boot when the plugin was off, or new, since the last boot: catch up with what happened meanwhile. */
  onEnabled?(ctx: WriteContext, since: Date | null): Promise<void>
  /**
   * Describes to `tasuki purge` what the plugin stores outside its tables, such as files; null = nothing. Called while the plugin is off, with
   * the tables still there, or gone when an earlier purge was cut short. @throws HostError when it cannot be looked at
   */
  externalData?(ctx: ExternalDataContext): Promise<ExternalData | null>
  /** Its files, for backups. */
  archivedFiles?(ctx: Omit<ExternalDataContext, 'db'>): ArchivedFiles
  /** Tables as `<plugin>.<table>` that an export of one user leaves out: what lets people in, and what is made from other tables. */
  readonly notExported?: readonly string[]
  /** HTTP routes of its own, in a Fastify scope of their own: hooks and Fastify plugins that it adds there hold for them alone. */
  routes?(app: FastifyInstance, services: HostServices): Promise<void> | void
}

/** A plugin as npm packages export it (`export const plugin`): a Fastify plugin that carries its declaration. */
export type HostPlugin = ((app: FastifyInstance, options: object) => Promise<void>) & { readonly spec: PluginSpec }

/**
 * Runs on the server's own instance: what it decorates is there for all plugins, and its hooks hold for every route that is registered
 * later, also those of others. Hooks that are meant for the plugin's own routes belong into `routes`.
 */
export type PluginBody = (app: FastifyInstance, services: HostServices) => Promise<void> | void

/**
 * Makes a Fastify plugin of a declaration. Fastify checks its own version, the name, and that the dependencies were registered before it.
 * The host reads all declarations before any plugin runs.
 * @param body adds decorators, hooks and other Fastify plugins; then the routes of the declaration are added in a scope of their own.
 */
export function definePlugin(spec: PluginSpec, body?: PluginBody): HostPlugin {
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
