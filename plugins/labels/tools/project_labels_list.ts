import { defineTool, sql, Type } from 'tasuki/plugin'
import { keyIs, oneProject, projectColumns, projectKey, type ProjectRow } from '../../projects/index.ts'
import { labelRecord, labelSchema, type LabelRecord } from '../label.ts'

export const projectLabelsList = defineTool({
  name: 'project_labels_list',
  class: 'R',
  title: 'List labels',
  summary: 'Lists the labels of a project, each with its number of items.',
  rank: 140,
  input: Type.Object({ project_key: projectKey() }, { additionalProperties: false }),
  output: Type.Object({ labels: Type.Array(labelSchema) }),
  rows: 'labels',
  async run(ctx, { project_key }) {
    const { rows } = await sql<ProjectRow & { readonly labels: LabelRecord[] | null }>`
      select ${projectColumns(ctx, 'p')}, (
        select jsonb_agg(${labelRecord} order by l.display_order, l.id) from labels.labels l
        where l.owner_id = p.owner_id and l.project_id = p.id and l.archived_at is null
      ) as labels
      from projects.projects p where ${keyIs(ctx, project_key)} limit 2
    `.execute(ctx.db)
    const { labels } = await oneProject(ctx, rows, project_key)
    return { labels: labels ?? [] }
  },
})
