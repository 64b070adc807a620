import { PLACEHOLDER_EMAIL } from 'tasuki/plugin'
import { html, type Html } from '../html.ts'
import { defineTexts } from '../language.ts'
import { ACCOUNT, isByOperator } from '../pages/email-form.ts'
import type { Visit } from '../visit.ts'

const texts = defineTexts({
  link: { en: 'Set your e-mail address', ja: 'メールアドレスを設定してください' },
  text: {
    en: `This account was made by the first start as ${PLACEHOLDER_EMAIL}. With your own address others can invite you, and it is what you sign in with.`,
    ja: `このアカウントは初回起動時に仮のアドレス ${PLACEHOLDER_EMAIL} で作られました。ご自分のアドレスを設定すると、ほかの人から招待を受けられ、サインインにも使えます。`,
  },
})

/** Renders a notice above every page for a user who still has the email of the first start; the account page says so anyway. */
export function addressNotice(visit: Visit, path: string | null): Html | null {
  if (visit.session?.email !== PLACEHOLDER_EMAIL || path === null || path === ACCOUNT) return null
  if (isByOperator(visit.services)) return null
  const t = texts(visit.language)
  return html`<p class="warning" id="set-address">${t.text} <a href="${ACCOUNT}">${t.link}</a></p>`
}
