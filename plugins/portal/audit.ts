import { defineAuditAction } from 'tasuki/plugin'

const define = (name: string, en: string, ja: string) => defineAuditAction({ name, title: { en, ja } })

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
