import { defineTool, nullable, requireFresh, sql, Type, type WriteContext } from 'tasuki/plugin'
import { projectKey, tellSetting, type ProjectRow } from '../../projects/index.ts'
import {
  color,
  description,
  labelId,
  labelRecord,
  labelResult,
  nameTaken,
  requireLabel,
  type LabelRecord,
} from '../label.ts'
import { labelKey, labelName, NAME_MAX } from '../names.ts'

const FIELDS = ['name', 'description', 'color_hex'] as const
type Field = (typeof FIELDS)[number]
type Changes = Partial<Record<Field, string | null>>

export const projectLabelsPatch = defineTool({
  name: 'project_labels_patch',
  class: 'W',
  title: 'Change label',
  summary: 'Renames a label everywhere, or changes its description or color.',
  rank: 840,
  input: Type.Object(
    {
      project_key: projectKey(),
      label_id: labelId,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_MAX, description: 'New name.' })),
      description: Type.Optional(description('Empty clears.')),
      color_hex: Type.Optional(nullable(color(), { description: '#RRGGBB; null clears.' })),
    },
    { additionalProperties: false },
  ),
  output: labelResult,
  async run(ctx, { project_key, label_id, ...input }) {
    const name = input.name === undefined ? undefined : labelName(input.name, 'name')
    const lockProject = name !== undefined
    const { project, label } = await requireLabel(ctx, project_key, label_id, { lockProject })
    requireFresh(ctx, `The label ${label.name}`, label)
    const wanted: Changes = {
      ...(name !== undefined && { name }),
      ...(input.description !== undefined && { description: input.description || null }),
      ...(input.color_hex !== undefined && { color_hex: input.color_hex }),
    }
    const changed = FIELDS.filter(field => wanted[field] !== undefined && wanted[field] !== (label[field] ?? null))
    if (changed.length === 0) return { label, changed }
    const after = await update(ctx, project, label, wanted)
    await tellSetting(ctx, project, { kind: 'label.changed', of: label, before: label, after, changed })
    const cleared = Object.fromEntries(changed.filter(field => wanted[field] === null).map(field => [field, null]))
    return { label: { ...after, ...cleared }, changed }
  },
})

/** Writes only what changes, so that two callers who change different fields do not undo each other. */
async function update(
  ctx: WriteContext,
  project: ProjectRow,
  label: LabelRecord,
  changes: Changes,
): Promise<LabelRecord> {
  const { name } = changes
  const sets = [sql`updated_at = ${ctx.now}`]
  if (name != null) sets.push(sql`name = ${name}, name_key = ${labelKey(name)}`)
  if (changes.description !== undefined) sets.push(sql`description = ${changes.description}`)
  if (changes.color_hex !== undefined) sets.push(sql`color_hex = ${changes.color_hex}`)
  const { rows } = await sql<{ label: LabelRecord }>`
    update labels.labels l set ${sql.join(sets)}
    where l.owner_id = ${project.ownerId} and l.id = ${label.id} and not exists (
      select from labels.labels o where o.owner_id = l.owner_id and o.project_id = l.project_id
        and o.name_key = ${labelKey(name ?? label.name)} and o.id <> l.id)
    returning ${labelRecord} as label
  `.execute(ctx.db)
  const after = rows[0]?.label
  if (!after) throw await nameTaken(ctx, project, name ?? label.name)
  return after
}
