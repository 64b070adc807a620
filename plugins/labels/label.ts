import { choice, guarded, nullable, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { oneProject, type ProjectRow } from '../projects/index.ts'
import { findByName, findLabel, firstNames, type LabelDemand } from './label.repository.ts'

/** A label definition as tools return it. */
export const labelSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  color_hex: Type.Optional(nullable(Type.String())),
  display_order: Type.Integer(),
  item_count: Type.Integer({ description: 'Items that carry it, closed and archived ones too.' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type LabelRecord = Static<typeof labelSchema>

/** What a write of a definition returns. */
export const labelResult = Type.Object({
  label: labelSchema,
  changed: Type.Array(choice(['name', 'description', 'color_hex'])),
})

export const labelId = guarded(Type.String({ description: 'Id or name.' }), {
  minLength: 1,
  maxLength: 100,
})
export const description = (text: string) => Type.String({ maxLength: 500, description: text })
export const color = () => guarded(Type.String({ description: '#RRGGBB.' }), { pattern: '^#[0-9A-Fa-f]{6}$' })

/** Finds a label of a project that the caller may change. @throws ToolError not_found, ambiguous_ref, forbidden */
export async function requireLabel(
  ctx: ReadContext,
  key: string,
  id: string,
  demand: LabelDemand = {},
): Promise<{ readonly project: ProjectRow; readonly label: LabelRecord }> {
  const rows = await findLabel(ctx, key, id, demand)
  const { label, ...project } = await oneProject(ctx, rows, key, { write: true })
  if (label) return { project, label }
  throw new ToolError('not_found', `${project.key} has no label ${id}.`, {
    field: 'label_id',
    allowed: await firstNames(ctx, project, 20),
    hint: 'project_labels_list shows the labels of the project with their ids.',
  })
}

/** The refusal of a name that is taken. */
export async function nameTaken(ctx: ReadContext, project: ProjectRow, name: string): Promise<ToolError> {
  const other = await findByName(ctx, project, name)
  const hint = other?.archived_at
    ? 'It was deleted but is still on items: project_labels_create brings it back.'
    : 'Use that label, change it with project_labels_patch, or choose another name.'
  return new ToolError('conflict', `${project.key} has a label ${other?.name ?? name} already.`, {
    field: 'name',
    hint,
    ...(other && { details: { label_id: other.id, name: other.name } }),
  })
}
