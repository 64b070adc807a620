import { choice, defineTool, quoteName, throwAll, ToolError, Type, uuid } from 'tasuki/plugin'
import { requireWorkflowDetail, workflowId } from '../find.ts'
import { insertStates } from '../state.repository.ts'
import { CATEGORIES, completeClassification, STATE_FIELDS, stateResult, SYSTEM_STATUSES } from '../state.ts'
import type { WorkflowStateRow } from '../state.ts'
import {
  categoryNote,
  checkDefault,
  colorHex,
  demoteDefault,
  checkName,
  MOST_STATES,
  stateDescription,
  stateName,
} from '../edit-state.ts'
import { touchWorkflow } from '../workflow.repository.ts'
import { recordWorkflowChange } from '../write.ts'

export const workflowStatesCreate = defineTool({
  name: 'workflow_states_create',
  class: 'W',
  title: 'Create workflow state',
  summary: 'Adds a state at the end of a workflow of yours.',
  rank: 1040,
  input: {
    workflow_id: workflowId,
    name: stateName,
    description: Type.Optional(stateDescription('What it means.')),
    system_status: choice(SYSTEM_STATUSES, { description: 'closed = terminal.' }),
    category: Type.Optional(choice(CATEGORIES, { description: `${categoryNote}; else derived.` })),
    status_attribute: Type.Optional(Type.String({ description: 'Of closed: done, duplicate, wontfix.' })),
    color_hex: Type.Optional(colorHex),
    is_default: Type.Optional(Type.Boolean({ description: 'New items start here.' })),
  },
  output: stateResult,
  async run(ctx, input) {
    const workflow = await requireWorkflowDetail(ctx, input.workflow_id, { edit: true, lock: true })
    const { states } = workflow
    if (states.length >= MOST_STATES) {
      const message = `The workflow ${quoteName(workflow.name)} has ${states.length} states, which is the limit.`
      throw new ToolError('limit_exceeded', message, { hint: 'Delete a state that is not used.' })
    }
    const { system_status, is_default = false } = input
    const problems: ToolError[] = []
    const state: WorkflowStateRow = {
      id: uuid(),
      workflow_id: workflow.id,
      workflow: workflow.name,
      name: checkName(states, input.name, null, problems),
      ...(input.description && { description: input.description }),
      system_status,
      ...completeClassification(system_status, input, problems),
      ...(input.color_hex !== undefined && { color_hex: input.color_hex }),
      is_default,
      display_order: Math.max(0, ...states.map(each => each.display_order)) + 1,
    }
    checkDefault(state, problems)
    throwAll(problems)
    const warnings = is_default ? await demoteDefault(ctx, workflow, state.id) : []
    await insertStates(ctx, [{ ...state, owner_id: workflow.ownerId }])
    await touchWorkflow(ctx, workflow)
    await recordWorkflowChange(ctx, workflow, { kind: 'workflow.state.created', of: state, after: state })
    return {
      state,
      changed: STATE_FIELDS.filter(field => state[field] !== undefined),
      ...(warnings.length > 0 && { warnings }),
    }
  },
})
