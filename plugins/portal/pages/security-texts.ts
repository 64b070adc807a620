import { formatCount } from 'tasuki/plugin'
import { defineTexts } from '../language.ts'

export const texts = defineTexts({
  title: { en: 'Security', ja: 'セキュリティ' },
  noPassword: {
    en: 'You have no password: you sign in through your provider. A set-up link makes one.',
    ja: 'パスワードは未設定で、外部プロバイダーでサインインしています。セットアップリンクで設定できます。',
  },
  current: { en: 'Current password', ja: '現在のパスワード' },
  wrong: { en: 'This is not your password.', ja: 'パスワードが違います。' },
  change: { en: 'Change password', ja: 'パスワードを変更' },
  changed: {
    en: 'Your password is changed, and you are signed out everywhere else.',
    ja: 'パスワードを変更し、他の端末からサインアウトしました。',
  },
  sessions: { en: 'Where you are signed in', ja: 'サインイン中の端末' },
  browser: { en: 'Browser', ja: 'ブラウザー' },
  here: { en: 'this one', ja: 'この端末' },
  since: { en: 'Since', ja: '開始' },
  end: { en: 'Sign out', ja: 'サインアウト' },
  ended: { en: 'That browser is signed out.', ja: 'その端末からサインアウトしました。' },
  everywhere: { en: 'Sign out everywhere', ja: 'すべての端末からサインアウト' },
  everywhereText: {
    en: 'Ends every session in every browser, this one too. Tokens and connected applications go on.',
    ja: 'この端末も含め、すべてのブラウザーのセッションを終了します。トークンと接続済みのアプリケーションはそのままです。',
  },
  gone: { en: 'You are signed out everywhere.', ja: 'すべての端末からサインアウトしました。' },
  everything: { en: 'If something went wrong', ja: '問題が起きたとき' },
  everythingText: {
    en: 'Revokes all other sessions, all connected applications and all personal tokens immediately. Your data stays. If somebody may know your password, change it first.',
    ja: 'この端末以外のすべてのセッション、接続済みのすべてのアプリケーション、すべての個人用トークンを直ちに無効にします。データは残ります。パスワードを知られた可能性がある場合は、先に変更してください。',
  },
  revoke: { en: 'Revoke everything', ja: 'すべて無効にする' },
  revoked: {
    en: (sessions: number, apps: number, tokens: number) =>
      `Everything is revoked: ${formatCount(sessions, 'session')}, ${formatCount(apps, 'application')}, ${formatCount(tokens, 'token')}.`,
    ja: (sessions, apps, tokens) =>
      `すべて無効にしました（セッション${sessions}件、アプリケーション${apps}件、トークン${tokens}件）。`,
  },
  identities: { en: (provider: string) => `Sign-in with ${provider}`, ja: provider => `${provider}でのサインイン` },
  noIdentities: { en: 'No account is linked.', ja: '連携しているアカウントはありません。' },
  account: { en: 'Account', ja: 'アカウント' },
  link: { en: 'Link an account', ja: 'アカウントを連携' },
  linking: { en: 'One moment', ja: 'お待ちください' },
  unlinked: { en: 'The account is unlinked.', ja: 'アカウントの連携を解除しました。' },
  lastWay: {
    en: 'You have no password: without this account you could not sign in any more.',
    ja: 'パスワードが未設定のため、このアカウントなしではサインインできなくなります。',
  },
})
