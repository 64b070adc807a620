import { hasRoom, insertIf, iso, updateWhere } from 'tasuki/plugin'
import type { NewRow, OwnedKey, ReadContext, Row, WriteContext } from 'tasuki/plugin'

type Link = Row<'code_refs.links'>

/** The link that a webhook belongs to. */
export interface WebhookLink extends Pick<Link, 'id' | 'host' | 'repository'> {
  readonly ownerId: string
  readonly projectId: string
}

const WEBHOOK_LINK = ['id', 'owner_id as ownerId', 'project_id as projectId', 'host', 'repository'] as const

/** Inserts a link. @returns false if the project is already linked to the repository, or its owner has `most` links */
export async function insertLink(
  ctx: WriteContext,
  link: Omit<NewRow<'code_refs.links'>, 'created_at' | 'repository_id'>,
  most: number,
): Promise<boolean> {
  const added = { ...link, created_at: ctx.now }
  const row = await insertIf(ctx.db, 'code_refs.links', added, hasRoom('code_refs.links', link.owner_id, most))
    .onConflict(conflict => conflict.columns(['owner_id', 'project_id', 'host', 'repository']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a link and its references. */
export function deleteLink(ctx: WriteContext, ownerId: string, id: string) {
  return ctx.db
    .deleteFrom('code_refs.links')
    .where('owner_id', '=', ownerId)
    .where(({ eb, cast }) => eb(cast<string>('id', 'text'), '=', id))
    .returning(['host', 'repository'])
    .executeTakeFirst()
}

/** Reads the repositories linked to a project. */
export function readLinks(ctx: ReadContext, { ownerId, id }: OwnedKey) {
  return ctx.db
    .selectFrom('code_refs.links as l')
    .select(['l.id', 'l.host', 'l.repository', iso('l.created_at').as('createdAt')])
    .where(({ and }) => and({ 'l.owner_id': ownerId, 'l.project_id': id }))
    .orderBy('l.repository')
    .orderBy('l.host')
    .execute()
}

/** Reads all links of an owner, each with the key of its project. */
export function readLinksOfOwner(ctx: ReadContext, ownerId: string) {
  return ctx.db
    .selectFrom('code_refs.links as l')
    .innerJoin('projects.projects as p', join =>
      join.onRef('p.owner_id', '=', 'l.owner_id').onRef('p.id', '=', 'l.project_id'),
    )
    .select(['l.id', 'p.key as project', 'l.host', 'l.repository'])
    .where('l.owner_id', '=', ownerId)
    .orderBy('p.key')
    .orderBy('l.repository')
    .execute()
}

/** Finds the link of a webhook. */
export function findWebhookLink(ctx: ReadContext, host: Link['host'], id: string) {
  return ctx.db
    .selectFrom('code_refs.links')
    .select([...WEBHOOK_LINK, 'secret'])
    .where(({ and }) => and({ id, host }))
    .executeTakeFirst()
}

/** Reads and locks a link, so that its webhooks are processed one at a time. */
export function lockLink(ctx: WriteContext, { ownerId, id }: OwnedKey) {
  return ctx.db
    .selectFrom('code_refs.links')
    .select([...WEBHOOK_LINK, 'repository_id as repositoryId'])
    .where(({ and }) => and({ owner_id: ownerId, id }))
    .forUpdate()
    .executeTakeFirst()
}

/** Stores the host's own id of the repository of a link. */
export async function storeRepositoryId(ctx: WriteContext, { ownerId, id }: WebhookLink, known: string): Promise<void> {
  await updateWhere(ctx.db, 'code_refs.links', { owner_id: ownerId, id }, { repository_id: known.slice(0, 100) })
}
