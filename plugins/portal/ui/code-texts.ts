import { defineTexts } from '../language.ts'

/** Texts of pages that ask for a second factor. */
export const codeTexts = defineTexts(
  {
    code: 'Code',
    hint: 'Six digits from your authenticator app, or a recovery code.',
    recoveryCode: 'Recovery code',
    wrong: 'This code is wrong, too old or already used.',
    usePasskey: 'Use a passkey',
  },
  {
    ja: {
      code: 'コード',
      hint: '認証アプリに表示される6桁の数字、またはリカバリーコード。',
      recoveryCode: 'リカバリーコード',
      wrong: 'コードが違うか、期限切れか、使用済みです。',
      usePasskey: 'パスキーを使う',
    },
  },
)
