import { defineTool, guarded, notBlank, reference, throwAll, ToolError, Type } from 'tasuki/plugin'
import { resultsOf, writeItems } from '../../items/index.ts'
import { projectKey, requireFeature, requireProject } from '../../projects/index.ts'
import { readEstimate } from '../estimate.ts'
import { prepareEstimates } from '../item-estimates.ts'
import { lockTargets } from '../targets.ts'

const Estimate = Type.Object(
  {
    item_id: reference('UUID or KEY#n.'),
    value: notBlank(guarded(Type.String({ description: "In the project's unit." }), { maxLength: 40 })),
  },
  { additionalProperties: false },
)

export const agileEstimateApply = defineTool({
  name: 'agile_estimate_apply',
  class: 'WD',
  title: 'Apply estimates',
  summary: 'Sets the estimates of up to 20 items of a project; when one is invalid, nothing is written.',
  rank: 540,
  gates: ['agile_ai', 'estimation'],
  input: {
    project_key: projectKey('Project key.'),
    estimates: Type.Array(Estimate, { minItems: 1, maxItems: 20, description: 'Values.' }),
  },
  output: resultsOf({ changed: Type.Array(Type.String()) }),
  async run(ctx, { project_key, estimates }) {
    const project = await requireProject(ctx, project_key, { write: true })
    requireFeature(ctx, 'agile_ai', project)
    requireFeature(ctx, 'estimation', project)
    const values = estimates.map(({ value }, n) => readEstimate(value, project, `estimates[${n}].value`))
    const ids = estimates.map(estimate => estimate.item_id)
    const { drafts, problems } = await lockTargets(ctx, project, ids)
    throwAll([...problems, ...values.filter(value => value instanceof ToolError)])
    const wanted = new Map(
      drafts.map((draft, n) => [draft, { text: estimates[n]!.value, field: `estimates[${n}].value` }]),
    )
    const write = await prepareEstimates(ctx, wanted)
    await write?.(ctx, drafts)
    await writeItems(ctx, drafts, { tool: 'items_bulk_patch', input: {}, bulk: true })
    // Other plugins may reject the drafts; the error rolls everything back.
    throwAll(drafts.flatMap(draft => draft.problems))
    const results = drafts.map(({ ref, changes }) => ({
      item_ref: ref,
      ok: true,
      changed: changes.map(change => change.field),
    }))
    return { results, succeeded: results.length, failed: 0 }
  },
})
