import { whenEnabled } from 'tasuki/plugin'
import { portalPages } from '../points.ts'
import { boardPage } from './board.ts'
import { itemPage } from './items/item.ts'
import { historyPanel } from './items/panels/history.ts'
import { movePage } from './items/move.ts'
import { revisionPage, revisionsPage } from './items/revisions.ts'
import { notificationsPage } from './notifications.ts'
import { preferencesPage } from './preferences.ts'
import { kindsPage } from './projects/kinds.ts'

/** Pages about work. Any plugin but projects may be off: each counts where those that it shows are on. */
export const work = [
  ...whenEnabled(
    ['workflows', 'items'],
    [boardPage, itemPage, movePage, revisionsPage, revisionPage].map(page => portalPages(page)),
  ),
  ...whenEnabled(['items'], [portalPages(kindsPage)]),
  ...whenEnabled(['workspace'], [...[notificationsPage, preferencesPage].map(page => portalPages(page)), ...historyPanel]),
]
