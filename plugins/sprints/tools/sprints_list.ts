import { defineTool, Type } from 'tasuki/plugin'
import { listActiveSprints, listProjectSprints } from '../sprint-record.repository.ts'
import { sprintSchema } from '../sprint.ts'

/**
 * Maximum number of sprints per call. The tool has no paging, so the limit is more than any project should have; the earliest closed
 * sprints are left out.
 */
const MAX_SPRINTS = 1000

export const sprintsList = defineTool({
  name: 'sprints_list',
  class: 'R',
  title: 'List sprints',
  summary: 'Lists sprints with goal, capacity, counts and remaining estimate; without project_key all active ones.',
  rank: 150,
  gates: ['sprints'],
  input: { project_key: Type.Optional(Type.String({ description: 'Project key.' })) },
  output: {
    sprints: Type.Array(sprintSchema),
    has_more: Type.Boolean(),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  rows: 'sprints',
  async run(ctx, { project_key }) {
    const found =
      project_key === undefined
        ? await listActiveSprints(ctx, MAX_SPRINTS + 1)
        : await listProjectSprints(ctx, project_key, MAX_SPRINTS + 1)
    const has_more = found.length > MAX_SPRINTS
    return {
      sprints: found.slice(0, MAX_SPRINTS),
      has_more,
      ...(has_more && { warnings: [`Only the first ${MAX_SPRINTS} sprints are listed.`] }),
    }
  },
})
