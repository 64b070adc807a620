import type { ChangedKeys } from '../runtime/change-feed.ts'
import type { Principal } from '../runtime/principal.ts'
import { silentClient } from '../runtime/silent-client.ts'
import type { ReadContext } from '../plugin/context.ts'
import type { AddressParams, Resource, WatchedRecord } from '../plugin/resource.ts'
import type { View } from '../runtime/registry/types.ts'
import { checkStorable } from './arguments.ts'
import { createCallScope, type RequestContext } from './request-context.ts'
import type { McpOptions } from './options.ts'
import { findResource } from './resource-address.ts'

/** A URI whose record can be watched. */
interface Watchable {
  readonly uri: string
  readonly resource: Resource
  readonly params: AddressParams
}

/** Finds the resource of a URI if its changes can be watched; otherwise null. */
export function findWatchable({ resources }: View, uri: string): Watchable | null {
  try {
    const found = findResource(resources, uri)
    if (!found?.resource.watch) return null
    checkStorable(found.params)
    return { uri, ...found }
  } catch {
    return null
  }
}

/** The watched records of one subscription and their last known state. */
export interface Watching {
  /** Reads the records that may have changed, with the current permissions of the credential. @returns URIs of changed records */
  changed(keys: ChangedKeys, principal: Principal): Promise<readonly string[]>
}

/** Reads the current state of the records; later changes are reported relative to it. */
export async function startWatching(
  { runner }: McpOptions,
  context: RequestContext,
  uris: readonly string[],
): Promise<Watching> {
  const watchable = [...new Set(uris)].flatMap(uri => findWatchable(context.view, uri) ?? [])
  const readRecords = (
    which: readonly Watchable[],
    principal: Principal,
  ): Promise<ReadonlyMap<string, WatchedRecord>> =>
    runner.read(createCallScope({ ...context, principal }, 'subscriptions/listen', silentClient), ctx =>
      findRecords(ctx, which),
    )
  const lastStates = new Map(await readRecords(watchable, context.principal))
  return {
    async changed(keys, principal) {
      const which = watchable.filter(
        ({ uri }) => keys === null || lastStates.get(uri)?.keys.some(key => keys.has(key)) === true,
      )
      if (which.length === 0) return []
      const now = await readRecords(which, principal)
      const changed: string[] = []
      for (const { uri } of which) {
        const record = now.get(uri)
        if (record && record.version !== lastStates.get(uri)?.version) changed.push(uri)
        if (record) lastStates.set(uri, record)
      }
      return changed
    },
  }
}

/** Reads the records with one statement per resource. */
async function findRecords(ctx: ReadContext, which: readonly Watchable[]): Promise<ReadonlyMap<string, WatchedRecord>> {
  const found = new Map<string, WatchedRecord>()
  for (const resource of new Set(which.map(each => each.resource))) {
    const matching = which.filter(each => each.resource === resource)
    const watched = await resource.watch!(
      ctx,
      matching.map(({ params }) => params),
    )
    matching.forEach(({ uri }, n) => {
      const record = watched[n]
      if (record) found.set(uri, record)
    })
  }
  return found
}
