import type { FastifyReply } from 'fastify'
import { isUuid } from 'tasuki/plugin'
import { isSameOrigin } from './auth/csrf.ts'
import { sendError } from './error-pages.ts'
import { shownText, valuesOf, type Body, type Fields } from './fields.ts'
import { html, type Html } from './html.ts'
import { defineTexts } from './language.ts'
import type { AnyPage } from './page.ts'
import { parseShown } from './shown-values.ts'
import { signInPath } from './sign-in-path.ts'
import { addressOf, formView } from './ui/form.ts'
import { partTexts } from './ui/texts.ts'
import { isSignedIn, type Visit } from './visit.ts'

const texts = defineTexts({
  signedOut: { en: 'You are signed out', ja: 'サインアウトしています' },
  signInFirst: {
    en: 'Nothing was changed. Sign in again in a new tab, then come back to this one.',
    ja: '変更は行われていません。新しいタブでもう一度サインインしてから、このタブに戻ってください。',
  },
  kept: { en: 'What you entered', ja: '入力した内容' },
  again: {
    en: 'Check it, and send it again. Or copy it and reload the page that it came from.',
    ja: '確認して、もう一度送信してください。コピーして、元のページを再読み込みすることもできます。',
  },
  send: { en: 'Send again', ja: 'もう一度送信' },
})

interface StaleForm {
  readonly page: AnyPage | null
  readonly form: { readonly path: string; readonly fields: Fields }
  readonly body: Body
}

/** Refuses a form without a valid proof. The page offers sign-in and the entered texts, unless strangers may have sent them. */
export function sendStale(visit: Visit, { page, ...stale }: StaleForm): FastifyReply {
  const { errors, signIn } = partTexts(visit.language)
  if (!page || page.open || !isSameOrigin(visit.request, visit.services))
    return sendError(visit, 403, errors.stale, errors.staleText)
  const t = texts(visit.language)
  const more = keptForm(visit, stale)
  if (isSignedIn(visit)) return sendError(visit, 403, errors.stale, more ? t.again : errors.staleText, { more })
  const link = html`<a href="${signInPath(addressOf(page.path, visit.params))}" target="_blank">${signIn}</a>`
  return sendError(visit, 403, t.signedOut, html`${t.signInFirst} ${link}`, { more })
}

/** Renders the texts that were entered, and not only shown, to copy or to send again; null if there are none. */
function keptForm(visit: Visit, { form, body }: Omit<StaleForm, 'page'>): Html | null {
  const t = texts(visit.language)
  const shown = parseShown(valuesOf(body, 'shown')[0])
  const values = Object.entries(form.fields).flatMap(([name, { max, secret }]) =>
    (secret ? [] : valuesOf(body, name)).map(value => ({
      name,
      value,
      isText: max !== undefined && value !== '' && !isUuid(value) && shownText(value) !== shown[name],
    })),
  )
  if (!values.some(({ isText }) => isText)) return null
  return formView(
    visit,
    form,
    controls =>
      html`${values.map(({ name, value, isText }) => (isText ? controls.area(name, { label: t.kept, value }) : controls.hidden(name, value)))}`,
    { submit: t.send },
  )
}
