import { quoteNameJa } from 'tasuki/plugin'
import { html } from '../../portal/index.ts'
import type { AccessFacts } from '../access-notices.ts'
import { notificationTranslations } from '../points.ts'

const SECURITY = { path: '/settings/security', label: '設定の「セキュリティ」' }
const INTEGRATIONS = { path: '/settings/integrations', label: '設定の「連携」' }

const SECOND_FACTOR = { path: '/settings/second-factor', label: '設定の「2段階認証」' }
const ACCOUNT = { path: '/settings/account', label: '設定の「アカウント」' }

const NEWS = [
  { kind: 'access.device', title: '新しいブラウザーからサインインがありました', end: SECURITY },
  { kind: 'access.token', title: '個人用アクセストークンが発行されました', end: INTEGRATIONS },
  { kind: 'access.app', title: 'アプリが接続されました', end: INTEGRATIONS },
  { kind: 'access.passkey', title: 'パスキーが追加されました', end: SECOND_FACTOR },
  { kind: 'access.authenticator', title: '認証アプリが設定されました', end: SECOND_FACTOR },
  { kind: 'access.recovery_codes', title: 'リカバリーコードが発行されました', end: SECOND_FACTOR, mend: true },
  { kind: 'access.less_proof', title: '2段階認証の手段が解除されました', end: SECOND_FACTOR, mend: true },
  { kind: 'access.email', title: 'メールアドレスが変更されました', end: ACCOUNT, mend: true },
] as const

/** Translations of the notifications about new access. */
export const accessTranslations = NEWS.map(({ kind, title, end, ...how }) =>
  notificationTranslations({
    kind,
    translate(_language, { data }) {
      const { name, address, browser } = data as unknown as AccessFacts
      const facts = [
        ...(name === undefined ? [] : [`${kind === 'access.email' ? '新しいアドレス' : '名前'}: ${quoteNameJa(name)}`]),
        address === undefined ? '運用者のコマンドによる操作' : `アドレス: ${address}`,
        ...(browser === undefined ? [] : [`ブラウザー: ${quoteNameJa(browser)}`]),
      ]
      const where = html`<a href="${end.path}">${end.label}</a>`
      return {
        title,
        body: html`${facts.join('、')}。心当たりがない場合は、${where}で${'mend' in how ? '設定し直して' : '終了して'}ください。`,
      }
    },
  }),
)
