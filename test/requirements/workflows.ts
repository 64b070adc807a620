import { requirements } from './define.ts'

export const workflows = [
  requirements('1-service.md Item workflow state', 2, {
    'workflow.system_status': 'system_status is open or closed',
    'workflow.category_allowed': 'an open state has the category todo, in_progress or review, and a closed state done',
    'workflow.category_derived': 'an omitted category is todo for an open state and done for a closed one',
    'workflow.attribute_allowed':
      'status_attribute is pending for an open state, and done, duplicate or wontfix for a closed one',
    'workflow.attribute_default': 'status_attribute of a closed state is done by default',
    'workflow.one_default': 'a workflow has at most one initial state',
    'workflow.transition_kinds':
      'a cancel transition leads to a negative terminal state, and a reopen transition from a terminal to an open state',
    'workflow.default_next_one':
      'each state of a workflow has at most one default next transition, and a new one replaces it',
  }),
  requirements('1-service.md Authentication, Errors', 2, {
    'workflow.not_user_owned': 'state and transition tools return not_user_owned for a system workflow',
  }),
  requirements('decisions.md Workflow', 2, {
    'workflow.system_states': 'every owner starts with a system workflow of six states',
    'workflow.copy_usable': 'a copy belongs to the user, who can edit it and use it in a project',
    'workflow.default_completion':
      'the default completion state is the closed state with the attribute done and the lowest display order',
  }),
  requirements('2-endpoints.md Workflow states', 2, {
    'workflow_states_list.project': 'returns the states of the workflow of a project',
    'workflow_states_list.all': 'returns the states of all workflows if project_key is omitted',
    'workflow_states_list.fields':
      'returns id, name, statuses, category, attribute, color, default flag and display order of each state',
    'workflow_states_create.create': 'creates a state at the end of the order',
    'workflow_states_create.limits':
      'accepts a name of 1 to 80 characters, a description of up to 500, and a color #RRGGBB',
    'workflow_states_create.inconsistent': 'refuses a category or attribute that does not match the system status',
    'workflow_states_create.duplicate': 'refuses a name that exists in the workflow',
    'workflow_states_update.fields': 'changes name, description, color and the default flag',
    'workflow_states_update.clears': 'an empty description and a null color clear their values',
    'workflow_states_update.autocorrect': 'a changed system_status corrects the category if it is omitted',
    'workflow_states_reorder.order': 'sets the display order',
    'workflow_states_reorder.complete': 'requires every active state exactly once',
    'workflow_states_delete.archives': 'archives the state and deletes its transitions',
    'workflow_states_delete.in_use': 'a state of existing items returns in_use with their number',
    'workflow_states_delete.confirm': 'requires confirmation',
  }),
  requirements('2-endpoints.md Workflow transitions', 2, {
    'workflow_transitions_list.leaving':
      'returns the transitions that leave a state, with their kind and default-next flag',
    'workflow_transitions_list.entry': 'entry returns the transitions without a from state',
    'workflow_transitions_create.create': 'creates a transition of kind next, cancel, manual or reopen',
    'workflow_transitions_create.entry': 'creates an entry transition if from_state_id is null or omitted',
    'workflow_transitions_create.same_workflow': 'refuses states of another workflow',
    'workflow_transitions_create.default_kind': 'refuses is_default_next for any kind other than next',
    'workflow_transitions_update.fields': 'changes kind and is_default_next',
    'workflow_transitions_update.default_kind':
      'refuses to change the kind of a default next transition to anything other than next',
    'workflow_transitions_delete.delete': 'deletes a transition',
    'workflow_transitions_delete.confirm': 'requires confirmation',
  }),
]
