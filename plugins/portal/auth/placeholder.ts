import { defineTexts } from '../language.ts'

/** The address of an owner whom a first start made without knowing one. */
export const PLACEHOLDER = 'owner@localhost'

export const placeholderTexts = defineTexts(
  { ask: `Your e-mail address is still ${PLACEHOLDER}. Enter your own under Settings, Account.` },
  { ja: { ask: `メールアドレスが仮の ${PLACEHOLDER} のままです。設定の「アカウント」で変更してください。` } },
)
