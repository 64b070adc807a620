import { choice, defineTool, nameKey, nullable, throwAll, Type, type ToolError, type WriteContext } from 'tasuki/plugin'
import {
  categoryNote,
  checkDefault,
  colorHex,
  demoteDefault,
  checkName,
  refuseLastOfStatus,
  repairTransitions,
  stateDescription,
  stateName,
  usesOf,
} from '../edit-state.ts'
import { requireState, requireWorkflowDetail, stateId, workflowId, type WorkflowDetail } from '../find.ts'
import { stateChanged } from '../points.ts'
import { updateState } from '../state.repository.ts'
import { CATEGORIES, completeClassification, STATE_FIELDS, stateResult, SYSTEM_STATUSES } from '../state.ts'
import type { WorkflowStateRow } from '../state.ts'
import { recordWorkflowChange } from '../write.ts'

export const workflowStatesUpdate = defineTool({
  name: 'workflow_states_update',
  class: 'W',
  title: 'Update workflow state',
  summary: 'Changes a state of a workflow of yours; a new system_status resets category and status_attribute.',
  rank: 1050,
  input: {
    workflow_id: workflowId,
    state_id: stateId,
    name: Type.Optional(stateName),
    description: Type.Optional(stateDescription('Empty clears.')),
    system_status: Type.Optional(choice(SYSTEM_STATUSES, { description: 'closed = terminal.' })),
    category: Type.Optional(choice(CATEGORIES, { description: `${categoryNote}.` })),
    status_attribute: Type.Optional(Type.String({ description: 'Of closed: done, duplicate, wontfix.' })),
    color_hex: Type.Optional(nullable(colorHex, { description: 'null clears.' })),
    is_default: Type.Optional(Type.Boolean({ description: 'New items start here.' })),
  },
  output: stateResult,
  async run(ctx, input) {
    const workflow = await requireWorkflowDetail(ctx, input.workflow_id, { edit: true, lock: true })
    const before = await requireState(ctx, workflow, input.state_id)
    const system_status = input.system_status ?? before.system_status
    const turned = system_status !== before.system_status
    const { category = before.category, status_attribute = before.status_attribute } = input
    const classification = turned ? input : { category, status_attribute }
    const problems: ToolError[] = []
    const after: WorkflowStateRow = {
      ...before,
      name: input.name === undefined ? before.name : checkName(workflow.states, input.name, before, problems),
      description: (input.description ?? before.description) || null,
      system_status,
      ...completeClassification(system_status, classification, problems),
      color_hex: input.color_hex === undefined ? (before.color_hex ?? null) : input.color_hex,
      is_default: input.is_default ?? before.is_default,
    }
    checkDefault(after, problems)
    const last = turned ? refuseLastOfStatus(workflow, before) : null
    throwAll(last ? [...problems, last] : problems)
    const changed = STATE_FIELDS.filter(field => (before[field] ?? null) !== (after[field] ?? null))
    const warnings = changed.length > 0 ? await writeState(ctx, workflow, before, after) : []
    await recordWorkflowChange(ctx, workflow, { kind: 'workflow.state.changed', of: before, before, after, changed })
    return { state: toStateJson(after, changed), changed, ...(warnings.length > 0 && { warnings }) }
  },
})

/** Cleared fields are shown as null, other empty ones are left out. */
function toStateJson(
  { description = null, color_hex = null, ...state }: WorkflowStateRow,
  changed: readonly string[],
): WorkflowStateRow {
  return {
    ...state,
    ...((description !== null || changed.includes('description')) && { description }),
    ...((color_hex !== null || changed.includes('color_hex')) && { color_hex }),
  }
}

async function writeState(
  ctx: WriteContext,
  workflow: WorkflowDetail,
  before: WorkflowStateRow,
  after: WorkflowStateRow,
): Promise<string[]> {
  const warnings = after.is_default && !before.is_default ? await demoteDefault(ctx, workflow, after.id) : []
  const values = Object.fromEntries(STATE_FIELDS.map(field => [field, after[field] ?? null]))
  await updateState(ctx, workflow, after.id, { ...values, name_key: nameKey(after.name) })
  if (before.system_status !== after.system_status) {
    const change = { ownerId: workflow.ownerId, stateId: after.id, from: before.system_status, to: after.system_status }
    const uses = await usesOf(ctx, workflow.ownerId, after.id)
    for (const changed of ctx.all(stateChanged)) await changed(ctx, change)
    const turned =
      after.system_status === 'open'
        ? 'Reopened with it, without the time of completion'
        : 'Completed with it, as of now'
    if (uses.length > 0) warnings.push(`${turned}: ${uses.map(({ text }) => text).join(' and ')}.`)
  }
  return [...warnings, ...(await repairTransitions(ctx, workflow, after))]
}
