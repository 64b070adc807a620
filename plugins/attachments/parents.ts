import {
  choice,
  guarded,
  recordId,
  sql,
  throwAll,
  ToolError,
  Type,
  type All,
  type ReadContext,
  type TObject,
  type TProperties,
} from 'tasuki/plugin'
import { itemRef, readWithItem, requireItem } from '../items/index.ts'
import { attachmentRecord, attachmentJoins, attachmentsOf, type AttachmentRecord } from './attachment.ts'
import { attachmentParents, type AttachmentParent, type FoundParent, type ParentInput } from './points.ts'
import { visible } from '../projects/index.ts'

/** Items, the parents that are there whatever other plugins are. */
export const itemParent = attachmentParents({
  kind: 'item',
  needs: ['parent_ref'],
  async find(ctx, { parent_ref }, { write }) {
    const { ownerId, id, project, number, title } = await requireItem(ctx, parent_ref!, { write, field: 'parent_ref' })
    return { ownerId, id, projectId: project.id, item: { itemId: id, ref: `${project.key}#${number}`, title } }
  },
})

/** The parameters that name a parent; `forKinds` leaves those that some enabled kind needs. */
export const parentParams = {
  parent_kind: Type.String(),
  parent_ref: Type.Optional(itemRef('KEY#n, for item.')),
  parent_id: Type.Optional(recordId('Id, for other kinds.')),
  thread_id: Type.Optional(guarded(Type.String({ description: 'Required for ai_chat_message.' }), { maxLength: 100 })),
}

/** Cuts an input with `parentParams` to the kinds that enabled plugins offer. */
export function forKinds<S extends TObject>(input: S, all: All): S {
  const kinds = all(attachmentParents)
  const unused = new Set<string>(['parent_ref', 'parent_id', 'thread_id'])
  for (const { needs } of kinds) needs.forEach(name => unused.delete(name))
  const properties: TProperties = Object.fromEntries(
    Object.entries(input.properties).filter(([name]) => !unused.has(name)),
  )
  properties['parent_kind'] = choice(
    kinds.map(({ kind }) => kind),
    { description: 'What it hangs on.' },
  )
  return { ...input, properties }
}

export interface NamedParent extends ParentInput {
  readonly parent_kind: string
}

function kindOf(
  ctx: ReadContext,
  input: NamedParent,
  needs: (parent: AttachmentParent) => readonly (keyof ParentInput)[],
) {
  const parent = ctx.all(attachmentParents).find(({ kind }) => kind === input.parent_kind)!
  throwAll(
    needs(parent).flatMap(name =>
      input[name] === undefined
        ? [
            new ToolError('missing_argument', `${name} is required for parent_kind ${parent.kind}.`, {
              field: name,
              hint: name === 'parent_ref' ? 'Give the item as KEY#n.' : `Give the ${name} of the ${parent.kind}.`,
            }),
          ]
        : [],
    ),
  )
  return parent
}

/** Finds what the call wants to attach to. @throws ToolError missing_argument, not_found, forbidden */
export function requireParent(ctx: ReadContext, input: NamedParent): Promise<FoundParent> {
  return kindOf(ctx, input, parent => parent.needs).find(ctx, input, { write: true })
}

/** The files of a parent, in one statement where it has any or is an item. @throws ToolError missing_argument, not_found */
export async function listAttachments(ctx: ReadContext, input: NamedParent): Promise<readonly AttachmentRecord[]> {
  const parent = kindOf(ctx, input, ({ needs }) => [needs[0]])
  if (parent.kind === 'item') {
    const ofItem = attachmentsOf(ctx, sql`a.owner_id = i.owner_id and a.parent_id = i.id and a.parent_kind = 'item'`)
    const { attachments } = await readWithItem<{ attachments: AttachmentRecord[] | null }>(
      ctx,
      input.parent_ref!,
      sql`${ofItem} as attachments`,
      'parent_ref',
    )
    return attachments ?? []
  }
  const { rows } = await sql<{ attachment: AttachmentRecord }>`
    select ${attachmentRecord(ctx)} as attachment from attachments.attachments a ${attachmentJoins}
    where ${visible(ctx, 'a')} and a.parent_id = ${input.parent_id} and a.parent_kind = ${parent.kind} and a.state = 'stored'
    order by a.id
  `.execute(ctx.db)
  // Nothing there: because it has no files, or because there is no such parent.
  if (rows.length === 0) await parent.find(ctx, input, { write: false })
  return rows.map(({ attachment }) => attachment)
}
