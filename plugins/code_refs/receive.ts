import { writeApart, type OwnedKey, type WriteContext } from 'tasuki/plugin'
import { publishChanges } from '../items/index.ts'
import type { CodeRepository } from './hosts/delivery.ts'
import { lockLink, storeRepositoryId, type WebhookLink } from './link.repository.ts'
import { findMentioned, type Mentioned } from './mentions.ts'
import type { Delivery, NamedChange } from './read-delivery.ts'
import { deleteReferences, readRequests, upsertReferences, type ReferenceValues } from './reference.repository.ts'

/** The item that a reference belongs to. */
type Target = Pick<Mentioned, 'id' | 'projectId' | 'ref' | 'title'>

/**
 * Stores the changes of a delivery, set by set. Deliveries may be repeated, late and out of order: newer data is kept, and a repeated one finds items
 * created since.
 */
export async function storeChanges(ctx: WriteContext, linkId: OwnedKey, { repository, sets }: Delivery) {
  const link = await lockLink(ctx, linkId)
  if (!link) return { stored: 0, skipped: 'This link was removed.' }
  if (repository && !isSameRepository(link, repository))
    return { stored: 0, skipped: `The payload is about ${repository.name}; this link is for ${link.repository}.` }
  if (repository?.id && repository.id !== link.repositoryId) await storeRepositoryId(ctx, link, repository.id)

  let stored = 0
  for (const set of sets) {
    const counts = await writeApart(
      ctx,
      JSON.parse(set) as readonly NamedChange[],
      changes => storeSet(ctx, link, changes),
      ({ kind, externalId }, error) =>
        ctx.log.warn({ err: error, link: link.id, kind, externalId }, 'the database refused a change of a delivery'),
    )
    stored += counts.reduce((sum, count) => sum + count, 0)
  }
  return { stored }
}

/** Stores changes, all or none. @returns the number of new or changed references */
async function storeSet(ctx: WriteContext, link: WebhookLink, limited: readonly NamedChange[]): Promise<number> {
  const requests = limited.flatMap(change => (change.kind === 'pull_request' ? [change.externalId] : []))
  const known = await readRequests(ctx, link, requests)
  const changes = limited.filter(change => !known.some(row => isNewer(ctx, row, change)))
  const found = await findTargets(ctx, link, changes)
  const mentioned = new Set(found.map(({ item, change }) => keyOf(item.id, change)))
  const left = known.flatMap(({ externalId, ...item }) => {
    const change = changes.find(each => each.kind === 'pull_request' && each.externalId === externalId)
    return change && !mentioned.has(keyOf(item.id, change)) ? [{ change, item }] : []
  })
  // The text of a pull request can be edited: items that it no longer mentions lose the reference. Items that moved to another project keep
  // it, because they are not searched there.
  const { gone = [], moved = [] } = Object.groupBy(left, ({ item }) =>
    item.projectId === link.projectId ? 'gone' : 'moved',
  )
  const references = gone.map(({ change, item }) => ({ item_id: item.id, external_id: change.externalId }))
  await deleteReferences(ctx, link, references)
  found.push(...moved)

  const rows = new Map(found.map(each => [keyOf(each.item.id, each.change), each]))
  const values = [...rows.values()].map(({ change, item }) => valuesOf(ctx, link, change, item))
  const stored = await upsertReferences(ctx, values)
  const added = stored
    .filter(row => row['fresh'])
    .map(row => {
      const { change, item } = rows.get(keyOf(row.item_id, { kind: row.kind, externalId: row.external_id }))!
      const { id: itemId, projectId, ref, title } = item
      const to = { kind: change.kind, title: change.title, url: change.url, repository: link.repository }
      return { ownerId: link.ownerId, itemId, projectId, ref, title, kind: 'code_ref.added', to }
    })
  await publishChanges(ctx, added)
  return stored.length
}

const keyOf = (itemId: string, { kind, externalId }: Pick<NamedChange, 'kind' | 'externalId'>): string =>
  `${itemId} ${kind} ${externalId}`

/** Finds the items that changes mention. */
async function findTargets(
  ctx: WriteContext,
  link: WebhookLink,
  changes: readonly NamedChange[],
): Promise<{ change: NamedChange; item: Target }[]> {
  const items = await findMentioned(ctx, link, [...new Set(changes.flatMap(({ names }) => names))])
  const named = items.flatMap(item => item.names.map(name => ({ name, item })))
  const byName = Map.groupBy(named, ({ name }) => name)
  return changes.flatMap(change =>
    change.names.flatMap(name => (byName.get(name) ?? []).map(({ item }) => ({ change, item }))),
  )
}

/** Returns whether the stored pull request is newer than the payload; merged is final. */
function isNewer(
  ctx: WriteContext,
  known: { readonly externalId: string; readonly state: string | null; readonly occurredAt: string },
  change: NamedChange,
): boolean {
  return (
    change.kind === 'pull_request' &&
    change.externalId === known.externalId &&
    (instantOf(ctx, change) < new Date(known.occurredAt) || (known.state === 'merged' && change.state !== 'merged'))
  )
}

const valuesOf = (
  ctx: WriteContext,
  link: WebhookLink,
  { kind, externalId, title, url, author, state, branch, occurredAt }: NamedChange,
  item: Target,
): ReferenceValues => ({
  owner_id: link.ownerId,
  item_id: item.id,
  link_id: link.id,
  kind,
  external_id: externalId,
  title,
  url,
  author,
  state,
  branch,
  occurred_at: instantOf(ctx, { occurredAt }),
})

/** Returns the time of a change, or the current time if the host sends no valid one. */
function instantOf(ctx: WriteContext, { occurredAt }: Pick<NamedChange, 'occurredAt'>): Date {
  const time = occurredAt === null ? Number.NaN : Date.parse(occurredAt)
  return time >= 0 && time <= ctx.now.getTime() ? new Date(time) : ctx.now
}

/** Users enter names in the form of URLs: `https://github.com/Acme/shop.git` is acme/shop. */
function isSameRepository(link: WebhookLink & { repositoryId: string | null }, reported: CodeRepository): boolean {
  if (reported.id !== null && reported.id === link.repositoryId) return true
  const normalizeName = (name: string) =>
    name
      .toLowerCase()
      .replace(/^[a-z+]+:\/\/[^/]*\/|^git@[^:]*:/, '')
      .replace(/^\/|\.git$|\/$/g, '')
  return normalizeName(reported.name) === normalizeName(link.repository)
}
