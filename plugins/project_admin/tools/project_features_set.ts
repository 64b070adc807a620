import { defineTool, guarded, Type } from 'tasuki/plugin'
import { projectKey, requireProject, setFeatures, type Feature } from '../../projects/index.ts'
import { Switches } from '../result.ts'
import { requireWholeAccount } from '../whole-account.ts'

export const projectFeaturesSet = defineTool({
  name: 'project_features_set',
  class: 'W',
  title: 'Set features',
  summary:
    'Turns feature switches on or off, for one project of yours or as the default of all your projects. Returns every switch as it is now.',
  rank: 1130,
  input: {
    project_key: Type.Optional(projectKey('Project key; omitted = your default.')),
    features: guarded(Type.Partial(Switches, { additionalProperties: false, description: 'Switches to set.' }), {
      minProperties: 1,
    }),
  },
  output: { project_key: Type.Optional(Type.String()), features: Switches, changed: Type.Array(Type.String()) },
  async run(ctx, { project_key, features }) {
    if (project_key === undefined) requireWholeAccount(ctx, 'change the default of all projects')
    const project = project_key === undefined ? null : await requireProject(ctx, project_key, { owner: true })
    const { before, after } = await setFeatures(ctx, ctx.actor.userId, project, features)
    return {
      ...(project && { project_key: project.key }),
      features: after,
      changed: (Object.keys(features) as Feature[]).filter(name => before[name] !== features[name]),
    }
  },
})
