import type { ServiceFigures } from './host-points.ts'
import type { User } from './users.ts'
import type { ReadContext, WriteContext } from './context.ts'

/** State of the service for the administrator's page. */
export interface ServiceState {
  readonly version: string
  /** Version of Node. */
  readonly runtime: string
  readonly engine: 'pglite' | 'postgres'
  /** Version of the database server. */
  readonly database: string
  /** Seconds since the process started. */
  readonly uptime: number
  /** Resident memory of the process in bytes. */
  readonly memory: number
  /** Bytes by schema (= plugin), largest first. */
  readonly storage: readonly { readonly schema: string; readonly bytes: number }[]
  /** Bytes of the whole database, including schemas of plugins that are not installed. */
  readonly databaseBytes: number
  /** Connection pools of this process. */
  readonly pools: readonly {
    readonly pool: string
    readonly busy: number
    readonly idle: number
    readonly waiting: number
  }[]
  /** Response time of the database in milliseconds. */
  readonly answeredIn: number
  /** Results of the checks of storage, models and providers; `problem` null = reachable. `mend` says in English what to check otherwise. */
  readonly outside: readonly {
    readonly what: string
    readonly mend: string
    /** Milliseconds until the answer. */
    readonly ms: number
    readonly problem: string | null
  }[]
  /** Figures that plugins report. */
  readonly figures: readonly ServiceFigures[]
  readonly plugins: readonly { readonly name: string; readonly version: string | null; readonly isOn: boolean }[]
}

/** Jobs of one name, by state. */
export interface JobCounts {
  readonly name: string
  readonly waiting: number
  readonly active: number
  readonly failed: number
  /** ISO 8601 UTC; null = no completed job is stored any more. */
  readonly lastDone: string | null
}

export interface FailedJob {
  readonly id: string
  readonly name: string
  /** ISO 8601 UTC. */
  readonly at: string
  /** First line of the error. */
  readonly error: string
}

/** A setting with its effective value and source. Values of secrets are not included. */
export interface EffectiveSetting {
  /** Environment variable, or path in the config: `limits.calls`. */
  readonly name: string
  /** JSON; null = a secret. */
  readonly value: string | null
  readonly source: 'default' | 'file' | 'environment'
}

/** Administration of the whole service. The caller must check that its user is an administrator. */
export interface Administration {
  state(ctx: ReadContext): Promise<ServiceState>
  jobs(ctx: ReadContext): Promise<{ readonly counts: readonly JobCounts[]; readonly failed: readonly FailedJob[] }>
  /** Retries a failed job. @throws ToolError not_found */
  retryJob(ctx: WriteContext, job: Pick<FailedJob, 'id' | 'name'>): Promise<void>
  readonly settings: readonly EffectiveSetting[]
  /** Blocks a user; tokens and data stay. @throws ToolError conflict for the last administrator */
  disableUser(ctx: WriteContext, user: User): Promise<unknown>
  enableUser(ctx: WriteContext, user: User): Promise<unknown>
  /** Grants or removes the administrator role. @throws ToolError conflict for the last administrator */
  setAdministrator(ctx: WriteContext, user: User, role: { readonly administrator: boolean }): Promise<unknown>
  /** Deletes a user and all their data. @throws ToolError conflict for the last administrator */
  deleteUser(ctx: WriteContext, user: User): Promise<unknown>
  resetSecondFactor(ctx: WriteContext, user: User): Promise<number>
}
