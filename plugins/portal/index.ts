import { clientSecret, openIdProvider } from './auth/provider.ts'
import { definePlugin } from 'tasuki/plugin'
import { resetSecondFactor } from './auth/reset-second-factor.ts'
import * as auditActions from './audit.ts'
import { setupLink } from './commands.ts'
import { migrations } from './migrations/index.ts'
import { portalSignIn, sessionsRevoked, setupOnFirstStart } from './on-host.ts'
import { activityPage } from './pages/activity.ts'
import { accountPage } from './pages/account.ts'
import { authenticatorPage } from './pages/authenticator.ts'
import { confirmationPage } from './pages/confirmation.ts'
import { consentPage } from './pages/consent.ts'
import { integrationsPage } from './pages/integrations.ts'
import { secondFactorPage } from './pages/second-factor.ts'
import { secondStepPage } from './pages/second-step.ts'
import { securityPage } from './pages/security.ts'
import { setupPage } from './pages/setup.ts'
import { signInPage } from './pages/sign-in.ts'
import { defineRedirect } from './page.ts'
import { points, portalPages } from './points.ts'
import { effectiveSettingsPage } from './pages/admin/effective-settings.ts'
import { jobsPage } from './pages/admin/jobs.ts'
import { servicePage } from './pages/admin/service.ts'
import { userPage } from './pages/admin/user.ts'
import { usersPage } from './pages/admin/users.ts'
import { routes } from './routes.ts'
import { settings } from './settings.ts'
import { sweep } from './sweep.ts'

export type {} from './entities.ts'
export * as fields from './fields.ts'
export type { UploadedFile } from './fields.ts'
export { containPart, failedPart } from './contain-part.ts'
export { attributes, html, type Child, type Html } from './html.ts'
export { noticeWithWarnings } from './notice.ts'
export { defineTexts, defineTranslations, defineWords } from './language.ts'
export { joinSentences, LANGUAGES, wordsIn, type Language } from './language.ts'
export { defineForm, definePage, defineRedirect, Redirect, Refusal } from './page.ts'
export type { Answer, AnyPage, Form, MenuEntry, FormDefinition, Page, PageDefinition, Refusals } from './page.ts'
export { itemPanels, pageLinks, portalForms, portalPages } from './points.ts'
export type { ItemPanel, PageForm, PageLink } from './points.ts'
export { portalProjects, type PageProject, type PageRole, type PortalProjects } from './projects.ts'
export {
  defineItemForm,
  defineProjectForm,
  defineProjectPage,
  keyInAddress,
  ownProject,
  readSubject,
  type Subject,
} from './project.ts'
export { mergeShown, shownValues } from './shown-values.ts'
export type { ItemFields, ShownItem } from './shown-item.ts'
export { cacheFeaturesOff } from './features-off.ts'
export type { Controls } from './ui/controls.ts'
export { addressOf } from './ui/form.ts'
export { ITEM, itemAddress, itemLink, refIn } from './ui/item-address.ts'
export { markdownView } from './ui/markdown-view.ts'
export { addressWith, offsetOf, pager } from './ui/pager.ts'
export { formatDay, formatDayIn, formatInstant } from './ui/parts.ts'
export { card, codeBlock, deletion, descriptionList, disclosure, table, tableOr, type Column } from './ui/parts.ts'
export { queryForm, queryProblem } from './ui/query-form.ts'
export { errorSentence, refusalText } from './ui/refusals.ts'
export { sizeText } from './ui/size-text.ts'
export { megabytes } from './ui/texts.ts'
export { idOf, type UserVisit, type Visit } from './visit.ts'

const pages = [
  signInPage,
  secondStepPage,
  setupPage,
  consentPage,
  confirmationPage,
  // Where "Settings" of the navigation bar leads.
  defineRedirect({ path: '/settings', to: () => integrationsPage.path }),
  integrationsPage,
  accountPage,
  securityPage,
  secondFactorPage,
  authenticatorPage,
  activityPage,
  usersPage,
  userPage,
  servicePage,
  jobsPage,
  effectiveSettingsPage,
]

export const plugin = definePlugin({
  name: 'portal',
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  notExported: [
    'portal.passwords',
    'portal.sessions',
    'portal.setup_links',
    'portal.identities',
    'portal.attempts',
    'portal.authenticators',
    'portal.passkeys',
    'portal.recovery_codes',
  ],
  points,
  auditActions: Object.values(auditActions),
  commands: [setupLink],
  jobs: [sweep],
  contributes: [
    portalSignIn,
    sessionsRevoked,
    resetSecondFactor,
    setupOnFirstStart,
    openIdProvider,
    ...pages.map(page => portalPages(page)),
  ],
  // A secret that cannot be read aborts the boot instead of the first sign-in.
  check({ config }) {
    const { openid } = config(settings)
    if (openid) void clientSecret(openid)
  },
  routes,
})
