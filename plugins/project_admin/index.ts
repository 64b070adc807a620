import { definePlugin } from 'tasuki/plugin'
import { codeRefsAdd } from './tools/code_refs_add.ts'
import { codeRefsRemove } from './tools/code_refs_remove.ts'
import { customSequencesCreate } from './tools/custom_sequences_create.ts'
import { customSequencesUpdate } from './tools/custom_sequences_update.ts'
import { eventsCreate } from './tools/events_create.ts'
import { itemsMoveProject } from './tools/items_move_project.ts'
import { itemsRestoreRevision } from './tools/items_restore_revision.ts'
import { projectFeaturesSet } from './tools/project_features_set.ts'
import { projectMembersSet } from './tools/project_members_set.ts'
import { projectsCreate } from './tools/projects_create.ts'
import { projectsUpdate } from './tools/projects_update.ts'
import { remindersRepeat } from './tools/reminders_repeat.ts'
import { versionsList } from './tools/versions_list.ts'
import { workflowsCreate } from './tools/workflows_create.ts'
import { workflowsUpdate } from './tools/workflows_update.ts'

/** Lets AI clients do what otherwise only owners do in the portal; off unless config turns it on. */
export const plugin = definePlugin({
  name: 'project_admin',
  dependsOn: ['projects', 'workflows'],
  optionalDependsOn: ['code_refs', 'events', 'items', 'numbering', 'reminders', 'templates', 'versions'],
  tools: [
    projectsCreate,
    projectsUpdate,
    projectMembersSet,
    projectFeaturesSet,
    workflowsCreate,
    workflowsUpdate,
    versionsList,
    customSequencesCreate,
    customSequencesUpdate,
    eventsCreate,
    remindersRepeat,
    codeRefsAdd,
    codeRefsRemove,
    itemsMoveProject,
    itemsRestoreRevision,
  ],
})
