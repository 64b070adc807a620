import { html } from '../../portal/index.ts'
import { INVITED } from '../notification.repository.ts'
import { notificationTranslations } from '../points.ts'

/** Translation of the notification about open invitations. */
export const invitationTranslation = notificationTranslations({
  kind: INVITED,
  translate: () => ({
    title: 'プロジェクトに招待されています',
    body: html`<a href="/settings/invitations">設定の「招待」</a>で承諾または辞退できます。`,
  }),
})
