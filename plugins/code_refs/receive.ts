import { clip, firstCharacters, type WriteContext } from 'tasuki/plugin'
import { publishChanges } from '../items/index.ts'
import type { CodeChange } from './hosts/delivery.ts'
import type { WebhookLink } from './link.repository.ts'
import { findMentioned, namesIn } from './mentions.ts'
import { insertDelivery, upsertReferences } from './reference.repository.ts'

/** Keeps what a delivery tells, once. @returns the number of references that were stored. */
export async function takeDelivery(
  ctx: WriteContext,
  link: WebhookLink,
  delivery: string,
  told: readonly CodeChange[],
): Promise<number> {
  const changes = told.map(withinLimits)
  const fresh = await insertDelivery(ctx, {
    owner_id: link.ownerId,
    link_id: link.id,
    delivery,
    received_at: ctx.now,
  })
  if (!fresh) return 0
  const named = changes.map(change => ({ change, names: namesIn(change) })).filter(({ names }) => names.length > 0)
  const items = await findMentioned(ctx, link, [...new Set(named.flatMap(({ names }) => names))])
  const found = named.flatMap(({ change, names }) =>
    items.filter(item => item.names.some(name => names.includes(name))).map(item => ({ change, item })),
  )
  const rows = [
    ...new Map(
      found.map(({ change, item }) => [`${item.id} ${change.kind} ${change.externalId}`, { change, item }]),
    ).values(),
  ]
  if (rows.length === 0) return 0
  const values = rows.map(({ change, item }) => ({
    owner_id: link.ownerId,
    item_id: item.id,
    link_id: link.id,
    kind: change.kind,
    external_id: change.externalId,
    title: change.title,
    url: change.url,
    author: change.author,
    state: change.state,
    branch: change.branch,
    occurred_at: readable(change.occurredAt) ?? ctx.now,
  }))
  const stored = await upsertReferences(ctx, values)
  const added = stored.filter(row => row.fresh)
  await publishChanges(
    ctx,
    rows.flatMap(({ change, item }) => {
      if (!added.some(row => row.item_id === item.id && row.external_id === change.externalId)) return []
      const to = { kind: change.kind, title: change.title, url: change.url, repository: link.repository }
      return [
        {
          ownerId: link.ownerId,
          itemId: item.id,
          projectId: item.projectId,
          ref: item.ref,
          title: item.title,
          kind: 'code_ref.added',
          to,
        },
      ]
    }),
  )
  return stored.length
}

/** Hosts limit none of these; where mentions are looked for stays whole. */
function withinLimits(change: CodeChange): CodeChange {
  const { externalId, title, url, author, branch } = change
  return {
    ...change,
    externalId: firstCharacters(externalId, 200),
    title: clip(title, 300),
    url: firstCharacters(url, 2000),
    author: author && clip(author, 200),
    branch: branch && clip(branch, 300),
  }
}

function readable(instant: string | null): Date | null {
  const time = instant === null ? Number.NaN : Date.parse(instant)
  return Number.isNaN(time) ? null : new Date(time)
}
