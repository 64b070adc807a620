import type { ServiceFigures } from './host-points.ts'
import type { User } from './users.ts'
import type { ReadContext, WriteContext } from './context.ts'

/** What runs where, for the administrator's page. */
export interface ServiceState {
  readonly version: string
  /** Of Node. */
  readonly runtime: string
  readonly engine: 'pglite' | 'postgres'
  /** Version of the database server. */
  readonly database: string
  /** Seconds since the process began. */
  readonly uptime: number
  /** Bytes in memory of the process. */
  readonly memory: number
  /** Bytes by schema, which is the name of a plugin, largest first. */
  readonly storage: readonly { readonly schema: string; readonly bytes: number }[]
  /** Bytes of the whole database, with what no plugin of this start has. */
  readonly databaseBytes: number
  /** Connections to the database, as this process has them. */
  readonly pools: readonly {
    readonly pool: string
    readonly busy: number
    readonly idle: number
    readonly waiting: number
  }[]
  /** Milliseconds that the database took to answer. */
  readonly answeredIn: number
  /** What was tried of storage, models and providers; problem null = it answers. `mend` says, in English, what to look at otherwise. */
  readonly outside: readonly {
    readonly what: string
    readonly mend: string
    readonly ms: number
    readonly problem: string | null
  }[]
  /** What plugins keep. */
  readonly figures: readonly ServiceFigures[]
  readonly plugins: readonly { readonly name: string; readonly version: string | null; readonly isOn: boolean }[]
}

/** Jobs of one kind, by state. */
export interface JobCounts {
  readonly name: string
  readonly waiting: number
  readonly active: number
  readonly failed: number
  /** ISO 8601 UTC; null = none was done that is still kept. */
  readonly lastDone: string | null
}

export interface FailedJob {
  readonly id: string
  readonly name: string
  /** ISO 8601 UTC. */
  readonly at: string
  /** First line of what went wrong. */
  readonly error: string
}

/** A setting as it holds, and where it comes from. Of secrets it is told only that they are set. */
export interface EffectiveSetting {
  /** Variable of the environment, or path in the config: `limits.calls`. */
  readonly name: string
  /** JSON; null = a secret. */
  readonly value: string | null
  readonly source: 'default' | 'file' | 'environment'
}

/** What administrators do and see of the whole service. Whether the caller is one is for the page to check. */
export interface Administration {
  state(ctx: ReadContext): Promise<ServiceState>
  jobs(ctx: ReadContext): Promise<{ readonly counts: readonly JobCounts[]; readonly failed: readonly FailedJob[] }>
  /** Runs a failed job once more. @throws ToolError not_found */
  retryJob(ctx: WriteContext, job: Pick<FailedJob, 'id' | 'name'>): Promise<void>
  readonly settings: readonly EffectiveSetting[]
  /** Shuts a user out, or lets the user in again. */
  setDisabled(ctx: WriteContext, user: Pick<User, 'email'>, disabled: boolean): Promise<void>
  /** @throws ToolError conflict for the last administrator */
  setAdministrator(ctx: WriteContext, user: Pick<User, 'email'>, administrator: boolean): Promise<void>
  /** Deletes a user with everything of theirs. @throws ToolError conflict for the last administrator */
  deleteUser(ctx: WriteContext, user: User): Promise<void>
  resetSecondFactor(ctx: WriteContext, user: User): Promise<number>
}
