import { type CallScope, retryRaces } from '../runtime/runner.ts'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { throwAll, ToolError } from '../plugin/errors.ts'
import { isTimestamp } from '../plugin/fields.ts'
import { featureGuards, type FinishedCall } from '../plugin/host-points.ts'
import type { CompiledTool } from '../runtime/registry/types.ts'
import { readArguments } from './arguments.ts'
import { bearerToken } from '../http/bearer.ts'
import { askForToken, CONFIRM_TOKEN, consumeToken, declinedError } from './confirmation.ts'
import { confirmByPage, resumeByPage } from './confirm-by-page.ts'
import { consumeConfirmation } from './confirmation-pages.ts'
import { digestCall, digestEffect } from './digest.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { findTool } from './find-tool.ts'
import { createCallScope, credentialOf, type RequestContext, type Result } from './request-context.ts'
import { isOutcomeUnknown } from '../db/failure.ts'
import { unknownOutcomeError } from '../runtime/public-error.ts'
import { claimKey, readIdempotencyKey, storeResult, readStoredResult } from './idempotency.ts'
import type { KeyedCall } from './idempotency.repository.ts'
import { HostClientChannel } from './client-channel.ts'
import { INVALID_PARAMS, isObject, readMeta, RpcError } from './message.ts'
import { outcomeMembers, toOutcome, type Outcome } from './tool-result.ts'
import { consumeRateLimit } from '../http/rate-limits.ts'

const NO_INPUT: Input = Object.freeze({})

type Input = Readonly<Record<string, unknown>>

/** One tools/call with everything that its steps need. */
interface Call {
  readonly endpoint: EndpointContext
  readonly tool: CompiledTool
  /** Arguments without those for the host. */
  readonly input: Input
  readonly confirmToken: string | undefined
  readonly channel: HostClientChannel
  readonly context: RequestContext
  readonly scope: CallScope
  readonly credential: string
  /** Digest of tool and input, computed on first use. */
  readonly digest: () => string
  readonly keyedCall: KeyedCall | null
}

/** Runs tools/call: look-up, arguments, gates, confirmation, handler, output. */
export async function callTool(endpoint: EndpointContext, context: RequestContext): Promise<Result> {
  const tool = await findTool(endpoint, context)
  if (tool.class !== 'R')
    consumeRateLimit(endpoint.options.rateLimits?.writes, credentialOf(context.principal), 'writes of this credential')
  const rawArguments = context.request.params['arguments'] ?? NO_INPUT
  if (!isObject(rawArguments))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: arguments must be an object, without quotes around it')
  const call = prepare(endpoint, context, tool, readArguments(tool, rawArguments, context.view.tools))
  const outcome = tool.class === 'R' ? await read(call) : await write(call)
  reportFinished(endpoint, context, {
    result: outcome.isError ? null : outcome.data,
    ok: !outcome.isError,
    error: null,
  })
  return { members: outcomeMembers(outcome, context), failed: outcome.isError }
}

/** Reports a finished call to observers. A call of an unknown tool is not reported. */
export function reportFinished(
  { options }: EndpointContext,
  { request, view, principal, clientName }: RequestContext,
  outcome: Pick<FinishedCall, 'result' | 'ok' | 'error'>,
): void {
  if (!options.callFinished) return
  const { name, arguments: rawArguments } = request.params
  const tool = typeof name === 'string' ? view.tools.get(name) : undefined
  if (!tool) return
  const { actor } = principal
  options.callFinished({
    tool: tool.name,
    toolClass: tool.class,
    actor: clientName === null ? actor : { ...actor, client: clientName },
    at: options.now(),
    input: isObject(rawArguments) ? rawArguments : NO_INPUT,
    ...outcome,
  })
}

function prepare(endpoint: EndpointContext, context: RequestContext, tool: CompiledTool, args: Input): Call {
  const { [CONFIRM_TOKEN]: token, ...rest } = tool.tool.confirm ? args : NO_INPUT
  const input = tool.tool.confirm ? rest : args
  let cachedDigest: string | undefined
  const digest = (): string => (cachedDigest ??= digestCall(tool.name, input))
  const channel = new HostClientChannel(endpoint, context, digest)
  const credential = credentialOf(context.principal)
  const key = tool.class === 'R' ? undefined : readIdempotencyKey(context)
  return {
    endpoint,
    tool,
    input,
    confirmToken: token as string | undefined,
    channel,
    context,
    scope: createCallScope(context, tool.name, channel, {
      ifUpdatedAt: readIfUpdatedAt(context),
      nulls: Object.keys(context.request.params['arguments'] ?? NO_INPUT).filter(name => !(name in args)),
    }),
    credential,
    digest,
    keyedCall: key === undefined ? null : { credential, key, digest: digest() },
  }
}

function readIfUpdatedAt({ request }: RequestContext): string | null {
  const value = readMeta(request.params, 'ifUpdatedAt') ?? null
  if (value === null || (typeof value === 'string' && isTimestamp(value))) return value
  throw new ToolError(
    'invalid_argument',
    '_meta.ifUpdatedAt must be an instant in ISO 8601 with its offset, as in updated_at',
    { field: '_meta.ifUpdatedAt', hint: 'Copy updated_at of the record that you read.' },
  )
}

function checkGates({ endpoint, tool, input }: Call, ctx: ReadContext): void {
  const { gates = [] } = tool.tool
  if (gates.length === 0) return
  throwAll(endpoint.options.registry.all(featureGuards).flatMap(guard => guard(ctx, gates, input) ?? []))
}

async function read(call: Call): Promise<Outcome> {
  await waitInQueue(call)
  try {
    return await call.endpoint.options.runner.read(call.scope, ctx => run(call, ctx as WriteContext))
  } finally {
    call.endpoint.callQueue.end(call.credential)
  }
}

/** Waits for a slot of the credential. @throws ToolError if the call is cancelled while it waits */
async function waitInQueue({ endpoint, credential, scope }: Call): Promise<void> {
  const wait = endpoint.callQueue.take(credential)
  if (!wait) return
  await wait
  if (!scope.cancellation.signal.aborted) return
  endpoint.callQueue.end(credential)
  throw new ToolError('unavailable', 'The call was cancelled before it began', { retryable: true })
}

async function run(call: Call, ctx: WriteContext): Promise<Outcome> {
  const { tool, input, endpoint } = call
  checkGates(call, ctx)
  return toOutcome(tool, input, await tool.tool.run(ctx, input as never), endpoint.resultSizeLimit)
}

async function write(call: Call): Promise<Outcome> {
  const confirmed = await ensureConfirmed(call)
  if (confirmed.answer) return confirmed.answer
  const current = confirmed.userWasAsked ? await authenticateAgain(call) : call
  const { options, callQueue } = call.endpoint
  const { runner } = options
  await waitInQueue(call)
  try {
    return await retryRaces(
      () => runner.write(current.scope, ctx => writeOnce(current, ctx, confirmed.page)),
      () => current.channel.rewind(),
    )
  } catch (error) {
    if (error instanceof ErrorResult) return error.outcome
    throw current.keyedCall && isOutcomeUnknown(error) ? unknownOutcomeError({ hasKey: true }) : error
  } finally {
    callQueue.end(call.credential)
  }
}

/** Authenticates again, because the credential may have expired or been revoked while the user was asked. @throws ToolError forbidden */
async function authenticateAgain(call: Call): Promise<Call> {
  const { endpoint, context, tool, channel } = call
  const principal = await endpoint.options.authenticate(bearerToken(context.http.headers.authorization)!)
  if (principal?.actor.scope === 'write')
    return { ...call, scope: createCallScope({ ...context, principal }, tool.name, channel, call.scope) }
  throw new ToolError(
    'forbidden',
    'The credential of this call ended while its user was asked, so nothing was changed',
    { hint: 'Reconnect, then send the call again.' },
  )
}

/** Body of the transaction of one write. */
async function writeOnce(call: Call, ctx: WriteContext, page: string | undefined): Promise<Outcome> {
  const { keyedCall, confirmToken, channel, tool, endpoint, credential, digest } = call
  if (keyedCall) {
    const earlier = await claimKey(ctx, keyedCall)
    if (earlier) return earlier
  }
  if (tool.tool.confirm && confirmToken !== undefined && endpoint.options.confirm !== 'off')
    channel.agreedEffect = await consumeToken(ctx, { credential, digest: digest() }, confirmToken)
  if (page !== undefined) channel.agreedEffect = await consumeConfirmation(ctx, { credential, digest: digest() }, page)
  const outcome = await run(call, ctx)
  if (outcome.isError) throw new ErrorResult(outcome)
  if (keyedCall) await storeResult(ctx, keyedCall, outcome)
  return outcome
}

/** Carries an error result out of a transaction, so that the transaction is rolled back. */
class ErrorResult extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('The tool answered with an error result')
    this.outcome = outcome
  }
}

/** Result of the confirmation step. */
interface Confirmed {
  /**
   * Answer that needs no confirmation: the stored answer of an earlier call with the same idempotency key, or the answer of a tool that
   * would change nothing.
   */
  readonly answer?: Outcome
  /** Id of the confirmation that the user agreed to on a page; the write consumes it. */
  readonly page?: string
  /** The user was asked, so the credential has to be checked again. */
  readonly userWasAsked?: boolean
}

/** Ensures that the user agreed to a destructive call. @throws the refusal, or the question to the client */
async function ensureConfirmed(call: Call): Promise<Confirmed> {
  const { endpoint, tool, input, channel, confirmToken, keyedCall, scope, credential, digest } = call
  const { runner, confirm: mode } = endpoint.options
  const { confirm } = tool.tool
  if (!confirm || mode === 'off' || confirmToken !== undefined) return {}
  const { agreed, page } = channel.conversation
  channel.agreedEffect = channel.conversation.effect
  if (agreed === true) return {}
  if (page && endpoint.options.confirmationUrl) return { page: await resumeByPage(call, page), userWasAsked: true }
  if (agreed === false) throw declinedError()
  const found = await runner.read(scope, async ctx => {
    const earlier = keyedCall && (await readStoredResult(ctx, keyedCall))
    if (earlier) return { earlier }
    checkGates(call, ctx)
    return { effect: await confirm(ctx, input as never) }
  })
  if ('earlier' in found) return { answer: found.earlier }
  const { effect } = found
  if (effect === null) return {}
  if (typeof effect !== 'string')
    return { answer: await storeAnswer(call, toOutcome(tool, input, effect, endpoint.resultSizeLimit)) }
  if (mode === 'ask' && channel.canConfirm) {
    if (!(await channel.conversation.confirm(effect))) throw declinedError()
    channel.agreedEffect = digestEffect(effect)
    return { userWasAsked: true }
  }
  const confirmed = { credential, digest: digest() }
  if (mode === 'ask' && endpoint.options.confirmationUrl && channel.canOpenPage)
    return { page: await confirmByPage(call, confirmed, effect), userWasAsked: true }
  throw await runner.write(scope, ctx => askForToken(ctx, confirmed, effect))
}

/** Stores an answer that needed no transaction with the idempotency key of its call. */
async function storeAnswer({ keyedCall, scope, endpoint }: Call, outcome: Outcome): Promise<Outcome> {
  if (!keyedCall || outcome.isError) return outcome
  return endpoint.options.runner.write(scope, async ctx => {
    const earlier = await claimKey(ctx, keyedCall)
    if (!earlier) await storeResult(ctx, keyedCall, outcome)
    return earlier ?? outcome
  })
}
