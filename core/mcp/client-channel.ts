import type { ClientAnswers, ClientChannel, ClientRequest, LogLevel } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { checkStorable } from './arguments.ts'
import { isValidAnswer, readAnswers } from './client-answers.ts'
import { LOG_LEVELS } from './client-info.ts'
import {
  confirmationForm,
  confirmationLink,
  identifiedLink,
  isAgreement,
  otherEffectError,
  type ConfirmationPage,
} from './confirmation.ts'
import { digestEffect } from './digest.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { credentialOf, type RequestContext } from './request-context.ts'
import { INVALID_PARAMS, isObject, MISSING_CAPABILITY, readMeta, RpcError } from './message.ts'
import type { AskedPage, CallState, StateBinding } from './request-state.ts'
import { MINUTE_MS } from '../plugin/durations.ts'

const MAX_WAIT_MS = 10 * MINUTE_MS

type Requests = Readonly<Record<string, ClientRequest>>

/** Ends a call in a stateless revision: the client has to send the call again with answers. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired'
  readonly requests: Requests
  readonly requestState: string | null
  constructor(requests: Requests, requestState: string | null) {
    super('The client was asked for input')
    this.requests = requests
    this.requestState = requestState
  }
}

/** Channel to the client, with operations that only the host uses. A class, because one is created per call. */
export class HostClientChannel implements ClientChannel {
  readonly capabilities: ClientChannel['capabilities']
  readonly #endpoint: EndpointContext
  readonly #context: RequestContext
  readonly #digest: () => string
  #opened: Conversation | undefined
  /** Digest of the effect that the user agreed to; undefined if nobody was asked. */
  agreedEffect: string | undefined

  /** @param digest digest of the request's name and arguments; answers to other requests are rejected */
  constructor(endpoint: EndpointContext, context: RequestContext, digest: () => string) {
    this.capabilities = context.capabilities
    this.#endpoint = endpoint
    this.#context = context
    this.#digest = digest
    const { params } = context.request
    // Verifies state that the client sends, even if no handler reads it.
    if (this.#modern && (params['requestState'] !== undefined || params['inputResponses'] !== undefined))
      void this.conversation
  }

  get #modern(): boolean {
    return this.#context.revision.era === 'modern'
  }

  /** Questions to the user of the client; created on first use. */
  get conversation(): Conversation {
    return (this.#opened ??= this.#modern
      ? createRoundTrips(this.#endpoint, this.#context, this.#digest)
      : createSessionConversation(this.#context))
  }

  /** Whether the client can show a form to its user during this call. */
  get canConfirm(): boolean {
    return supportsForms(this.capabilities) && (this.#modern || canPush(this.#context))
  }

  /** Whether the client can open a page for its user during this call, and cannot show a form. */
  get canOpenPage(): boolean {
    const { revision } = this.#context
    return revision.pages && supportsOnlyPages(this.capabilities) && (this.#modern || canPush(this.#context))
  }

  /** Notifies the client that the user has decided on the page, in revisions that have this notification. */
  notifyDecided(elicitationId: string): void {
    if (!this.#modern)
      this.#context.stream?.send(formatNotification('notifications/elicitation/complete', { elicitationId }))
  }

  ask(requests: Requests, state?: unknown): Promise<ClientAnswers> {
    return this.conversation.ask(requests, state)
  }

  requireAgreed(effect: string): void {
    if (this.agreedEffect !== undefined && this.agreedEffect !== digestEffect(effect)) throw otherEffectError(effect)
  }

  /** Replays the answers from the start, for a retry of the handler. */
  rewind(): void {
    this.#opened?.rewind()
  }

  progress(progress: number, total?: number, message?: string): void {
    const { request, stream, cancellation } = this.#context
    const progressToken = readMeta(request.params, 'progressToken')
    if (!stream || progressToken === undefined || cancellation.cancelled) return
    stream.send(formatNotification('notifications/progress', { progressToken, progress, total, message }))
  }

  log(level: LogLevel, data: unknown): void {
    const { logLevel, stream, cancellation } = this.#context
    if (!stream || logLevel === null || cancellation.cancelled) return
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return
    stream.send(formatNotification('notifications/message', { level, data }))
  }
}

const formatNotification = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params })

interface Conversation {
  /** Whether the user agreed to the call; null if not asked yet. */
  readonly agreed: boolean | null
  /** Digest of the effect of an earlier question. */
  readonly effect?: string | undefined
  /** Confirmation page of an earlier round of this call; null if there was none. */
  readonly page: AskedPage | null
  confirm(effect: string): Promise<boolean>
  /** Asks the client to open a page for the user. @returns whether the client opens it; that is not yet the user's decision */
  showPage(page: ConfirmationPage): Promise<boolean>
  /** Returns the error that ends a round while the user still has the page open. The client sends the call again without asking the user. */
  keepWaiting(id: string): InputRequired
  ask(requests: Requests, state?: unknown): Promise<ClientAnswers>
  rewind(): void
}

/**
 * 2026-07-28: a question ends the call, and the client sends it again with the answers (multi round-trip requests).
 * Answers of earlier rounds are part of the signed state, so that a handler can ask several times.
 */
function createRoundTrips(endpoint: EndpointContext, context: RequestContext, digest: () => string): Conversation {
  const { method, params } = context.request
  let binding: StateBinding | undefined
  const bind = (): StateBinding =>
    (binding ??= { credential: credentialOf(context.principal), method, digest: digest() })
  const { requestState, inputResponses } = params
  if (inputResponses !== undefined && !isObject(inputResponses))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: inputResponses must be an object')
  if (inputResponses) checkStorable(inputResponses)
  const previous: CallState | null = requestState === undefined ? null : endpoint.states.open(requestState, bind())
  const answered = [...(previous?.rounds ?? [])]
  const { agreed, page } = readDecisionOfState(previous, inputResponses?.['confirm'])
  const waiting = (askedPage: AskedPage): string =>
    endpoint.states.seal({ asking: 'host', agreed: false, page: askedPage, rounds: [] }, bind())
  let answerIndex = 0
  let hasNewAnswers = previous?.asking !== 'host' && inputResponses !== undefined
  return {
    agreed,
    effect: previous?.effect,
    page,
    async confirm(effect) {
      const state: CallState = { asking: 'host', agreed: false, effect: digestEffect(effect), rounds: [] }
      throw new InputRequired({ confirm: confirmationForm(effect) }, endpoint.states.seal(state, bind()))
    },
    async showPage(shown) {
      throw new InputRequired({ confirm: confirmationLink(shown) }, waiting({ id: shown.id, opened: false }))
    },
    keepWaiting: id => new InputRequired({}, waiting({ id, opened: true })),
    async ask(requests, pending) {
      const earlier = answered[answerIndex]
      if (earlier) {
        answerIndex++
        return earlier
      }
      if (hasNewAnswers) {
        const answers = readAnswers(requests, inputResponses!)
        if (answers) {
          hasNewAnswers = false
          answerIndex++
          answered.push({ answers, state: previous?.pending })
          return answered.at(-1)!
        }
      }
      requireCapabilities(context, requests)
      const hasState = pending !== undefined || agreed !== null || page !== null || answered.length > 0
      const state: CallState = {
        asking: 'handler',
        agreed: agreed === true,
        ...(previous?.effect && { effect: previous.effect }),
        ...(page && { page }),
        rounds: answered,
        pending,
      }
      throw new InputRequired(requests, hasState ? endpoint.states.seal(state, bind()) : null)
    },
    rewind() {
      answerIndex = 0
    },
  }
}

/** Reads what the user has decided so far, from the state and the answer to the host's question. */
function readDecisionOfState(previous: CallState | null, answer: unknown): Pick<Conversation, 'agreed' | 'page'> {
  const agreed = previous?.agreed ? true : null
  const page = previous?.page ?? null
  if (previous?.asking !== 'host') return { agreed, page }
  if (!page) return { agreed: isValidAnswer(confirmationForm(''), answer) ? isAgreement(answer) : agreed, page }
  const action = isObject(answer) ? answer['action'] : undefined
  if (action === 'accept') return { agreed, page: { ...page, opened: true } }
  return { agreed: action === 'decline' || action === 'cancel' ? false : agreed, page }
}

/** 2025 revisions: requests to the client are sent on the stream of this response, and the answers arrive as separate POSTs. */
function createSessionConversation(context: RequestContext): Conversation {
  const { session, stream, cancellation } = context
  const sendRequest = async (request: ClientRequest): Promise<Readonly<Record<string, unknown>>> => {
    const limit = AbortSignal.timeout(MAX_WAIT_MS)
    const { id, response } = session!.expect(AbortSignal.any([cancellation.signal, limit]))
    // If sending fails below, nothing awaits the response.
    response.catch(() => undefined)
    const sent = stream!.send(
      JSON.stringify({ jsonrpc: '2.0', id, method: request.method, params: request.params ?? {} }),
    )
    if (!sent) throw noAnswerError(request.method, 'its connection is closed')
    const answer = await response.catch((error: unknown) => {
      throw noAnswerError(
        request.method,
        limit.aborted ? 'it did not answer within 10 minutes' : (error as Error).message,
      )
    })
    if (answer.error !== undefined) throw noAnswerError(request.method, 'it refused the request')
    if (!isValidAnswer(request, answer.result))
      throw noAnswerError(request.method, 'its answer does not fit the request')
    return answer.result
  }
  return {
    agreed: null,
    page: null,
    confirm: async effect => isAgreement(await sendRequest(confirmationForm(effect))),
    showPage: async page => (await sendRequest(identifiedLink(page)))['action'] === 'accept',
    keepWaiting: () => {
      throw new Error('a session waits in one request')
    },
    async ask(requests, state) {
      for (const request of Object.values(requests)) {
        if (!canPush(context)) throw noAnswerError(request.method, 'it has no session that a request could be sent on')
        if (!hasCapability(context.capabilities, request))
          throw noAnswerError(request.method, 'it does not declare that capability')
      }
      const entries = Object.entries(requests).map(async ([key, request]) => [key, await sendRequest(request)] as const)
      return { answers: Object.fromEntries(await Promise.all(entries)), state }
    },
    rewind: () => undefined,
  }
}

const canPush = ({ session, stream }: RequestContext): boolean => session !== null && stream?.usable === true

function noAnswerError(method: string, why: string): ToolError {
  return new ToolError('unavailable', `This call needs an answer of the client (${method}), but ${why}`, {
    hint: 'Use a client that supports this, or a tool that does not ask.',
  })
}

const CAPABILITIES: Readonly<Record<ClientRequest['method'], string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

function hasCapability(capabilities: ClientChannel['capabilities'], { method }: ClientRequest): boolean {
  return method === 'elicitation/create' ? supportsForms(capabilities) : isObject(capabilities[CAPABILITIES[method]])
}

/** An empty `elicitation` implies forms; one with only `url` does not. */
function supportsForms({ elicitation }: ClientChannel['capabilities']): boolean {
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation))
}

function supportsOnlyPages({ elicitation }: ClientChannel['capabilities']): boolean {
  return isObject(elicitation) && isObject(elicitation['url']) && !('form' in elicitation)
}

function requireCapabilities({ capabilities }: RequestContext, requests: Requests): void {
  const missing = Object.values(requests).filter(request => !hasCapability(capabilities, request))
  if (missing.length === 0) return
  const names = missing.map(({ method }) => CAPABILITIES[method])
  throw new RpcError(MISSING_CAPABILITY, `Client capability required: ${[...new Set(names)].join(', ')}`, {
    status: 400,
    data: { requiredCapabilities: Object.fromEntries(names.map(name => [name, {}])) },
  })
}
