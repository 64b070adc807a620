import type { CallScope } from '../runtime/runner.ts'
import type { Confirmation } from '../plugin/confirmations.ts'
import { ToolError } from '../plugin/errors.ts'
import { declinedError } from './confirmation.ts'
import type { ConfirmedCall } from './confirmation.repository.ts'
import { updateOpenConfirmation } from './confirmation.repository.ts'
import { confirmationKey, confirmations, openConfirmation } from './confirmation-pages.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { InputRequired, type HostClientChannel } from './client-channel.ts'
import type { AskedPage } from './request-state.ts'

/** Longest wait of a call in a stateless revision before the client has to send it again; clients time out after a minute. */
const ROUND_MS = 45_000
/** Bounds of the polling interval, for a decision whose notification was missed. */
const MIN_PAUSE_MS = 1000
const MAX_PAUSE_MS = 10_000

/** The parts of a call that a confirmation by page needs. */
interface PageCall {
  readonly endpoint: EndpointContext
  readonly scope: CallScope
  readonly channel: HostClientChannel
}

/**
 * Asks the user on a page whether the call may run.
 * @returns id of the confirmation, which the write consumes
 * @throws ToolError if the user declined or did not decide. @throws InputRequired in a stateless revision
 */
export async function confirmByPage(call: PageCall, confirmed: ConfirmedCall, effect: string): Promise<string> {
  const { endpoint, scope, channel } = call
  const id = await endpoint.options.runner.write(scope, ctx => openConfirmation(ctx, confirmed, effect))
  let decision: Decision | undefined
  try {
    if (!(await channel.conversation.showPage({ id, url: endpoint.options.confirmationUrl!(id), effect })))
      throw declinedError()
    decision = await awaitDecision(call, id)
  } catch (error) {
    if (!(error instanceof InputRequired)) await closePage(call, id)
    throw error
  }
  // The client cancelled the call, or the host is shutting down.
  if (decision.status === 'open') await closePage(call, id)
  if (decision.status === 'agreed' || decision.status === 'declined') channel.notifyDecided(id)
  return requireAgreement(id, decision)
}

/** Continues a call of a stateless revision whose user was asked in an earlier round. Returns and throws as `confirmByPage`. */
export async function resumeByPage(call: PageCall, { id, opened }: AskedPage): Promise<string> {
  const { endpoint, channel } = call
  if (channel.conversation.agreed === false) {
    await closePage(call, id)
    throw declinedError()
  }
  const { status, effect } = await (opened ? awaitRound(call, id) : readDecisionOfPage(call, id))
  if (status !== 'open') return requireAgreement(id, { status })
  if (opened) throw channel.conversation.keepWaiting(id)
  await channel.conversation.showPage({ id, url: endpoint.options.confirmationUrl!(id), effect })
  throw undecidedError()
}

function requireAgreement(id: string, { status }: Pick<Decision, 'status'>): string {
  if (status === 'agreed') return id
  throw status === 'declined' ? declinedError() : undecidedError()
}

function undecidedError(): ToolError {
  return new ToolError('confirmation_invalid', 'Nobody confirmed this call in time, so nothing was changed', {
    hint: 'If the user still wants it, send the call again; a new page asks them.',
  })
}

/** Closes the confirmation, so that the page shows that the call has ended. If this fails, the confirmation expires. */
async function closePage({ endpoint, scope }: PageCall, id: string): Promise<void> {
  await endpoint.options.runner
    .write(scope, ctx => updateOpenConfirmation(ctx, id, { expires_at: ctx.now }))
    .catch((error: unknown) => scope.log.warn({ err: error }, 'a confirmation could not be closed'))
}

type Decision = Pick<Confirmation, 'status' | 'effect'>

/** Reads from the primary, so that a very recent decision is visible. */
async function readDecisionOfPage({ endpoint, scope }: PageCall, id: string): Promise<Decision> {
  const found = await endpoint.options.runner.writeWithoutTransaction(scope, ctx => confirmations.find(ctx, id))
  return found ?? { status: 'over', effect: '' }
}

/**
 * Waits in one request per confirmation only: further requests of the same call return at once, so that a client cannot pile up waiting
 * requests.
 */
async function awaitRound(call: PageCall, id: string): Promise<Decision> {
  const { awaitedConfirmations: awaited } = call.endpoint
  if (awaited.has(id)) return readDecisionOfPage(call, id)
  awaited.add(id)
  try {
    return await awaitDecision(call, id, ROUND_MS)
  } finally {
    awaited.delete(id)
  }
}

/**
 * Waits until the user decides, on any instance. Holds no connection or transaction while waiting.
 * Returns the status `open` on timeout, cancellation or shutdown, and `over` once the confirmation has expired.
 */
async function awaitDecision(call: PageCall, id: string, limitMs = Infinity): Promise<Decision> {
  const { endpoint, scope } = call
  const signal = AbortSignal.any([scope.cancellation.signal, endpoint.closing])
  let notified = false
  let wake = (): void => undefined
  const onNotified = (): void => {
    notified = true
    wake()
  }
  const pause = (ms: number): Promise<void> =>
    new Promise(resolve => {
      if (notified) return resolve()
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const key = confirmationKey(id)
  const stop = await endpoint.options.changes?.listen(keys => (keys === null || keys.has(key)) && onNotified())
  signal.addEventListener('abort', onNotified, { once: true })
  try {
    const end = Date.now() + limitMs
    for (let ms = MIN_PAUSE_MS; ; ms = Math.min(2 * ms, MAX_PAUSE_MS)) {
      // Reset before the look, so that a decision during the look is noticed.
      notified = false
      const decision = await readDecisionOfPage(call, id)
      const remaining = end - Date.now()
      if (decision.status !== 'open' || remaining <= 0 || signal.aborted) return decision
      await pause(Math.min(ms, remaining))
    }
  } finally {
    stop?.()
    signal.removeEventListener('abort', onNotified)
  }
}
