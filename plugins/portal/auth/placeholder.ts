import { PLACEHOLDER_EMAIL } from 'tasuki/plugin'
import { defineTexts } from '../language.ts'

export const placeholderTexts = defineTexts(
  { ask: `Your e-mail address is still ${PLACEHOLDER_EMAIL}. Enter your own under Settings, Account.` },
  { ja: { ask: `メールアドレスが仮の ${PLACEHOLDER_EMAIL} のままです。設定の「アカウント」で変更してください。` } },
)
