import { defineAuditAction } from 'tasuki/plugin'

/** Words of what the records of these actions tell. */
const words = {
  method: { en: 'Method', ja: '方法' },
  'method.password': { en: 'password', ja: 'パスワード' },
  'method.provider': { en: 'identity provider', ja: '外部アカウント' },
  'method.setup_link': { en: 'set-up link', ja: 'セットアップリンク' },
  'method.passkey': { en: 'passkey', ja: 'パスキー' },
  second: { en: 'Second step', ja: '2段階目' },
  'second.app': { en: 'authenticator app', ja: '認証アプリ' },
  'second.passkey': { en: 'passkey', ja: 'パスキー' },
  'second.recovery_code': { en: 'recovery code', ja: '回復コード' },
  'second.provider': { en: 'identity provider', ja: '外部アカウント' },
  browser: { en: 'Browser', ja: 'ブラウザー' },
  reason: { en: 'Reason', ja: '理由' },
  'reason.too_many': { en: 'too many attempts', ja: '試行回数の超過' },
  'reason.wrong': { en: 'wrong address or password', ja: 'メールアドレスまたはパスワードの誤り' },
  'reason.wrong_passkey': { en: 'wrong passkey', ja: 'パスキーの誤り' },
  'reason.wrong_second_factor': { en: 'wrong second factor', ja: '2段階目の誤り' },
  first_user: { en: 'First user', ja: '最初のユーザー' },
  other_browser: { en: 'In another browser', ja: '別のブラウザーから' },
  everywhere: { en: 'Everywhere', ja: 'すべての端末' },
  renamed: { en: 'Renamed', ja: '名前を変更' },
  recovery_codes: { en: 'Recovery codes', ja: '回復コード' },
  reset: { en: 'Reset', ja: 'リセット' },
  app: { en: 'Authenticator app', ja: '認証アプリ' },
  passkeys: { en: 'Passkeys', ja: 'パスキー' },
}
const define = (name: string, en: string, ja: string) => defineAuditAction({ name, title: { en, ja }, words })

export const signedIn = define('session.started', 'Signed in', 'サインイン')
export const signInRefused = define('session.refused', 'Sign-in refused', 'サインインを拒否')
export const signedOut = define('session.ended', 'Signed out', 'サインアウト')
export const passwordChanged = define('password.changed', 'Password changed', 'パスワードを変更')
export const personConfirmed = define('person.confirmed', 'Confirmed who it is', '本人確認')
export const identityLinked = define('identity.linked', 'Account of a provider linked', '外部アカウントを連携')
export const identityUnlinked = define(
  'identity.unlinked',
  'Account of a provider unlinked',
  '外部アカウントの連携を解除',
)
export const setupLinkIssued = define('setup_link.issued', 'Set-up link issued', 'セットアップリンクを発行')
export const secondFactorAdded = define('second_factor.added', 'Second factor set up', '2段階認証を設定')
export const secondFactorChanged = define('second_factor.changed', 'Second factor changed', '2段階認証を変更')
export const secondFactorRemoved = define('second_factor.removed', 'Second factor removed', '2段階認証を解除')
