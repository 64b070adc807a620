import { portalPages } from '../portal/index.ts'
import { accessTranslations } from './portal/access-notifications.ts'
import { historyPage, historyPanel } from './portal/history.ts'
import { invitationTranslation } from './portal/invitation-notification.ts'
import { notificationsPage } from './portal/notifications.ts'
import { preferencesPage } from './portal/preferences.ts'

export const contributions = [
  historyPanel,
  invitationTranslation,
  ...accessTranslations,
  ...[historyPage, notificationsPage, preferencesPage].map(page => portalPages(page)),
]
