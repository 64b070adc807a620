import {
  anyOf,
  iso,
  recordset,
  sql,
  type NewRow,
  type RawBuilder,
  type ReadContext,
  type WriteContext,
} from 'tasuki/plugin'
import { visible } from '../projects/index.ts'
import type { WebhookLink } from './link.repository.ts'

/** The references `r` of the item `i` that came through the link `l` of a project that the caller may see: items move between projects. */
const seenReferences = (ctx: ReadContext) => sql`
  from code_refs.references r join code_refs.links l on l.owner_id = r.owner_id and l.id = r.link_id
  where r.owner_id = i.owner_id and r.item_id = i.id and ${visible(ctx, 'l')}`

/** The item `i` is mentioned by commits or pull requests. */
export function isMentioned(ctx: ReadContext): RawBuilder<boolean> {
  return sql`exists (select ${seenReferences(ctx)})`
}

/** The references of the item `i`, newest first, as the column `found`; null when it has none. */
export const foundReferences = (
  ctx: ReadContext,
): RawBuilder<unknown> => sql`(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', r.kind, 'host', l.host, 'repository', l.repository, 'id', r.external_id,
    'title', r.title, 'url', r.url, 'author', r.author, 'state', r.state, 'branch', r.branch, 'occurred_at', ${iso('r.occurred_at')}))
    order by r.occurred_at desc, r.external_id) ${seenReferences(ctx)}) as found`

/** Notes that a delivery was taken. @returns false when it had been before */
export async function insertDelivery(ctx: WriteContext, delivery: NewRow<'code_refs.deliveries'>): Promise<boolean> {
  const row = await ctx.db
    .insertInto('code_refs.deliveries')
    .values(delivery)
    .onConflict(conflict => conflict.doNothing())
    .returning('delivery')
    .executeTakeFirst()
  return row !== undefined
}

/** Forgets deliveries that were taken before an instant. */
export async function deleteDeliveries(ctx: WriteContext, before: Date): Promise<void> {
  await ctx.db.deleteFrom('code_refs.deliveries').where('received_at', '<', before.toISOString()).execute()
}

const REFERENCE = {
  owner_id: 'uuid',
  item_id: 'uuid',
  link_id: 'uuid',
  kind: 'text',
  external_id: 'text',
  title: 'text',
  url: 'text',
  author: 'text',
  state: 'text',
  branch: 'text',
  occurred_at: 'timestamptz',
} as const
const COLUMNS = Object.keys(REFERENCE) as (keyof typeof REFERENCE)[]

/** Adds references, and brings those that are there up to date; each says whether it is new. */
export function upsertReferences(ctx: WriteContext, references: readonly Required<NewRow<'code_refs.references'>>[]) {
  return ctx.db
    .insertInto('code_refs.references')
    .columns(COLUMNS)
    .expression(({ selectFrom }) => selectFrom(recordset('v', REFERENCE, references)).select(COLUMNS))
    .onConflict(conflict =>
      conflict.columns(['owner_id', 'item_id', 'link_id', 'kind', 'external_id']).doUpdateSet(({ ref }) => ({
        title: ref('excluded.title'),
        state: ref('excluded.state'),
        branch: ref('excluded.branch'),
        occurred_at: ref('excluded.occurred_at'),
      })),
    )
    .returning(['item_id', 'external_id', sql<boolean>`(xmax = 0)`.as('fresh')])
    .execute()
}

/** An item with its references as of now and before, upper case. */
export interface NumberedItem {
  readonly id: string
  readonly projectId: string
  readonly ref: string
  readonly title: string
  readonly refs: readonly string[]
  /** Which of the conditions hold. */
  readonly matched: readonly boolean[]
}

/** Reads the items of a project that have one of the numbers, or meet one of the conditions on the item `i`. */
export async function readNumbered(
  ctx: ReadContext,
  { ownerId, projectId }: Pick<WebhookLink, 'ownerId' | 'projectId'>,
  numbers: readonly number[],
  conditions: readonly RawBuilder<boolean>[],
): Promise<readonly NumberedItem[]> {
  const either = numbers.length > 0 ? [...conditions, sql<boolean>`i.number in (${sql.join(numbers)})`] : conditions
  const { rows } = await sql<NumberedItem>`
    select i.id, p.id as "projectId", p.key || '#' || i.number as ref, i.title,
      (select json_agg(k.key || '#' || i.number) from jsonb_array_elements_text(jsonb_build_array(p.key) || coalesce(i.former_keys, '[]')) k (key)) as refs,
      json_build_array(${sql.join(conditions)}) as matched
    from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where i.owner_id = ${ownerId} and i.project_id = ${projectId} and ${anyOf(either)}
  `.execute(ctx.db)
  return rows
}
