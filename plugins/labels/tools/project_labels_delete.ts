import { defineTool, requireFresh, sql, Type, type WriteContext } from 'tasuki/plugin'
import { announce } from '../../items/index.ts'
import { projectKey, type ProjectRow, tellSetting } from '../../projects/index.ts'
import { labelId, requireLabel, type LabelRecord } from '../label.ts'

export const projectLabelsDelete = defineTool({
  name: 'project_labels_delete',
  class: 'WD',
  title: 'Delete label',
  summary: 'Deletes a label of a project.',
  rank: 970,
  input: Type.Object(
    {
      project_key: projectKey(),
      label_id: labelId,
      strip_from_items: Type.Optional(Type.Boolean({ default: true, description: 'false: items keep it.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    deleted: Type.Boolean(),
    id: Type.String(),
    name: Type.String(),
    stripped_items: Type.Optional(Type.Integer()),
    kept_items: Type.Optional(Type.Integer()),
  }),
  async run(ctx, { project_key, label_id, strip_from_items = true }) {
    const { project, label } = await requireLabel(ctx, project_key, label_id, { archived: true })
    requireFresh(ctx, `The label ${label.name}`, label)
    const { id, name } = label
    await tellSetting(ctx, project, {
      kind: 'label.deleted',
      of: label,
      before: label,
      changed: ['description', 'color_hex'],
    })
    if (!strip_from_items && label.item_count > 0) {
      await archive(ctx, project, label)
      return { deleted: true, id, name, kept_items: label.item_count }
    }
    const stripped = label.item_count > 0 ? await strip(ctx, project, label) : 0
    await sql`delete from labels.labels where owner_id = ${project.ownerId} and id = ${id}`.execute(ctx.db)
    return { deleted: true, id, name, ...(strip_from_items ? { stripped_items: stripped } : { kept_items: 0 }) }
  },
})

/** Items refer to the definition, so it stays as long as they show it; it is only listed no more. */
async function archive(ctx: WriteContext, project: ProjectRow, label: LabelRecord): Promise<void> {
  await sql`
    update labels.labels set archived_at = coalesce(archived_at, ${ctx.now}), updated_at = ${ctx.now}
    where owner_id = ${project.ownerId} and id = ${label.id}
  `.execute(ctx.db)
}

async function strip(ctx: WriteContext, project: ProjectRow, label: LabelRecord): Promise<number> {
  const { rows } = await sql<{ id: string; number: number; title: string; labels: string[] }>`
    with stripped as (
      delete from labels.item_labels where owner_id = ${project.ownerId} and label_id = ${label.id} returning owner_id, item_id
    )
    select i.id, i.number, i.title, (
      select jsonb_agg(l.name order by l.display_order, l.id)
      from labels.item_labels il join labels.labels l on l.owner_id = il.owner_id and l.id = il.label_id
      where il.owner_id = i.owner_id and il.item_id = i.id
    ) as labels
    from stripped join items.items i on i.owner_id = stripped.owner_id and i.id = stripped.item_id
  `.execute(ctx.db)
  const changes = rows.map(item => ({
    ownerId: project.ownerId,
    itemId: item.id,
    projectId: project.id,
    ref: `${project.key}#${item.number}`,
    title: item.title,
    kind: 'item.labels.changed',
    from: item.labels,
    to: item.labels.filter(name => name !== label.name),
  }))
  await announce(ctx, changes)
  return rows.length
}
