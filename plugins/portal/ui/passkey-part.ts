import { assetPath } from '../assets.ts'
import type { Ceremony } from '../auth/passkeys.ts'
import { html, type Html } from '../html.ts'
import { defineTexts } from '../language.ts'
import type { Visit } from '../visit.ts'
import type { Controls } from './controls.ts'

const texts = defineTexts({
  failed: {
    en: 'That did not work, or it was cancelled. Try again.',
    ja: '完了できなかったか、キャンセルされました。もう一度お試しください。',
  },
  known: {
    en: 'This device or password manager already has a passkey for this account.',
    ja: 'この端末またはパスワードマネージャーには、このアカウントのパスキーがすでにあります。',
  },
  noScript: { en: 'Passkeys need JavaScript.', ja: 'パスキーの利用には JavaScript が必要です。' },
})

/**
 * Renders the button that answers a form with a passkey, shown if the browser supports it.
 * @param names of the fields for the response and the challenge
 */
export function passkeyPart<Name extends string>(
  visit: Visit,
  form: Controls<Name>,
  {
    ceremony,
    label,
    names: [response, challenge],
    kind = 'plain',
  }: {
    readonly ceremony: Ceremony
    readonly label: string
    readonly names: readonly [Name, Name]
    readonly kind?: 'plain' | 'primary'
  },
): Html {
  const t = texts(visit.language)
  return html`<div class="passkey" data-passkey="${ceremony.request}" hidden>
      ${form.hidden(response, '')}
      <p class="actions"><button type="button" class="${kind}">${label}</button></p>
      <p class="problem" role="alert" hidden>${t.failed}</p>
      <p class="problem" role="alert" hidden>${t.known}</p>
    </div>
    ${form.hidden(challenge, ceremony.challenge)}
    <noscript><p class="quiet">${t.noScript}</p></noscript>
    <script src="${assetPath('passkey.js')}" defer></script>`
}
