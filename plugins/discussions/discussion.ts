import {
  choice,
  iso,
  recordId,
  sql,
  ToolError,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
} from 'tasuki/plugin'
import { refOf, type ItemChange } from '../items/index.ts'
import { keyColumn, visible, type ProjectRow } from '../projects/index.ts'

export const DISCUSSION_KINDS = ['decision', 'fact', 'progress'] as const
export const body = Type.String({ minLength: 1, maxLength: 32_000, description: 'Markdown.' })
export const discussionId = recordId('From discussions_list.')

/** A discussion as results show it. */
export const discussion = Type.Object({
  id: Type.String(),
  item_ref: Type.String(),
  body: Type.String(),
  kind: choice(DISCUSSION_KINDS),
  author: Type.String(),
  author_kind: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type Discussion = Static<typeof discussion>

/** jsonb object of a discussion, from the aliases `d` and `a` (its author). */
export const discussionJson = (
  ctx: ReadContext,
): RawBuilder<Discussion> => sql`jsonb_build_object('id', d.id, 'item_ref', ${refOf(ctx, 'd.owner_id', 'd.item_id')}, 'body', d.body, 'kind', d.kind, 'author', a.name,
  'author_kind', d.author_kind, 'created_at', ${iso('d.created_at')}, 'updated_at', ${iso('d.updated_at')})`

/** A discussion with the item that it belongs to. */
export interface FoundDiscussion {
  readonly ownerId: string
  readonly authorId: string
  readonly discussion: Discussion
  readonly item: { readonly id: string; readonly ref: string; readonly title: string }
  readonly project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>
}

/** Finds a discussion that the caller may see; `field` names the parameter. @throws ToolError not_found */
export async function requireDiscussion(
  ctx: ReadContext,
  id: string,
  { lock = false, field = 'discussion_id' }: { readonly lock?: boolean; readonly field?: string } = {},
): Promise<FoundDiscussion> {
  const { rows } = await sql<FoundDiscussion>`
    select d.owner_id as "ownerId", d.author_id as "authorId", ${discussionJson(ctx)} as discussion,
      json_build_object('id', i.id, 'ref', ${keyColumn(ctx, 'p')} || '#' || i.number, 'title', i.title) as item,
      json_build_object('ownerId', p.owner_id, 'id', p.id, 'key', ${keyColumn(ctx, 'p')}) as project
    from discussions.discussions d
    join core.users a on a.id = d.author_id
    join items.items i on i.owner_id = d.owner_id and i.id = d.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where d.id = ${id} and ${visible(ctx, 'i')} ${lock ? sql`for update of d` : sql``}
  `.execute(ctx.db)
  const [found] = rows
  if (found) return found
  throw new ToolError('not_found', `There is no discussion ${id}.`, {
    field,
    hint: 'discussions_list shows the discussions of an item.',
  })
}

/** An entry for the history of the item. */
export function changeOf(
  { ownerId, item, project }: Omit<FoundDiscussion, 'discussion' | 'authorId'>,
  kind: string,
  more: Partial<ItemChange>,
): ItemChange {
  return { ownerId, itemId: item.id, projectId: project.id, ref: item.ref, title: item.title, kind, ...more }
}
