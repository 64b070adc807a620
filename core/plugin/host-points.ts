import type { Actor, ReadContext, WriteContext } from './context.ts'
import type { ErrorCode, ToolError } from './errors.ts'
import { definePoint, type Contribution } from './point.ts'
import type { ToolClass } from './tool.ts'
import type { AccessOrigin, KeptAccess, User } from './users.ts'

/** Runs in the transaction that creates users: give them what the plugin expects every user to have. */
export const userCreated = definePoint<(ctx: WriteContext, users: readonly User[]) => Promise<void>>('core.userCreated')

/**
 * Runs in the transaction that ends everything by which somebody gets in as a user: ends what the plugin itself lets in by, such as
 * browser sessions. Returns how many ended, by what they are: `{ sessions: 2 }`.
 */
export const accessRevoked =
  definePoint<(ctx: WriteContext, userId: string, keep: KeptAccess) => Promise<Readonly<Record<string, number>>>>(
    'core.accessRevoked',
  )

/**
 * A new way into the account of a user: a browser that is signed in for the first time, a personal access token, a connected app, a
 * passkey; or a change of how people prove who they are there.
 */
export interface NewAccess extends AccessOrigin {
  readonly kind: 'device' | 'token' | 'app' | 'passkey' | 'authenticator' | 'recovery_codes' | 'less_proof' | 'email'
  readonly userId: string
  /** Label of the token or passkey, what the app calls itself, which may be empty, or the new e-mail address; null where there is none. */
  readonly name: string | null
}

/** Runs in the transaction that makes a new way into an account, so that its user is notified. Must not refuse. */
export const accessMade = definePoint<(ctx: WriteContext, access: NewAccess) => Promise<void>>('core.accessMade')

/** Runs all handlers of `accessMade`. */
export async function notifyAccessMade(ctx: WriteContext, access: NewAccess): Promise<void> {
  for (const handler of ctx.all(accessMade)) await handler(ctx, access)
}

/**
 * Runs where an administrator takes away what a user has to prove beside the password, because all of it is lost: ends what the plugin
 * has of that. Returns how much it was.
 */
export const secondFactorReset =
  definePoint<(ctx: WriteContext, user: User) => Promise<number>>('core.secondFactorReset')

/**
 * Runs in the transaction that gives a user another e-mail address, for what names people by address. `vouched` is false where the user
 * chose it and nobody knows that it is theirs: what waits for whoever has the new address must then not become theirs.
 */
export const emailChanged =
  definePoint<
    (
      ctx: WriteContext,
      change: { readonly former: string; readonly email: string; readonly vouched: boolean },
    ) => Promise<void>
  >('core.emailChanged')

/**
 * Rows that go with a user although somebody else owns them, such as memberships. Rows that the user owns (`owner_id`; where a table has
 * none, `user_id`) go without being named here, also those of plugins that are off.
 */
export const rowsAboutUsers = definePoint<{
  /** `<plugin>.<table>`, of the plugin's own. */
  readonly table: string
  /** The column that names the user. */
  readonly column: string
  /** What it holds of the user; default: the id. */
  readonly holds?: 'id' | 'email'
}>('core.rowsAboutUsers')

/** Runs in the transaction that deletes a user, before it does: for what is outside of tables, and for notifications. */
export const userDeleted = definePoint<(ctx: WriteContext, user: User) => Promise<void>>('core.userDeleted')

/** Notifies administrators of something that they have to mend. Runs outside of a transaction. */
export const administratorNotices =
  definePoint<
    (
      ctx: WriteContext,
      userIds: readonly string[],
      notice: { readonly kind: string; readonly title: string; readonly body: string },
    ) => Promise<void>
  >('core.administratorNotices')

/** Decides whether the feature switches that a tool names in `gates` are on for the caller; an error refuses the call. */
export const featureGuards =
  definePoint<
    (ctx: ReadContext, gates: readonly string[], input: Readonly<Record<string, unknown>>) => ToolError | null
  >('core.featureGuards')

/** A part of the server's `instructions`: a short sentence or two, since clients cut them; keep it to rules that several tools share. */
export const instructions = definePoint<{
  readonly rank: number
  readonly text: string
  /** Tools that it names or is about: connections without one of them do not get it. */
  readonly tools?: readonly string[]
}>('core.instructions')

/**
 * Suggests values for an argument of prompts and a `{name}` part of resource templates, whatever plugin they are of, as the user types:
 * at most 100, best first; one statement.
 */
export const argumentValues = definePoint<{
  readonly argument: string
  /** @param given values of the other arguments so far */
  complete(ctx: ReadContext, value: string, given: Readonly<Record<string, string>>): Promise<readonly string[]>
}>('core.argumentValues')

/** A tool call that was answered. */
export interface FinishedCall {
  readonly tool: string
  readonly toolClass: ToolClass
  readonly actor: Actor
  readonly at: Date
  /** The arguments, as checked; of a call that was refused for them, as given. */
  readonly input: Readonly<Record<string, unknown>>
  /** The data of the answer as JSON; null when the call failed, or answered with content blocks alone. */
  readonly result: string | null
  readonly ok: boolean
  /** Code of the refusal or fault. */
  readonly error: ErrorCode | null
}

/** Observes all finished tool calls, without costing them a statement. */
export interface ToolCallObserver<R = unknown> {
  /** Returns what to store of a call; null = nothing. Every call waits for it: microseconds, no I/O, and no reference to input or result. */
  record(call: FinishedCall): R | null
  /** Stores the records of about a second, oldest first, in a transaction of its own; a failure is logged and loses them. */
  store(ctx: WriteContext, records: readonly R[]): Promise<void>
}
const toolCallObserversPoint = definePoint<ToolCallObserver>('core.toolCallObservers')
export const toolCallObservers = Object.assign(
  <R>(observer: ToolCallObserver<R>): Contribution => toolCallObserversPoint(observer as unknown as ToolCallObserver),
  { point: toolCallObserversPoint },
)

/**
 * Runs on a start without anybody who could sign in, and returns what the operator is shown once, for an origin that is known only
 * after listening. `owner` is null while the first one is still to be made.
 */
export const firstStart =
  definePoint<(ctx: WriteContext, owner: User | null) => Promise<(origin: string) => string>>('core.firstStart')

/** An external service on which a plugin relies. */
export interface ExternalService {
  /** What it is for and where it is, for example `files in the bucket photos`. */
  readonly what: string
  /** What to look at where it fails, as an imperative. */
  readonly mend: string
  /** Really asks it, and changes nothing. @returns what the operator may want to know of it, if that is a string */
  attempt(signal: AbortSignal): Promise<unknown>
}

/** The service that the settings name, so that `tasuki doctor` can try it; null where they name none. */
export const externalServices =
  definePoint<(ctx: Pick<ReadContext, 'all' | 'config'>) => ExternalService | null>('core.externalServices')

/** Texts of a page in its languages; English where one is missing. */
export interface PageText {
  readonly en: string
  readonly [language: string]: string
}

/** What a plugin keeps, as a table of the administrator's page about the service. */
export interface ServiceFigures {
  readonly title: PageText
  readonly columns: readonly { readonly title: PageText; readonly kind: 'text' | 'count' | 'bytes' }[]
  /** A value for each column; texts are shown as they are. */
  readonly rows: readonly (readonly (string | number)[])[]
}

/** Counts what the plugin keeps for all users: one statement, at most a hundred rows. */
export const serviceFigures = definePoint<(ctx: ReadContext) => Promise<ServiceFigures>>('core.serviceFigures')
