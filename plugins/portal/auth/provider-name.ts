import { defineTexts, type Language } from '../language.ts'
import type { ProviderSettings } from '../settings.ts'

const texts = defineTexts({ provider: 'Single sign-on' }, { ja: { provider: 'シングルサインオン' } })

/** Returns the name of the OpenID provider for pages; null without a provider. */
export function providerName(language: Language, openid: ProviderSettings | undefined): string | null {
  return openid === undefined ? null : (openid.name ?? texts(language).provider)
}
