import { definePlugin, lazyContributions, userCreated } from 'tasuki/plugin'
import { workflowAssign, workflowCopy, workflowEnforce, workflowList } from './commands.ts'
import { migrations } from './migrations/index.ts'
import { points } from './points.ts'
import { addMissingSystemWorkflows, addSystemWorkflows } from './system.ts'
import { workflowStatesCreate } from './tools/workflow_states_create.ts'
import { workflowStatesDelete } from './tools/workflow_states_delete.ts'
import { workflowStatesList } from './tools/workflow_states_list.ts'
import { workflowStatesReorder } from './tools/workflow_states_reorder.ts'
import { workflowStatesUpdate } from './tools/workflow_states_update.ts'
import { workflowTransitionsCreate } from './tools/workflow_transitions_create.ts'
import { workflowTransitionsDelete } from './tools/workflow_transitions_delete.ts'
import { workflowTransitionsList } from './tools/workflow_transitions_list.ts'
import { workflowTransitionsUpdate } from './tools/workflow_transitions_update.ts'

export type {} from './entities.ts'
export { requireWorkflow, requireWorkflowDetail, type WorkflowDemand, type WorkflowDetail } from './find.ts'
export { defaultState, findStateName, statesOf } from './state.repository.ts'
export { transitionsWhere } from './transition.repository.ts'
export { projectWorkflow } from './visibility.repository.ts'
export type { WorkflowRow } from './workflow.repository.ts'
export { stateChanged, stateUsers, workflowAssigned } from './points.ts'
export type { Reassignment, StateChange, StateIds, StateMove, StateUse } from './points.ts'
export { findCounterpart, finalState, initialState, resolveState, workflowState } from './state.ts'
export type { StateMeaning, Category, StatusAttribute, SystemStatus, WorkflowStateRow } from './state.ts'
export { workflowStatesList }
export type { TransitionRow } from './transition.ts'
export { assignWorkflow, createWorkflow, updateWorkflow } from './write.ts'
export type { AssignedProject, NewWorkflow, WorkflowChange } from './write.ts'
export { stateName } from './state-names.ts'

export const plugin = definePlugin({
  name: 'workflows',
  group: 'workflow_states',
  dependsOn: ['projects'],
  optionalDependsOn: ['portal'],
  entities: () => import('./entities.ts'),
  migrations,
  points,
  tools: [
    workflowStatesList,
    workflowStatesCreate,
    workflowStatesUpdate,
    workflowStatesReorder,
    workflowStatesDelete,
    workflowTransitionsList,
    workflowTransitionsCreate,
    workflowTransitionsUpdate,
    workflowTransitionsDelete,
  ],
  commands: [workflowList, workflowCopy, workflowAssign, workflowEnforce],
  contributes: [userCreated(addSystemWorkflows), lazyContributions(['portal'], () => import('./on-portal.ts'))],
  onEnabled: addMissingSystemWorkflows,
})
