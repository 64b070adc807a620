import { normalizeText, notifyAccessMade } from 'tasuki/plugin'
import { secondFactorAdded } from '../audit.ts'
import { addressOfSecret, newRecoveryCodes, newSecret, secretSealer, stepOfCode } from '../auth/codes.ts'
import { hasSecondFactor, readFactors, saveAuthenticator } from '../auth/second-factor.repository.ts'
import { originOf } from '../auth/sessions.ts'
import { text, valuesOf } from '../fields.ts'
import { Html, html } from '../html.ts'
import { defineForm, definePage, Refusal } from '../page.ts'
import { codesAnswer } from '../ui/recovery-codes.ts'
import { descriptionList } from '../ui/parts.ts'
import { secondFactorTexts as texts } from './second-factor-texts.ts'
import { SECOND_FACTOR } from './second-factor.ts'

const PATH = `${SECOND_FACTOR}/app`

const appForm = defineForm({
  path: PATH,
  // The page holds the secret, sealed for this user: nothing is stored before a code has proved it.
  fields: { secret: text({ max: 500 }), code: text({ max: 20 }) },
  confirm: 'recent',
  async run(visit, { secret: sealed, code }) {
    const { services, session, request, language, now, write } = visit
    const t = texts(language)
    const secret = secretSealer(services).open(sealed, session.userId)
    if (secret === null) throw new Refusal({ '': t.stale })
    const step = await stepOfCode(secret, normalizeText(code).replace(/\s/g, ''), now)
    if (step === null) throw new Refusal({ code: t.wrong })
    const codes = await write(async ctx => {
      const isFirst = !hasSecondFactor(await readFactors(ctx, session.userId))
      await saveAuthenticator(ctx, session.userId, sealed, step)
      ctx.audit({ action: secondFactorAdded, target: { kind: 'authenticator', id: session.userId } })
      await notifyAccessMade(ctx, { kind: 'authenticator', userId: session.userId, name: null, ...originOf(request) })
      return isFirst ? newRecoveryCodes(ctx, session.userId) : null
    })
    return codes ? codesAnswer(visit, codes, SECOND_FACTOR) : { to: SECOND_FACTOR, notice: t.replaced }
  },
})

/** Settings → Second factor → Authenticator app: the secret as a QR code and as text; a code turns it on. */
export const authenticatorPage = definePage({
  path: PATH,
  forms: [appForm],
  async load({ services, session, refused }) {
    // After a wrong code, the page keeps the QR code that was scanned.
    const [sealedSecret = ''] = refused ? valuesOf(refused.body, 'secret') : []
    const secret = secretSealer(services).open(sealedSecret, session.userId) ?? (await newSecret())
    const { renderSVG } = await import('uqr')
    const picture = renderSVG(await addressOfSecret(services, secret, session.email), { border: 2, pixelSize: 5 })
    return { secret, sealed: secretSealer(services).seal(secret, session.userId), picture }
  },
  title: ({ language }) => texts(language).appTitle,
  view(visit, { secret, sealed, picture }) {
    const t = texts(visit.language)
    return html`<h1>${t.appTitle}</h1>
      <p class="lead">${t.appSteps}</p>
      <div class="qr" role="img" aria-label="${t.qr}">${Html.trusted(picture)}</div>
      ${descriptionList([[t.secret, html`<code>${secret.match(/.{1,4}/g)!.join(' ')}</code>`]])}
      ${appForm.view(
        visit,
        form =>
          html`${form.hidden('secret', sealed)}
            ${form.input('code', { label: t.code, hint: t.codeHint, autocomplete: 'one-time-code', code: true })}
            <p class="actions">${form.submit(t.turnOn)} <a href="${SECOND_FACTOR}">${t.cancel}</a></p>`,
      )}`
  },
})
