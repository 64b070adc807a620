import { requirements } from './define.ts'

export const planning = [
  requirements('1-service.md Sprint status; 2-endpoints.md Sprints', 3, {
    'sprints_create.planning': 'creates the sprint with status planning if status is omitted',
    'sprints_create.active': 'status=active starts the sprint',
    'sprints_create.closed': 'status=closed creates a closed sprint, which has no velocity',
    'sprints_create.fields': 'stores name, parent, goal, dates and capacity',
    'sprints_create.limits': 'accepts a name of up to 120 characters and refuses nesting deeper than 3',
    'sprints_create.disabled': 'sprint tools are refused unless sprint management is enabled',
    'sprints_list.project': 'returns the sprints of a project with goal, capacity, counts and remaining estimate',
    'sprints_list.active_everywhere': 'returns the active sprints of all projects if project_key is omitted',
    'sprints_update.fields': 'changes fields; null clears goal, dates and capacity, and moves the sprint to the root',
    'sprints_update.status': 'status switches between planning and active',
    'sprints_add_item.same_project': 'refuses an item of another project',
    'sprints_remove_item.unassign': 'only removes the item from the sprint',
    'sprints_note_get.slots': 'returns the four note slots',
    'sprints_note_set.replace': 'replaces the note of a slot, and an empty string deletes it',
    'sprints_close.closed': 'closes an active sprint irreversibly and records the review',
    'sprints_close.dispositions': 'applies a disposition to each unfinished item',
    'sprints_close.default_drop': 'drops all unfinished items if dispositions is omitted',
    'sprints_close.next_sprint_required': 'refuses the disposition next_sprint without next_sprint',
    'sprints_close.velocity': 'fixes the velocity',
    'sprints_handoff.atomic': 'closes the active sprint and starts the next one in one transaction',
    'sprints_handoff.next_planning': 'requires that next_sprint is a planning sprint without children',
    'sprints_delete.keeps_items': 'deletes the sprint irreversibly, and unassigns its items without deleting them',
    'sprints_delete.children': 'refuses a sprint with child sprints',
  }),
  requirements('decisions.md Sprints, versions, estimates; References and names', 3, {
    'sprints.one_active': 'each project and parent has at most one active sprint',
    'sprints_update.no_close': 'refuses status=closed and suggests sprints_close; a closed sprint stays closed',
    'sprints.drop': 'drop removes the item from the sprint, leaves it open and records it as dropped',
    'sprints.backlog': 'backlog removes the item from the sprint and counts it as carry-over',
    'sprints.split': 'split completes the original with its completed share and creates a continuation',
    'sprints.partial': 'unfinished items that dispositions omits are dropped with a warning',
    'sprints.names': '@active and @next select sprints, and a name without its path must be unique',
  }),
  requirements('1-service.md Version status; 2-endpoints.md Versions', 3, {
    'versions_create.planning':
      'creates the version with status planning by default; its name has up to 120 characters',
    'versions_create.disabled': 'is refused unless version management is enabled',
    'versions_update.released': 'status=released records released_at',
    'versions_update.clears': 'null clears description and target_date',
    'versions_update.any_status':
      'allows every change of status; a repeated release keeps released_at, and leaving released clears it',
    'versions_add_item.replaces': 'replaces the current version of the item',
    'versions_remove_item.removes': 'removes the item from the version',
    'versions_delete.keeps_items': 'deletes the version irreversibly and keeps its items',
  }),
  requirements('1-service.md Errors; 2-endpoints.md Estimation; decisions.md Sprints', 3, {
    'agile_estimate_apply.all_or_nothing': 'writes nothing if any estimate is invalid',
    'agile_estimate_apply.limit': 'accepts at most 20 estimates, by UUID or reference',
    'agile_estimate_apply.unit': 'requires values in the unit of the project',
    'agile_estimate_apply.disabled': 'agile estimate tools are refused unless agile.ai and estimation are enabled',
    'agile_estimate_suggest.suggests':
      'suggests estimates from finished items, with range, confidence and basis, and writes nothing',
    'agile_improvement_suggest.signals':
      'suggests improvements from carry-over, velocity trend and risk signals, by default of the active sprint',
    'agile_improvement_suggest.disabled': 'is refused unless agile.ai and sprint management are enabled',
    'agile_meta_patch.fields': 'sets estimate and kind, and null clears them',
    'agile_meta_patch.disabled': 'is refused unless estimation is enabled',
    'agile_retro_draft.slot': 'stores a draft in the assistant_summary slot of a closed sprint',
    'agile_retro_draft.conflict': 'an existing draft returns conflict unless overwrite is true',
    'agile_sprint_forecast.forecast':
      'predicts the forecast date, the confidence and the remaining points by a seeded simulation',
    'agile_sprint_forecast.too_little': 'returns a null date and the reason if there is too little data',
    'agile_sprint_forecast.basis': 'uses the last six closed sprints, else this sprint, else the capacity',
    'agile_sprint_forecast.calibrated':
      'the share of teams that finish by a predicted day equals its stated probability',
    'agile_estimate_suggest.accurate': 'the mean error is below that of the median of the project',
    'agile_estimate_suggest.calibrated': 'the stated confidence equals the share of ranges that contain the estimate',
    'agile_retro_draft.closed': 'drafts the retrospective of a closed sprint from recorded data',
    'agile_retro_draft.unrecorded': 'also accepts a sprint that was created closed',
    'agile_retro_draft.disabled': 'is refused unless agile.ai and sprint management are enabled',
    'estimates.values': 'an estimate is a number in the unit of its project',
    'estimates.disabled': 'no tool sets an estimate unless estimation is enabled',
    'estimates.sprints':
      'sprints are measured in estimates, and a split moves the remaining estimate to the continuation',
    'estimates.without_sprints': 'estimates work if sprints are disabled',
  }),
  requirements('1-service.md Custom field definition; 2-endpoints.md Custom fields', 3, {
    'project_custom_fields_create.key':
      'field_key matches ^[a-z][a-z0-9_]*$, has up to 64 characters, and is derived from the label if omitted',
    'project_custom_fields_create.text_only': 'creates text fields only, with a label of up to 80 characters',
    'project_custom_fields_delete.deactivates': 'deactivates the field and keeps its values',
    'project_custom_fields_update.reactivates': 'is_active=true reactivates the field',
    'project_custom_fields_update.immutable_key': 'field_key is immutable',
    'project_custom_fields_list.inactive': 'returns inactive fields only with include_inactive',
    'project_custom_fields.required':
      'completing an item without a required field returns a warning, and a required field cannot be cleared',
  }),
]
