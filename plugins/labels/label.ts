import {
  choice,
  guarded,
  iso,
  nullable,
  sql,
  ToolError,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
} from 'tasuki/plugin'
import { keyIs, oneProject, projectColumns, type ProjectRow } from '../projects/index.ts'
import { labelKey } from './names.ts'

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

/** The label `l` as one jsonb record. */
export const labelRecord: RawBuilder<LabelRecord> = sql`jsonb_strip_nulls(jsonb_build_object(
  'id', l.id, 'name', l.name, 'description', l.description, 'color_hex', l.color_hex, 'display_order', l.display_order,
  'item_count', (select count(*)::int from labels.item_labels il where il.owner_id = l.owner_id and il.label_id = l.id),
  'created_at', ${iso('l.created_at')}, 'updated_at', ${iso('l.updated_at')}))`

export interface LabelDemand {
  /** Also finds labels that were deleted but left on items. */
  readonly archived?: boolean
  /** Keeps others from defining labels in the project until the transaction ends. */
  readonly lockProject?: boolean
}

/** Finds a label of a project that the caller may change. @throws ToolError not_found, ambiguous_ref, forbidden */
export async function requireLabel(
  ctx: ReadContext,
  key: string,
  id: string,
  { archived, lockProject }: LabelDemand = {},
): Promise<{ readonly project: ProjectRow; readonly label: LabelRecord }> {
  const { rows } = await sql<ProjectRow & { readonly label: LabelRecord | null }>`
    select ${projectColumns(ctx, 'p')}, (
      select ${labelRecord} from labels.labels l
      where l.owner_id = p.owner_id and l.project_id = p.id and (l.id::text = ${id.toLowerCase()} or l.name_key = ${labelKey(id)})
        ${archived ? sql`` : sql`and l.archived_at is null`}
      order by l.id::text = ${id.toLowerCase()} desc limit 1
    ) as label
    from projects.projects p where ${keyIs(ctx, key)} limit 2 ${lockProject ? sql`for update of p` : sql``}
  `.execute(ctx.db)
  const { label, ...project } = await oneProject(ctx, rows, key, { write: true })
  if (label) return { project, label }
  const known = await sql<{ name: string }>`
    select l.name from labels.labels l where l.owner_id = ${project.ownerId} and l.project_id = ${project.id} and l.archived_at is null
    order by l.display_order, l.id limit 20
  `.execute(ctx.db)
  throw new ToolError('not_found', `${project.key} has no label ${id}.`, {
    field: 'label_id',
    allowed: known.rows.map(row => row.name),
    hint: 'project_labels_list shows the labels of the project with their ids.',
  })
}

/** The refusal of a name that is taken. */
export async function nameTaken(ctx: ReadContext, project: ProjectRow, name: string): Promise<ToolError> {
  const { rows } = await sql<{ id: string; name: string; archived: boolean }>`
    select l.id, l.name, l.archived_at is not null as archived from labels.labels l
    where l.owner_id = ${project.ownerId} and l.project_id = ${project.id} and l.name_key = ${labelKey(name)}
  `.execute(ctx.db)
  const other = rows[0]
  const hint = other?.archived
    ? 'It was deleted but is still on items: project_labels_create brings it back.'
    : 'Use that label, change it with project_labels_patch, or choose another name.'
  return new ToolError('conflict', `${project.key} has a label ${other?.name ?? name} already.`, {
    field: 'name',
    hint,
    ...(other && { details: { label_id: other.id, name: other.name } }),
  })
}
