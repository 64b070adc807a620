import { clip, firstCharacters, writeApart, type OwnedKey, type WriteContext } from 'tasuki/plugin'
import { publishChanges } from '../items/index.ts'
import type { CodeChange, CodeRepository } from './hosts/delivery.ts'
import { lockLink, storeRepositoryId, type WebhookLink } from './link.repository.ts'
import { findMentioned, findNames, type Mentioned } from './mentions.ts'
import { deleteReferences, readRequests, upsertReferences, type ReferenceValues } from './reference.repository.ts'

/** The item that a reference belongs to. */
type Target = Pick<Mentioned, 'id' | 'projectId' | 'ref' | 'title'>

export interface Taken {
  /** Number of new or changed references. */
  readonly stored: number
  /** Why the payload was ignored. */
  readonly skipped?: string
}

/**
 * Stores the changes of a payload. Payloads may be repeated, late and out of order: newer data is kept, and a repeated payload finds items
 * created since.
 */
export async function storeChanges(
  ctx: WriteContext,
  linkId: OwnedKey,
  reported: readonly CodeChange[],
  repository: CodeRepository | null = null,
): Promise<Taken> {
  const link = await lockLink(ctx, linkId)
  if (!link) return { stored: 0, skipped: 'This link was removed.' }
  if (repository && !isSameRepository(link, repository))
    return { stored: 0, skipped: `The payload is about ${repository.name}; this link is for ${link.repository}.` }
  if (repository?.id && repository.id !== link.repositoryId) await storeRepositoryId(ctx, link, repository.id)

  const stored = await writeApart(
    ctx,
    reported.map(clipTexts),
    changes => storeSet(ctx, link, changes),
    ({ kind, externalId }, error) =>
      ctx.log.warn({ err: error, link: link.id, kind, externalId }, 'the database refused a change of a delivery'),
  )
  return { stored: stored.reduce((sum, count) => sum + count, 0) }
}

/** Stores changes, all or none. @returns the number of new or changed references */
async function storeSet(
  ctx: WriteContext,
  link: WebhookLink & { readonly repositoryId: string | null },
  limited: readonly CodeChange[],
): Promise<number> {
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

const keyOf = (itemId: string, { kind, externalId }: Pick<CodeChange, 'kind' | 'externalId'>): string =>
  `${itemId} ${kind} ${externalId}`

/** Finds the items that changes mention. */
async function findTargets(
  ctx: WriteContext,
  link: WebhookLink,
  changes: readonly CodeChange[],
): Promise<{ change: CodeChange; item: Target }[]> {
  const namesByChange = changes.map(change => ({ change, names: findNames(change) }))
  const items = await findMentioned(ctx, link, [...new Set(namesByChange.flatMap(({ names }) => names))])
  const named = items.flatMap(item => item.names.map(name => ({ name, item })))
  const byName = Map.groupBy(named, ({ name }) => name)
  return namesByChange.flatMap(({ change, names }) =>
    names.flatMap(name => (byName.get(name) ?? []).map(({ item }) => ({ change, item }))),
  )
}

/** Returns whether the stored pull request is newer than the payload; merged is final. */
function isNewer(
  ctx: WriteContext,
  known: { readonly externalId: string; readonly state: string | null; readonly occurredAt: string },
  change: CodeChange,
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
  { kind, externalId, title, url, author, state, branch, occurredAt }: CodeChange,
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

/** Hosts do not limit these texts; the texts that may mention items stay whole. */
function clipTexts(change: CodeChange): CodeChange {
  const { externalId, title, url, author, state, branch } = change
  return {
    ...change,
    externalId: firstCharacters(externalId, 200),
    title: clip(title, 300),
    url: firstCharacters(url, 2000),
    author: author && clip(author, 200),
    state: state && clip(state, 40),
    branch: branch && clip(branch, 300),
  }
}

/** Returns the time of a change, or the current time if the host sends no valid one. */
function instantOf(ctx: WriteContext, { occurredAt }: Pick<CodeChange, 'occurredAt'>): Date {
  const time = occurredAt === null ? Number.NaN : Date.parse(occurredAt)
  return time >= 0 && time <= ctx.now.getTime() ? new Date(time) : ctx.now
}

/** Users enter names in the form of URLs: `https://github.com/Acme/shop.git` is acme/shop. */
function isSameRepository(
  link: WebhookLink & { readonly repositoryId: string | null },
  reported: CodeRepository,
): boolean {
  if (reported.id !== null && reported.id === link.repositoryId) return true
  const normalizeName = (name: string) =>
    name
      .toLowerCase()
      .replace(/^[a-z+]+:\/\/[^/]*\/|^git@[^:]*:/, '')
      .replace(/^\/|\.git$|\/$/g, '')
  return normalizeName(reported.name) === normalizeName(link.repository)
}
