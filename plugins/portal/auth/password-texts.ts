import { defineTexts, type Language } from '../language.ts'
import { findWeakness, MAX_LENGTH, MIN_LENGTH } from './password.ts'
import { Refusal } from '../page.ts'

/** Texts of pages on which a password is chosen. */
export const passwordTexts = defineTexts({
  password: { en: 'New password', ja: '新しいパスワード' },
  rule: {
    en: `At least ${MIN_LENGTH} characters. Several unrelated words are best.`,
    ja: `${MIN_LENGTH}文字以上。関連のない複数の単語を組み合わせるのが最適です。`,
  },
  again: { en: 'New password again', ja: '新しいパスワード（確認）' },
  short: { en: `Use at least ${MIN_LENGTH} characters.`, ja: `${MIN_LENGTH}文字以上にしてください。` },
  long: { en: `Use at most ${MAX_LENGTH} characters.`, ja: `${MAX_LENGTH}文字以内にしてください。` },
  common: {
    en: 'This password is easy to guess. Use several unrelated words.',
    ja: '推測されやすいパスワードです。関連のない複数の単語を組み合わせてください。',
  },
  differs: { en: 'The two passwords differ.', ja: '上に入力したものと一致しません。' },
})

/** @throws Refusal at the fields `password` and `again` */
export function checkNewPassword(
  language: Language,
  { password, again }: { readonly password: string; readonly again: string },
  about: readonly string[],
): void {
  const t = passwordTexts(language)
  const reason = findWeakness(password, about)
  if (reason !== null) throw new Refusal({ password: t[reason] })
  if (password !== again) throw new Refusal({ again: t.differs })
}
