import { defineTool, throwAll, ToolError, Type } from 'tasuki/plugin'
import { FEATURES, projectKey, requireProject, setFeatures } from '../../projects/index.ts'
import { Switches } from '../result.ts'
import { requireWholeAccount } from '../whole-account.ts'

const KNOWN = Object.keys(FEATURES)

export const projectFeaturesSet = defineTool({
  name: 'project_features_set',
  class: 'W',
  title: 'Set features',
  summary:
    'Turns feature switches on or off, for one project of yours or as the default of all your projects. Returns every switch as it is now.',
  rank: 1130,
  input: Type.Object(
    {
      project_key: Type.Optional(projectKey('Project key; omitted = your default.')),
      features: Type.Record(Type.String(), Type.Boolean(), {
        description: `Switch to boolean: ${KNOWN.join(', ')}.`,
        minProperties: 1,
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    project_key: Type.Optional(Type.String()),
    features: Switches,
    changed: Type.Array(Type.String()),
  }),
  async run(ctx, { project_key, features }) {
    checkSwitches(features)
    if (project_key === undefined) requireWholeAccount(ctx, 'change the default of all projects')
    const project = project_key === undefined ? null : await requireProject(ctx, project_key, { owner: true })
    const { before, after } = await setFeatures(ctx, ctx.actor.userId, project, features)
    return {
      ...(project && { project_key: project.key }),
      features: after,
      changed: Object.keys(features).filter(name => before[name as keyof typeof FEATURES] !== features[name]),
    }
  },
})

function checkSwitches(features: Readonly<Record<string, boolean>>): void {
  throwAll(
    Object.keys(features)
      .filter(name => !KNOWN.includes(name))
      .map(
        name =>
          new ToolError('invalid_argument', `There is no feature switch "${name}".`, {
            field: `features.${name}`,
            allowed: KNOWN,
            hint: 'Use the names in allowed.',
          }),
      ),
  )
}
