import { defineTool, Type } from 'tasuki/plugin'
import { createProject } from '../../projects/index.ts'
import { Project, projectResult } from '../result.ts'
import { requireWholeAccount } from '../whole-account.ts'

export const projectsCreate = defineTool({
  name: 'projects_create',
  class: 'W',
  title: 'Create project',
  summary: 'Creates a project of yours with the system workflow; returns it. projects_update changes the rest.',
  rank: 1110,
  input: {
    key: Type.String({ minLength: 1, maxLength: 64, description: 'Short key as in APP#12: A-Z, digits, _.' }),
    name: Type.String({ minLength: 1, maxLength: 120, description: 'Name for people.' }),
    description: Type.Optional(Type.String({ maxLength: 2000, description: 'What it is about.' })),
  },
  output: { project: Project, changed: Type.Array(Type.String()) },
  async run(ctx, { key, name, description }) {
    requireWholeAccount(ctx, 'create projects')
    const project = await createProject(ctx, { ownerId: ctx.actor.userId, key, name, description })
    return {
      project: projectResult(project),
      changed: ['key', 'name', ...(project.description === null ? [] : ['description'])],
    }
  },
})
