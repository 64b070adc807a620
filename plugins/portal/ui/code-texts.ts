import { defineTexts } from '../language.ts'

/** Texts of pages that ask for a second factor. */
export const codeTexts = defineTexts({
  code: { en: 'Code', ja: 'コード' },
  hint: {
    en: 'Six digits from your authenticator app, or a recovery code.',
    ja: '認証アプリに表示される6桁の数字、またはリカバリーコード。',
  },
  recoveryCode: { en: 'Recovery code', ja: 'リカバリーコード' },
  wrong: { en: 'This code is wrong, too old or already used.', ja: 'コードが違うか、期限切れか、使用済みです。' },
  usePasskey: { en: 'Use a passkey', ja: 'パスキーを使う' },
})
