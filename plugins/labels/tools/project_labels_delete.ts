import { defineTool, quoteName, requireUnchanged, Type, type WriteContext } from 'tasuki/plugin'
import { recordChanges, toItemChange } from '../../items/index.ts'
import { projectKey, type ProjectRow, recordSettingChange } from '../../projects/index.ts'
import { stripLabel } from '../item-label.repository.ts'
import { archiveLabel, deleteLabel } from '../label.repository.ts'
import { requireLabel } from '../label.service.ts'
import { labelId, type LabelRecord } from '../label.ts'

export const projectLabelsDelete = defineTool({
  name: 'project_labels_delete',
  class: 'WD',
  title: 'Delete label',
  summary: 'Deletes a label of a project.',
  rank: 970,
  input: {
    project_key: projectKey(),
    label_id: labelId,
    strip_from_items: Type.Optional(Type.Boolean({ default: true, description: 'false: items keep it.' })),
  },
  output: {
    deleted: Type.Boolean(),
    id: Type.String(),
    name: Type.String(),
    stripped_items: Type.Optional(Type.Integer()),
    kept_items: Type.Optional(Type.Integer()),
  },
  async run(ctx, { project_key, label_id, strip_from_items = true }) {
    const { project, label } = await requireLabel(ctx, project_key, label_id, { archived: true })
    requireUnchanged(ctx, `The label ${quoteName(label.name)}`, label)
    const { id, name } = label
    const changed = ['description', 'color_hex'] as const
    await recordSettingChange(ctx, project, { kind: 'label.deleted', of: label, before: label, changed })
    if (!strip_from_items && label.item_count > 0) {
      await archiveLabel(ctx, project, id)
      return { deleted: true, id, name, kept_items: label.item_count }
    }
    const stripped = label.item_count > 0 ? await strip(ctx, project, label) : 0
    await deleteLabel(ctx, project, id)
    return { deleted: true, id, name, ...(strip_from_items ? { stripped_items: stripped } : { kept_items: 0 }) }
  },
})

async function strip(ctx: WriteContext, project: ProjectRow, label: LabelRecord): Promise<number> {
  const rows = await stripLabel(ctx, project.ownerId, label.id)
  const changes = rows.map(({ id, number, title, labels: from }) => {
    const item = { id, title, ref: `${project.key}#${number}` }
    const to = from.filter(name => name !== label.name)
    return toItemChange({ ownerId: project.ownerId, item, project }, 'item.labels.changed', { from, to })
  })
  await recordChanges(ctx, changes)
  return rows.length
}
