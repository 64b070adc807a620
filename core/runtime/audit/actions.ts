import { defineAuditAction } from '../../plugin/audit.ts'

/** Words of what the records of these actions tell. */
const words = {
  scope: { en: 'Permissions', ja: '許可する操作' },
  'scope.read': { en: 'Read only', ja: '閲覧のみ' },
  'scope.write': { en: 'Read and change', ja: '閲覧と変更' },
  expires_at: { en: 'Expires', ja: '有効期限' },
  projects: { en: 'Projects', ja: 'プロジェクト数' },
  status: { en: 'HTTP status', ja: 'HTTPステータス' },
  method: { en: 'Method', ja: 'メソッド' },
  path: { en: 'Path', ja: 'パス' },
  code: { en: 'Reason', ja: '理由' },
  error: { en: 'Reason', ja: '理由' },
  name: { en: 'Name', ja: '名前' },
  time_zone: { en: 'Time zone', ja: 'タイムゾーン' },
  former: { en: 'Before', ja: '変更前' },
  administrator: { en: 'Administrator', ja: '管理者' },
  tokens: { en: 'Tokens', ja: 'トークン' },
  apps: { en: 'Apps', ja: 'アプリ' },
  sessions: { en: 'Sessions', ja: 'セッション' },
  setup_links: { en: 'Set-up links', ja: 'セットアップリンク' },
  verified: { en: 'Verified', ja: '確認済み' },
  redirect: { en: 'Returns to', ja: '戻り先' },
  rows: { en: 'Rows', ja: '行数' },
  files: { en: 'Files', ja: 'ファイル数' },
  file: { en: 'File', ja: 'ファイル' },
  bytes: { en: 'Bytes', ja: 'バイト数' },
}
const define = (name: string, en: string, ja: string) => defineAuditAction({ name, title: { en, ja }, words })

export const tokenIssued = define('token.issued', 'Token issued', 'トークンを発行')
export const tokenRevoked = define('token.revoked', 'Token revoked', 'トークンを失効')
export const credentialRefused = define('credential.refused', 'Credential refused', '認証情報を拒否')
export const accessRefused = define('access.refused', 'Access refused', 'アクセスを拒否')
export const appApproved = define('app.approved', 'App approved', 'アプリを許可')
export const appDenied = define('app.denied', 'App denied', 'アプリを拒否')
export const appTokensIssued = define('app.tokens_issued', 'Tokens issued to an app', 'アプリにトークンを発行')
export const appRefused = define('app.refused', 'App refused', 'アプリの要求を拒否')
export const appDisconnected = define('app.disconnected', 'App disconnected', 'アプリの接続を解除')
export const userCreated = define('user.created', 'User created', 'ユーザーを作成')
export const userChanged = define('user.changed', 'Account changed', 'アカウントを変更')
export const emailChanged = define('user.email_changed', 'E-mail address changed', 'メールアドレスを変更')
export const userDisabled = define('user.disabled', 'User disabled', 'ユーザーを無効化')
export const userEnabled = define('user.enabled', 'User enabled', 'ユーザーを有効化')
export const userDeleted = define('user.deleted', 'User deleted', 'ユーザーを削除')
export const accessRevoked = define('user.access_revoked', 'All access revoked', 'すべてのアクセスを失効')
export const administratorChanged = define('user.administrator_changed', 'Administrator changed', '管理者権限を変更')
export const jobRetried = define('job.retried', 'Job run again', 'ジョブを再実行')
export const backupMade = define('backup.made', 'Backup made', 'バックアップを作成')
export const dataCopied = define('backup.copied', 'Copied to another database', '別のデータベースに複製')
export const userExported = define('user.exported', 'Data of a user exported', 'ユーザーのデータを書き出し')
