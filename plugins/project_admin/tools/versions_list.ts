import { defineTool, pageOffset, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { listVersions, versionSchema } from '../../versions/index.ts'

export const versionsList = defineTool({
  name: 'versions_list',
  class: 'R',
  title: 'List versions',
  summary:
    'Lists the versions of a project: planned ones by target date, then released and archived ones, newest first.',
  rank: 1160,
  rows: 'versions',
  gates: ['roadmap'],
  needs: ['versions'],
  input: { project_key: projectKey(), offset: pageOffset },
  output: { versions: Type.Array(versionSchema) },
  async run(ctx, { project_key, offset = 0 }) {
    return { versions: (await listVersions(ctx, project_key)).slice(offset) }
  },
})
