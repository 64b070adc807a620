import { requirements } from './define.ts'

export const workflows = [
  requirements('1-service.md Item workflow state', 2, {
    'workflow.system_status': 'system_status is open or closed',
    'workflow.category_allowed': 'open states are todo, in_progress or review; closed states always done',
    'workflow.category_derived': 'an omitted category is todo for open and done for closed',
    'workflow.attribute_allowed': 'status_attribute is pending for open; done, duplicate or wontfix for closed',
    'workflow.attribute_default': 'status_attribute is done by default for closed',
    'workflow.one_default': 'at most one state is the initial one',
    'workflow.transition_kinds': 'cancel leads to a negative terminal state, reopen from a terminal one to an open one',
    'workflow.default_next_one': 'at most one default next per workflow and from state; a new one demotes the former',
  }),
  requirements('1-service.md Authentication, Errors', 2, {
    'workflow.not_user_owned': 'state and transition tools refuse a system workflow: not_user_owned',
  }),
  requirements('decisions.md Workflow', 2, {
    'workflow.system_states': 'every owner starts with a system workflow of the six states named',
    'workflow.copy_usable': 'a copy is user-owned, editable and usable by a project',
    'workflow.default_completion': 'default completion: closed, attribute done, lowest display order',
  }),
  requirements('2-endpoints.md Workflow states', 2, {
    'workflow_states_list.project': 'gives the states of the workflow of a project',
    'workflow_states_list.all': 'without project_key gives the states of all workflows',
    'workflow_states_list.fields':
      'each has id, name, statuses, category, attribute, color, default flag, display order',
    'workflow_states_create.create': 'creates a state at the end of the order',
    'workflow_states_create.limits': 'name has 1-80 characters, description 500, color is #RRGGBB',
    'workflow_states_create.inconsistent': 'a category or attribute that does not fit the system status is refused',
    'workflow_states_create.duplicate': 'a name that exists in the workflow is refused',
    'workflow_states_update.fields': 'changes name, description, color and the default mark',
    'workflow_states_update.clears': 'an empty description and a null color clear',
    'workflow_states_update.autocorrect': 'a changed system_status corrects an omitted category',
    'workflow_states_reorder.order': 'sets the display order',
    'workflow_states_reorder.complete': 'must list every active state exactly once',
    'workflow_states_delete.archives': 'archives the state and removes its transitions',
    'workflow_states_delete.in_use': 'is refused while items reference the state: in_use with the count',
    'workflow_states_delete.confirm': 'requires confirmation',
  }),
  requirements('2-endpoints.md Workflow transitions', 2, {
    'workflow_transitions_list.leaving': 'gives the transitions that leave a state, with kind and default-next flag',
    'workflow_transitions_list.entry': 'entry gives those without a from state',
    'workflow_transitions_create.create': 'creates a transition of kind next, cancel, manual or reopen',
    'workflow_transitions_create.entry': 'from_state_id null or omitted is an entry',
    'workflow_transitions_create.same_workflow': 'states of another workflow are refused',
    'workflow_transitions_create.default_kind': 'is_default_next on another kind than next is refused',
    'workflow_transitions_update.fields': 'changes kind and is_default_next',
    'workflow_transitions_update.default_kind': 'a default next that would lose kind next is refused',
    'workflow_transitions_delete.delete': 'deletes a transition',
    'workflow_transitions_delete.confirm': 'requires confirmation',
  }),
]
