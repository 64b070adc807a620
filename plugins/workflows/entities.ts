import { belongsTo, defineTable, named, ownedKey, p, timestamps, uniqueOn, type TablesOf } from 'tasuki/entities'
import { Project } from '../projects/entities.ts'

export const Workflow = defineTable('workflows.workflows', {
  properties: {
    ...ownedKey,
    ...named,
    /** The initial workflow of every owner, which is read-only. */
    isSystem: p.boolean().default(false),
    /** Restricts items_move_state to defined transitions. */
    enforceTransitions: p.boolean().default(false),
    ...timestamps,
  },
  uniques: [{ name: 'workflows_name_unique', properties: ['ownerId', 'nameKey'] }],
  indexes: [uniqueOn('workflows_one_system', '(owner_id) where (is_system)')],
})

export const WorkflowState = defineTable('workflows.states', {
  properties: {
    ...ownedKey,
    workflow: () => belongsTo(Workflow, 'workflow_id'),
    ...named,
    description: p.text().nullable(),
    systemStatus: p.enum(['open', 'closed'] as const),
    category: p.enum(['todo', 'in_progress', 'review', 'done'] as const),
    statusAttribute: p.enum(['pending', 'done', 'duplicate', 'wontfix'] as const),
    colorHex: p.text().nullable(),
    /** The initial state of new items. */
    isDefault: p.boolean().default(false),
    displayOrder: p.integer(),
    archivedAt: p.datetime().nullable(),
  },
  indexes: [
    { name: 'states_workflow', properties: ['ownerId', 'workflow', 'displayOrder'] },
    uniqueOn('states_one_default', '(owner_id, workflow_id) where (is_default and archived_at is null)'),
    uniqueOn('states_name_unique', '(owner_id, workflow_id, name_key) where (archived_at is null)'),
  ],
})

const TransitionSchema = defineTable('workflows.transitions', {
  properties: {
    ...ownedKey,
    workflow: () => belongsTo(Workflow, 'workflow_id'),
    /** Null = the entry transition of new items. */
    fromState: () => belongsTo(WorkflowState, 'from_state_id').nullable(),
    toState: () => belongsTo(WorkflowState, 'to_state_id'),
    kind: p.enum(['next', 'cancel', 'manual', 'reopen'] as const),
    isDefaultNext: p.boolean().default(false),
  },
  indexes: [
    { name: 'transitions_to', properties: ['ownerId', 'toState'] },
    { name: 'transitions_from', properties: ['ownerId', 'fromState'] },
    uniqueOn('transitions_pair_unique', '(owner_id, workflow_id, from_state_id, to_state_id) nulls not distinct'),
    uniqueOn(
      'transitions_one_default_next',
      '(owner_id, workflow_id, from_state_id) nulls not distinct where (is_default_next)',
    ),
  ],
})

/** The workflow of a project; a project without a row uses its owner's system workflow. */
const ProjectWorkflowSchema = defineTable('workflows.project_workflows', {
  properties: {
    ownerId: p.uuid().primary(),
    project: () => belongsTo(Project, 'project_id').primary(),
    workflow: () => belongsTo(Workflow, 'workflow_id'),
  },
  indexes: [{ name: 'project_workflows_workflow', properties: ['workflow'] }],
})

export const entities = [Workflow, WorkflowState, TransitionSchema, ProjectWorkflowSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'workflows', typeof entities> {}
}
