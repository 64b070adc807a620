import { whenEnabled } from 'tasuki/plugin'
import { portalPages } from '../points.ts'
import { boardPage } from './board.ts'
import { itemPage } from './items/item.ts'
import { checklistPanel } from './items/panels/checklist.ts'
import { codePanel } from './items/panels/code.ts'
import { discussionsPanel } from './items/panels/discussions.ts'
import { filesPanel } from './items/panels/files.ts'
import { historyPanel } from './items/panels/history.ts'
import { relationsPanel } from './items/panels/relations.ts'
import { movePage } from './items/move.ts'
import { revisionPage, revisionsPage } from './items/revisions.ts'
import { notificationsPage } from './notifications.ts'
import { numberingPage } from './numbering.ts'
import { preferencesPage } from './preferences.ts'
import { codePage } from './projects/code.ts'
import { customFieldsPage } from './projects/custom-fields.ts'
import { ownFeaturesPage, projectFeaturesPage } from './projects/features.ts'
import { generalPage } from './projects/general.ts'
import { kindsPage } from './projects/kinds.ts'
import { libraryPage } from './projects/library.ts'
import { projectPage, projectsPage } from './projects/list.ts'
import { membersPage } from './projects/members.ts'
import { workflowPage } from './projects/workflow.ts'

/** Pages about work. Any plugin but projects may be off: each counts where those that it shows are on. */
export const work = [
  ...[projectsPage, projectPage, generalPage, membersPage, projectFeaturesPage, ownFeaturesPage].map(page =>
    portalPages(page),
  ),
  ...whenEnabled(['workflows'], [portalPages(workflowPage)]),
  ...whenEnabled(
    ['workflows', 'items'],
    [boardPage, itemPage, movePage, revisionsPage, revisionPage].map(page => portalPages(page)),
  ),
  ...whenEnabled(['items'], [portalPages(kindsPage)]),
  ...whenEnabled(['workspace'], [...[notificationsPage, preferencesPage].map(page => portalPages(page)), ...historyPanel]),
  ...whenEnabled(['notes'], [portalPages(libraryPage)]),
  ...whenEnabled(['numbering'], [portalPages(numberingPage)]),
  ...whenEnabled(['custom_fields'], [portalPages(customFieldsPage)]),
  ...whenEnabled(['code_refs'], [portalPages(codePage), codePanel]),
  ...whenEnabled(['relations'], [relationsPanel]),
  ...whenEnabled(['checklist'], checklistPanel),
  ...whenEnabled(['discussions'], discussionsPanel),
  ...whenEnabled(['attachments'], filesPanel),
]
