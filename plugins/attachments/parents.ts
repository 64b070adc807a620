import { choice, guarded, recordId, throwAll, ToolError, Type } from 'tasuki/plugin'
import type { All, ReadContext, TObject, TProperties } from 'tasuki/plugin'
import { itemRef, requireItem, requireItemUnchanged } from '../items/index.ts'
import { readAttachments, readAttachmentsOfItem } from './attachment.repository.ts'
import type { AttachmentRecord } from './attachment.ts'
import { attachmentParents, type AttachmentParent, type FoundParent, type ParentInput } from './points.ts'

export const itemParent = attachmentParents({
  kind: 'item',
  needs: ['parent_ref'],
  async find(ctx, { parent_ref }, { write }) {
    const row = await requireItem(ctx, parent_ref!, { write, field: 'parent_ref' })
    if (write) requireItemUnchanged(ctx, row)
    const { ownerId, id, project, number, title } = row
    return { ownerId, id, projectId: project.id, item: { itemId: id, ref: `${project.key}#${number}`, title } }
  },
})

/** The parameters that name a parent; `restrictKinds` removes those that no enabled kind needs. */
export const parentParams = {
  parent_kind: Type.String(),
  parent_ref: Type.Optional(itemRef('KEY#n, for item.')),
  parent_id: Type.Optional(recordId('Id, for other kinds.')),
  thread_id: Type.Optional(guarded(Type.String({ description: 'Required for ai_chat_message.' }), { maxLength: 100 })),
}

/** Restricts an input with `parentParams` to the kinds of enabled plugins. */
export function restrictKinds<S extends TObject>(input: S, all: All): S {
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

function requireKind(
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

/** Finds the parent of a new file. @throws ToolError missing_argument, not_found, forbidden */
export function requireParent(ctx: ReadContext, input: NamedParent): Promise<FoundParent> {
  return requireKind(ctx, input, parent => parent.needs).find(ctx, input, { write: true })
}

/** Lists the files of a parent, in one statement if it has files or is an item. @throws ToolError missing_argument, not_found */
export async function listAttachments(ctx: ReadContext, input: NamedParent): Promise<readonly AttachmentRecord[]> {
  const parent = requireKind(ctx, input, ({ needs }) => [needs[0]])
  if (parent.kind === 'item') return readAttachmentsOfItem(ctx, input.parent_ref!)
  const attachments = await readAttachments(ctx, parent.kind, input.parent_id!)
  // The parent has no files or does not exist; this distinguishes the two.
  if (attachments.length === 0) await parent.find(ctx, input, { write: false })
  return attachments
}
