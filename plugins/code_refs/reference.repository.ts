import { anyOf, compare, deleteRecords, exists, insertRecords, isIn, iso, sql } from 'tasuki/plugin'
import type { Condition, Expression, NewRow, ReadContext, WriteContext } from 'tasuki/plugin'
import { visible } from '../projects/index.ts'
import type { WebhookLink } from './link.repository.ts'
import { foundUrls } from './url.repository.ts'

/** Returns SQL for the references `r` of the item `i` through links `l` of visible projects; an item may have moved since. */
const seenReferences = (ctx: ReadContext) => sql`
  from code_refs.references r join code_refs.links l on l.owner_id = r.owner_id and l.id = r.link_id
  where r.owner_id = i.owner_id and r.item_id = i.id and ${visible(ctx, 'l')}`

/** Returns the condition that commits or pull requests mention the item `i`. */
export function isMentioned(ctx: ReadContext): Condition {
  return exists(seenReferences(ctx))
}

/** The references of the item `i`, newest first, as the column `found`, and its URLs as `urls`; null for none. */
export const foundReferences = (
  ctx: ReadContext,
): Expression<unknown> => sql`(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', r.kind, 'host', l.host, 'repository', l.repository, 'id', r.external_id,
    'title', r.title, 'url', r.url, 'author', r.author, 'state', r.state, 'branch', r.branch, 'occurred_at', ${iso('r.occurred_at')}))
    order by r.occurred_at desc, r.external_id) ${seenReferences(ctx)}) as found, ${foundUrls}`

/** Returns SQL for all references as one json array, newest first; null for none. */
export function codeText(ctx: ReadContext): Expression<unknown> {
  return sql`select json_agg(json_build_object('kind', x.kind, 'host', x.host, 'repository', x.repository, 'id', x.id, 'title', x.title,
      'url', x.url, 'author', x.author, 'state', x.state, 'branch', x.branch, 'occurred_at', ${iso('x.occurred_at')})
      order by x.occurred_at desc, x.url)
    from (
      select r.kind, l.host, l.repository, r.external_id as id, r.title, r.url, r.author, r.state, r.branch, r.occurred_at ${seenReferences(ctx)}
      union all
      select 'url', null, null, null, u.title, u.url, null, null, null, u.created_at
      from code_refs.urls u where u.owner_id = i.owner_id and u.item_id = i.id) x`
}

const KEY = ['owner_id', 'item_id', 'link_id', 'kind', 'external_id'] as const
/** Columns that a later delivery may change. */
const UPDATED = ['title', 'state', 'branch', 'occurred_at'] as const

export type ReferenceValues = Required<NewRow<'code_refs.references'>>

/** Inserts or updates references. @returns the new and changed ones */
export async function upsertReferences(ctx: WriteContext, references: readonly ReferenceValues[]) {
  if (references.length === 0) return []
  return insertRecords(ctx.db, 'code_refs.references', references)
    .onConflict(conflict =>
      conflict
        .columns(KEY)
        .doUpdateSet(({ ref }) => Object.fromEntries(UPDATED.map(name => [name, ref(`excluded.${name}`)])))
        .where(({ or }) =>
          or(UPDATED.map(name => compare(`excluded.${name}`, 'is distinct from', sql.ref(`references.${name}`)))),
        ),
    )
    .returning(['item_id', 'kind', 'external_id', sql<boolean>`(xmax = 0)`.as('fresh')])
    .execute()
}

/** Reads the items that reference pull requests of a link. */
export async function readRequests(ctx: ReadContext, { ownerId, id }: WebhookLink, requests: readonly string[]) {
  if (requests.length === 0) return []
  return ctx.db
    .selectFrom('code_refs.references as r')
    .innerJoin('items.items as i', join => join.onRef('i.owner_id', '=', 'r.owner_id').onRef('i.id', '=', 'r.item_id'))
    .innerJoin('projects.projects as p', join =>
      join.onRef('p.owner_id', '=', 'i.owner_id').onRef('p.id', '=', 'i.project_id'),
    )
    .select(['r.external_id as externalId', 'r.state', 'i.id', 'i.title', 'p.id as projectId'])
    .select([iso('r.occurred_at').as('occurredAt'), sql<string>`p.key || '#' || i.number`.as('ref')])
    .where(({ and }) => and({ 'r.owner_id': ownerId, 'r.link_id': id, 'r.kind': 'pull_request' }))
    .where('r.external_id', 'in', [...requests])
    .execute()
}

/** Removes references to pull requests of a link from items. */
export async function deleteReferences(
  ctx: WriteContext,
  { ownerId, id }: WebhookLink,
  gone: readonly Pick<ReferenceValues, 'item_id' | 'external_id'>[],
): Promise<void> {
  const rows = gone.map(each => ({ ...each, owner_id: ownerId, link_id: id, kind: 'pull_request' as const }))
  await deleteRecords(ctx.db, 'code_refs.references', KEY, rows)
}

/** An item that a text may name by its current reference; former project keys do not count. */
export interface NumberedItem {
  readonly id: string
  readonly projectId: string
  readonly ref: string
  readonly title: string
  /** Which of the conditions are met. */
  readonly matched: readonly boolean[]
}

/** Reads the items of a project that have one of the numbers or meet one of the conditions on the item `i`. */
export async function readNumbered(
  ctx: ReadContext,
  { ownerId, projectId }: Pick<WebhookLink, 'ownerId' | 'projectId'>,
  numbers: readonly number[],
  conditions: readonly Condition[],
): Promise<readonly NumberedItem[]> {
  const { rows } = await sql<NumberedItem>`
    select i.id, p.id as "projectId", p.key || '#' || i.number as ref, i.title,
      json_build_array(${sql.join(conditions)}) as matched
    from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where i.owner_id = ${ownerId} and i.project_id = ${projectId} and ${anyOf([...conditions, isIn('i.number', numbers)])}
  `.execute(ctx.db)
  return rows
}
