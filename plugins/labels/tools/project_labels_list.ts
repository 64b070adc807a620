import { defineTool, pageOffset, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { readLabels } from '../label.repository.ts'
import { labelSchema } from '../label.ts'

export const projectLabelsList = defineTool({
  name: 'project_labels_list',
  class: 'R',
  title: 'List labels',
  summary: 'Lists the labels of a project, each with its number of items.',
  rank: 140,
  input: { project_key: projectKey(), offset: pageOffset },
  output: { labels: Type.Array(labelSchema) },
  rows: 'labels',
  async run(ctx, { project_key, offset }) {
    return { labels: (await readLabels(ctx, project_key)).slice(offset) }
  },
})
