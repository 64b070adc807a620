import { PLACEHOLDER_EMAIL } from 'tasuki/plugin'
import { html, type Html } from '../html.ts'
import { defineTexts } from '../language.ts'
import { ACCOUNT, emailForm, isByOperator } from '../pages/email-form.ts'
import type { Visit } from '../visit.ts'

const texts = defineTexts(
  {
    title: 'Set your e-mail address',
    text: `This account was made by the first start as ${PLACEHOLDER_EMAIL}. With your own address others can invite you, and it is what you sign in with.`,
    email: 'Your e-mail address',
    submit: 'Set e-mail address',
  },
  {
    ja: {
      title: 'メールアドレスを設定してください',
      text: `このアカウントは初回起動時に仮のアドレス ${PLACEHOLDER_EMAIL} で作られました。ご自分のアドレスを設定すると、ほかの人から招待を受けられ、サインインにも使えます。`,
      email: 'メールアドレス',
      submit: 'メールアドレスを設定',
    },
  },
)

/** Renders a card above every page for a user who still has the email of the first start; the account page has the form anyway. */
export function addressCard(visit: Visit, path: string | null): Html | null {
  if (visit.session?.email !== PLACEHOLDER_EMAIL || path === null || path === ACCOUNT) return null
  if (isByOperator(visit.services)) return null
  const t = texts(visit.language)
  return html`<section class="card" aria-labelledby="set-address">
    <h2 id="set-address">${t.title}</h2>
    <p>${t.text}</p>
    ${emailForm.view(visit, form => form.input('email', { label: t.email, type: 'email', autocomplete: 'email' }), {
      submit: t.submit,
    })}
  </section>`
}
