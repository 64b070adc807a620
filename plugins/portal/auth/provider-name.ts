import { defineTexts, type Language } from '../language.ts'
import type { ProviderSettings } from '../settings.ts'

const texts = defineTexts({ provider: 'Single sign-on' }, { ja: { provider: 'シングルサインオン' } })

/** What the OpenID provider is called on pages; null when there is none. */
export function providerName(language: Language, openid: ProviderSettings | undefined): string | null {
  return openid === undefined ? null : (openid.name ?? texts(language).provider)
}
