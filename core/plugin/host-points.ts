import type { Actor, ReadContext, WriteContext } from './context.ts'
import type { ErrorCode, ToolError } from './errors.ts'
import { defineHook, definePoint, type Contribution } from './point.ts'
import type { ToolClass } from './tool.ts'
import type { AccessOrigin, KeptAccess, User } from './users.ts'

/** Runs in the transaction that creates users, to create the data that the plugin expects for every user. */
export const userCreated = defineHook<(ctx: WriteContext, users: readonly User[]) => Promise<void>>('core.userCreated')

/**
 * Runs in the transaction that revokes all access of a user, to end the plugin's own ways in, such as browser sessions. Returns the number
 * of revoked entries by kind: `{ sessions: 2 }`.
 */
export const accessRevoked =
  defineHook<(ctx: WriteContext, userId: string, keep: KeptAccess) => Promise<Readonly<Record<string, number>>>>(
    'core.accessRevoked',
  )

/**
 * A new way into a user's account: the first sign-in of a browser, a personal access token, a connected app, a passkey; or a change of the
 * sign-in proofs.
 */
export interface NewAccess extends AccessOrigin {
  readonly kind: 'device' | 'token' | 'app' | 'passkey' | 'authenticator' | 'recovery_codes' | 'less_proof' | 'email'
  readonly userId: string
  /** Label of the token or passkey, name of the app (may be empty), or the new e-mail address; null if there is none. */
  readonly name: string | null
}

/** Runs in the transaction that creates a new way into an account, to notify its user. Must not throw. */
export const accessMade = defineHook<(ctx: WriteContext, access: NewAccess) => Promise<void>>('core.accessMade')

/** Runs all handlers of `accessMade`. */
export async function notifyAccessMade(ctx: WriteContext, access: NewAccess): Promise<void> {
  for (const handler of ctx.all(accessMade)) await handler(ctx, access)
}

/** Runs when an administrator resets a user's second factors, to remove those of the plugin. Returns the number of removed factors. */
export const secondFactorReset =
  defineHook<(ctx: WriteContext, user: User) => Promise<number>>('core.secondFactorReset')

/**
 * Runs in the transaction that changes a user's e-mail address, to update data that refers to users by address. `vouched` is false if the
 * user chose the address and it is not verified; then anything that waits for the holder of that address must not become theirs.
 */
export const emailChanged =
  defineHook<
    (
      ctx: WriteContext,
      change: { readonly userId: string; readonly former: string; readonly email: string; readonly vouched: boolean },
    ) => Promise<void>
  >('core.emailChanged')

/** Runs in the transaction that saves a user's time zone, to update what is stored of the due dates of that user's items. */
export const timeZoneSaved = defineHook<(ctx: WriteContext, userId: string) => Promise<void>>('core.timeZoneSaved')

/**
 * Rows to delete with a user although another user owns them, such as memberships. Rows that the user owns (by `owner_id`, else `user_id`)
 * are deleted anyway, including those of disabled plugins.
 */
export const rowsAboutUsers = definePoint<{
  /** `<plugin>.<table>` of the plugin itself. */
  readonly table: string
  /** Column that refers to the user. */
  readonly column: string
  /** User property that the column contains; default `id`. */
  readonly holds?: 'id' | 'email'
  /** False leaves the rows out of the user's export: their content is of their owner. */
  readonly exported?: false
}>('core.rowsAboutUsers')

/** Runs in the transaction that deletes a user, before the deletion: for data outside of tables, and for notifications. */
export const userDeleted = defineHook<(ctx: WriteContext, user: User) => Promise<void>>('core.userDeleted')

/** Notifies administrators of a problem that they have to fix. Runs outside of a transaction. */
export const administratorNotices =
  defineHook<
    (
      ctx: WriteContext,
      userIds: readonly string[],
      notice: { readonly kind: string; readonly title: string; readonly body: string },
    ) => Promise<void>
  >('core.administratorNotices')

/** Decides whether the feature switches in `gates` of a tool are on for the caller; a returned error rejects the call. */
export const featureGuards = defineHook<
  ((ctx: ReadContext, gates: readonly string[], input: Readonly<Record<string, unknown>>) => ToolError | null) & {
    /** All switches that it knows, so that a misspelt one stops the boot. */
    readonly features?: readonly string[]
  }
>('core.featureGuards')

/** A part of the server's `instructions`: one or two short sentences, as clients truncate them, with rules that tools share. */
export const instructions = definePoint<{
  readonly rank: number
  readonly text: string
  /** Tools that the text is about; connections that lack one of them do not get it. */
  readonly tools?: readonly string[]
}>('core.instructions')

/**
 * Completes an argument of prompts and a `{name}` variable of resource templates of any plugin: at most 100 values, best first, with one
 * statement.
 */
export const argumentValues = definePoint<{
  readonly argument: string
  /** @param otherArguments current values of the other arguments */
  complete(
    ctx: ReadContext,
    value: string,
    otherArguments: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>
}>('core.argumentValues')

/** An answered tool call. */
export interface FinishedCall {
  readonly tool: string
  readonly toolClass: ToolClass
  readonly actor: Actor
  readonly at: Date
  /** The arguments as the client sent them. */
  readonly input: Readonly<Record<string, unknown>>
  /** Data of the answer as JSON; null if the call failed or returned only content blocks. */
  readonly result: string | null
  readonly ok: boolean
  /** Error code of a failed call. */
  readonly error: ErrorCode | null
}

/** Observes all finished tool calls without adding a statement to them. */
export interface ToolCallObserver<R = unknown> {
  /**
   * Returns what to store for a call; null = nothing. Every call waits for this function, so it must not do I/O or keep references to input
   * or result.
   */
  record(call: FinishedCall): R | null
  /** Stores the records of about a second, oldest first, in a separate transaction. If it fails, they are lost and the error is logged. */
  store(ctx: WriteContext, records: readonly R[]): Promise<void>
}
const toolCallObserversPoint = definePoint<ToolCallObserver>('core.toolCallObservers')
export const toolCallObservers = Object.assign(
  <R>(observer: ToolCallObserver<R>): Contribution => toolCallObserversPoint(observer as unknown as ToolCallObserver),
  { point: toolCallObserversPoint },
)

/**
 * Runs on a start without any user who can sign in. Returns a function that builds a message for the operator from the origin, which is
 * known only after listening. `owner` is null if no user exists yet.
 */
export const firstStart =
  defineHook<(ctx: WriteContext, owner: User | null) => Promise<(origin: string) => string>>('core.firstStart')

/** An external service that a plugin depends on. */
export interface ExternalService {
  /** Purpose and location, for example `files in the bucket photos`. */
  readonly what: string
  /** What to check if the service fails, as an imperative. */
  readonly mend: string
  /** Sends a request that changes nothing. @returns information for the operator, if it is a string */
  attempt(signal: AbortSignal): Promise<unknown>
}

/** Returns the configured external service, so that `tasuki doctor` can check it; null if none is configured. */
export const externalServices =
  defineHook<(ctx: Pick<ReadContext, 'all' | 'config'>) => ExternalService | null>('core.externalServices')

/** Texts of a page by language; English is the fallback. */
export interface PageText {
  readonly en: string
  readonly [language: string]: string
}

/** Figures of a plugin, as a table on the administrator's page about the service. */
export interface ServiceFigures {
  readonly title: PageText
  readonly columns: readonly { readonly title: PageText; readonly kind: 'text' | 'count' | 'bytes' }[]
  /** A value for each column; texts are shown verbatim. */
  readonly rows: readonly (readonly (string | number)[])[]
}

/** Counts the plugin's data of all users, with one statement and at most a hundred rows. */
export const serviceFigures = defineHook<(ctx: ReadContext) => Promise<ServiceFigures>>('core.serviceFigures')
