import { defineTexts, type Language } from '../language.ts'
import { findWeakness, MAX_LENGTH, MIN_LENGTH } from './password.ts'
import { Refusal } from '../page.ts'

/** Texts of pages on which a password is chosen. */
export const passwordTexts = defineTexts(
  {
    password: 'New password',
    rule: `At least ${MIN_LENGTH} characters. Several unrelated words are best.`,
    again: 'New password again',
    short: `Use at least ${MIN_LENGTH} characters.`,
    long: `Use at most ${MAX_LENGTH} characters.`,
    common: 'This password is easy to guess. Use several unrelated words.',
    differs: 'The two passwords differ.',
  },
  {
    ja: {
      password: '新しいパスワード',
      rule: `${MIN_LENGTH}文字以上。関連のない複数の単語を組み合わせるのが最適です。`,
      again: '新しいパスワード（確認）',
      short: `${MIN_LENGTH}文字以上にしてください。`,
      long: `${MAX_LENGTH}文字以内にしてください。`,
      common: '推測されやすいパスワードです。関連のない複数の単語を組み合わせてください。',
      differs: '上に入力したものと一致しません。',
    },
  },
)

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
