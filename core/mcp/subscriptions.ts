import type { Publisher } from '../plugin/publisher.ts'
import { credentialOf, type Exchange } from './exchange.ts'
import { clip } from '../plugin/clip.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, RpcError } from './message.ts'
import { META_SERVER_INFO, META_SUBSCRIPTION } from './metadata.ts'
import type { McpOptions } from './options.ts'
import type { ResponseStream } from './stream.ts'

const MOST_STREAMS = 1024
const MOST_PER_CREDENTIAL = 16
const MOST_URIS = 1000
/** How often it is checked that the credential of an open stream still holds. */
const RECHECK_MS = 60_000

interface Filter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}
interface Subscription {
  readonly credential: string
  readonly filter: Filter
  readonly notify: (method: string, params: object) => void
  readonly finish: () => void
}

export interface Subscriptions extends Publisher {
  /** Answers subscriptions/listen: a stream that stays open. @param stillValid whether the credential still holds. */
  listen(exchange: Exchange, stream: ResponseStream, stillValid: () => Promise<boolean>): void
  /** Ends all streams in good order. */
  close(): void
}

export function createSubscriptions(options: McpOptions): Subscriptions {
  const open = new Set<Subscription>()
  const publish = (wanted: (filter: Filter) => unknown, method: string, params: object = {}): void => {
    for (const { filter, notify } of open) if (wanted(filter)) notify(method, params)
  }
  return {
    toolsChanged: () => publish(filter => filter.toolsListChanged, 'notifications/tools/list_changed'),
    promptsChanged: () => publish(filter => filter.promptsListChanged, 'notifications/prompts/list_changed'),
    resourcesChanged: () => publish(filter => filter.resourcesListChanged, 'notifications/resources/list_changed'),
    resourceUpdated: uri =>
      publish(filter => filter.resourceSubscriptions?.includes(uri), 'notifications/resources/updated', { uri }),
    listen(exchange, stream, stillValid) {
      const { id, params } = exchange.request
      const credential = credentialOf(exchange.principal)
      const filter = honoured(options, params['notifications'])
      const mine = [...open].filter(other => other.credential === credential)
      if (open.size >= MOST_STREAMS || mine.length >= MOST_PER_CREDENTIAL) {
        throw new RpcError(INTERNAL_ERROR, 'Too many subscriptions are open; close one first')
      }
      const notify = (method: string, more: object): void => {
        const _meta = { [META_SUBSCRIPTION]: id }
        stream.send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...more, _meta } }))
      }
      const finish = (): void => {
        const _meta = { [META_SUBSCRIPTION]: id, [META_SERVER_INFO]: options.server }
        stream.send(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } }))
        stream.end()
      }
      const subscription: Subscription = { credential, filter, notify, finish }
      if (!stream.usable)
        throw new RpcError(406, 'subscriptions/listen answers with text/event-stream', { status: 406 })
      notify('notifications/subscriptions/acknowledged', { notifications: filter })
      open.add(subscription)
      const recheck = setInterval(() => void stillValid().then(valid => valid || finish(), finish), RECHECK_MS).unref()
      stream.onClose(() => {
        clearInterval(recheck)
        open.delete(subscription)
      })
    },
    close() {
      for (const { finish } of open) finish()
    },
  }
}

/** What of the wishes the server can fulfil. */
function honoured({ registry, listChanged }: McpOptions, wishes: unknown): Filter {
  if (wishes !== undefined && !isObject(wishes))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: notifications must be an object')
  if (!wishes || !listChanged) return {}
  const uris = wishes['resourceSubscriptions']
  if (
    uris !== undefined &&
    !(Array.isArray(uris) && uris.length <= MOST_URIS && uris.every(uri => typeof uri === 'string'))
  ) {
    throw new RpcError(
      INVALID_PARAMS,
      `Invalid params: resourceSubscriptions must be at most ${MOST_URIS} strings, got ${clip(JSON.stringify(uris))}`,
    )
  }
  const resources = registry.resources.length > 0
  return {
    ...(wishes['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(wishes['promptsListChanged'] === true && registry.prompts.size > 0 && { promptsListChanged: true }),
    ...(wishes['resourcesListChanged'] === true && resources && { resourcesListChanged: true }),
    ...(uris && resources && { resourceSubscriptions: uris }),
  }
}
