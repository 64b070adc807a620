import type { Principal } from '../runtime/principal.ts'
import type { ChangedKeys } from '../runtime/change-feed.ts'
import type { Publisher } from '../plugin/publisher.ts'
import { credentialOf, type RequestContext } from './request-context.ts'
import { clip } from '../plugin/clip.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, RpcError } from './message.ts'
import { META_SERVER_INFO, META_SUBSCRIPTION } from './metadata.ts'
import type { McpOptions } from './options.ts'
import type { View } from '../runtime/registry/types.ts'
import type { ResponseStream } from './stream.ts'
import { findWatchable, startWatching } from './watch-records.ts'

const MAX_STREAMS = 1024
const MAX_PER_CREDENTIAL = 16
const MAX_PER_USER = 64
const MAX_URIS = 1000
/** Limit for all URIs of a subscription, which stay in memory while it is open. */
const MAX_URI_BYTES = 128 * 1024
/** Interval of the credential check for open streams. */
const RECHECK_MS = 60_000

interface Filter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}
interface Subscription {
  readonly userId: string
  readonly credential: string
  readonly filter: Filter
  readonly notify: (method: string, params: object) => void
  readonly finish: () => void
}

export interface Subscriptions extends Publisher {
  /**
   * Answers subscriptions/listen with a stream that stays open. @param identify authenticates the credential again; null if it is no longer
   * valid
   */
  listen(context: RequestContext, stream: ResponseStream, identify: () => Promise<Principal | null>): Promise<void>
  /** Ends all streams with a final response. */
  close(): void
}

export function createSubscriptions(options: McpOptions): Subscriptions {
  const open = new Set<Subscription>()
  const publish = (matches: (filter: Filter) => unknown, method: string, params: object = {}): void => {
    for (const { filter, notify } of open) if (matches(filter)) notify(method, params)
  }
  return {
    toolsChanged: () => publish(filter => filter.toolsListChanged, 'notifications/tools/list_changed'),
    promptsChanged: () => publish(filter => filter.promptsListChanged, 'notifications/prompts/list_changed'),
    resourcesChanged: () => publish(filter => filter.resourcesListChanged, 'notifications/resources/list_changed'),
    resourceUpdated: uri =>
      publish(filter => filter.resourceSubscriptions?.includes(uri), 'notifications/resources/updated', { uri }),
    async listen(context, stream, identify) {
      const { id, params } = context.request
      const credential = credentialOf(context.principal)
      const { userId } = context.principal.actor
      const filter = acceptFilter(options, context.view, params['notifications'])
      const ofUser = [...open].filter(other => other.userId === userId)
      const own = ofUser.filter(other => other.credential === credential)
      if (open.size >= MAX_STREAMS || ofUser.length >= MAX_PER_USER || own.length >= MAX_PER_CREDENTIAL)
        throw new RpcError(INTERNAL_ERROR, 'Too many subscriptions are open; close one first')
      const notify = (method: string, more: object): void => {
        const _meta = { [META_SUBSCRIPTION]: id }
        stream.send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...more, _meta } }))
      }
      const finish = (): void => {
        const _meta = { [META_SUBSCRIPTION]: id, [META_SERVER_INFO]: options.server }
        stream.send(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } }))
        stream.end()
      }
      const subscription: Subscription = { userId, credential, filter, notify, finish }
      if (!stream.usable)
        throw new RpcError(406, 'subscriptions/listen answers with text/event-stream', { status: 406 })
      open.add(subscription)
      const watched = watch(options, context, filter.resourceSubscriptions ?? [], { identify, notify, finish })
      const check = async (): Promise<void> => {
        if (await identify()) (await watched).recheck()
        else finish()
      }
      const recheck = setInterval(() => void check().catch(finish), RECHECK_MS).unref()
      const stop = (): void => {
        clearInterval(recheck)
        open.delete(subscription)
        watched.then(
          ({ stop: stopWatching }) => stopWatching(),
          () => undefined,
        )
      }
      stream.onClose(stop)
      // The client must not miss a change after the acknowledgement.
      await watched.catch((error: unknown) => {
        stop()
        throw error
      })
      notify('notifications/subscriptions/acknowledged', { notifications: filter })
    },
    close() {
      for (const { finish } of open) finish()
    },
  }
}

type Subscriber = Pick<Subscription, 'notify' | 'finish'> & { readonly identify: () => Promise<Principal | null> }
interface Watched {
  /** Checks all records, even without a change message: one may have been missed, or the credential may see more now. */
  recheck(): void
  stop(): void
}
const NO_WATCH: Watched = { recheck: () => undefined, stop: () => undefined }

/** Notifies a subscription of changed records for as long as its credential can read them. */
async function watch(
  options: McpOptions,
  context: RequestContext,
  uris: readonly string[],
  { identify, notify, finish }: Subscriber,
): Promise<Watched> {
  const { changes } = options
  if (!changes || !uris.some(uri => findWatchable(context.view, uri))) return NO_WATCH
  let watching: ReturnType<typeof startWatching> | undefined
  let lastCheck: Promise<void> = Promise.resolve()
  const checkChanges = async (keys: ChangedKeys): Promise<void> => {
    // The initial read, which has not started yet, includes these changes.
    if (!watching) return
    const principal = await identify()
    if (!principal) return finish()
    for (const uri of await (await watching).changed(keys, principal))
      notify('notifications/resources/updated', { uri })
  }
  const onChanges = (keys: ChangedKeys): void => {
    // Sequential, so that states are compared in order.
    lastCheck = lastCheck
      .then(() => checkChanges(keys))
      .catch((error: unknown) => context.log.warn({ err: error }, 'an update was not sent'))
  }
  // Listens before the initial read, so that a change in between is detected by its version.
  const stop = await changes.listen(onChanges)
  try {
    watching = startWatching(options, context, uris)
    await watching
  } catch (error) {
    stop()
    throw error
  }
  return { recheck: () => onChanges(null), stop }
}

function readUris(uris: unknown): readonly string[] | undefined {
  if (uris === undefined) return undefined
  const refused = (rule: string) =>
    new RpcError(INVALID_PARAMS, `Invalid params: resourceSubscriptions must be at most ${rule}`)
  if (!Array.isArray(uris) || uris.length > MAX_URIS || !uris.every(uri => typeof uri === 'string'))
    throw refused(`${MAX_URIS} strings, got ${clip(JSON.stringify(uris))}`)
  const bytes = uris.reduce((sum, uri) => sum + Buffer.byteLength(uri), 0)
  if (bytes > MAX_URI_BYTES) throw refused(`${MAX_URI_BYTES} bytes`)
  return uris
}

/** Returns the part of the requested filter that the server supports. */
function acceptFilter({ registry, listChanged, changes }: McpOptions, view: View, requested: unknown): Filter {
  if (requested !== undefined && !isObject(requested))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: notifications must be an object')
  if (!requested) return {}
  const uris = readUris(requested['resourceSubscriptions'])
  const resources = registry.resources.length > 0
  const lists = listChanged === true && {
    ...(requested['toolsListChanged'] === true && { toolsListChanged: true as const }),
    ...(requested['promptsListChanged'] === true && registry.prompts.size > 0 && { promptsListChanged: true as const }),
    ...(requested['resourcesListChanged'] === true && resources && { resourcesListChanged: true as const }),
  }
  // A plugin that publishes may notify about any URI.
  const watchableUris = listChanged ? uris : changes && uris?.filter(uri => findWatchable(view, uri))
  return { ...lists, ...(watchableUris && resources && { resourceSubscriptions: watchableUris }) }
}
