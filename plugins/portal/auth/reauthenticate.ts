import { MINUTE_MS } from 'tasuki/plugin'
import { personConfirmed } from '../audit.ts'
import { readFields, passwordField, valuesOf, type Body, type Fields } from '../fields.ts'
import { html, type Html } from '../html.ts'
import { defineTexts } from '../language.ts'
import type { AnyForm } from '../page.ts'
import { settings } from '../settings.ts'
import { codeTexts } from '../ui/code-texts.ts'
import { formView } from '../ui/form.ts'
import { passkeyPart } from '../ui/passkey-part.ts'
import { partTexts } from '../ui/texts.ts'
import type { RefusedForm, UserVisit } from '../visit.ts'
import { readPasswordHash } from './account.repository.ts'
import { checkPassword } from './check-password.ts'
import { secondFields } from './check-second.ts'
import { readIdentities } from './identity.repository.ts'
import { askForPasskey, canUsePasskeys, type Ceremony } from './passkeys.ts'
import { providerName } from './provider-name.ts'
import { refuseAttempt } from './refuse-attempt.ts'
import { hasSecondFactor, readFactors } from './second-factor.repository.ts'
import { confirmSession } from './session.repository.ts'

const texts = defineTexts({
  title: { en: 'Confirm that it is you', ja: '本人確認' },
  lead: {
    en: 'Enter your password to continue. Nothing has been changed yet.',
    ja: '続けるにはパスワードを入力してください。操作はまだ行われていません。',
  },
  leadBoth: {
    en: 'Enter your password and a code, or use a passkey, to continue. Nothing has been changed yet.',
    ja: '続けるにはパスワードとコードを入力するか、パスキーを使ってください。操作はまだ行われていません。',
  },
  leadPasskey: {
    en: 'Use your passkey to continue. Nothing has been changed yet.',
    ja: '続けるにはパスキーを使ってください。操作はまだ行われていません。',
  },
  wrongPasskey: {
    en: 'This passkey was not accepted: it is not yours, or it did not ask for your PIN or fingerprint.',
    ja: '本人を確認できませんでした。登録したパスキーでないか、PIN や生体認証が行われていません。',
  },
  wrong: { en: 'This is not your password.', ja: 'パスワードが違います。' },
  byProvider: {
    en: (provider: string) =>
      `You have no password. Sign in with ${provider} again, and then try again. Nothing has been changed yet.`,
    ja: provider =>
      `パスワードは未設定です。${provider}でもう一度サインインしてから、同じ操作を行ってください。操作はまだ行われていません。`,
  },
  with: { en: (provider: string) => `Sign in with ${provider}`, ja: provider => `${provider}でサインイン` },
  noWay: {
    en: 'You have no password. First ask the operator for a set-up link:',
    ja: 'パスワードは未設定です。先に運用者のセットアップリンクで設定してください:',
  },
})

/** Fields of the confirmation page, in addition to those of the original form. */
const OWN = {
  confirm_password: passwordField({ optional: true }),
  confirm_code: secondFields.code,
  confirm_passkey: secondFields.passkey,
  confirm_challenge: secondFields.challenge,
}
const VALID_MS = 10 * MINUTE_MS

export interface Asked {
  readonly title: string
  readonly status: number
  readonly problems: RefusedForm['problems']
  /** @param visit includes the problems, if any */
  view(visit: UserVisit): Html
}

/** A posted form. */
interface PostedForm {
  readonly form: AnyForm
  readonly body: Body
  /** Path of the page with the form. */
  readonly back: string
}

/**
 * Asks the signed-in user to confirm their identity, if a form requires this.
 * @returns the page to show instead of running the form, which contains all posted values; null = continue
 */
export async function reauthenticate(visit: UserVisit, posted: PostedForm): Promise<Asked | null> {
  const { form, body, back } = posted
  const { session, now, services, language } = visit
  const isRecent = session.confirmedAt !== null && now.getTime() - session.confirmedAt < VALID_MS
  if (form.confirm === undefined || (form.confirm === 'recent' && isRecent)) return null
  const t = texts(language)
  const { hasPassword, hasIdentity, factors } = await visit.asSystem(async ctx => ({
    hasPassword: (await readPasswordHash(ctx, session.userId)) !== null,
    hasIdentity: (await readIdentities(ctx, session.userId)).length > 0,
    factors: await readFactors(ctx, session.userId),
  }))
  const usable = canUsePasskeys(visit) ? factors.passkeys : []
  if (!hasPassword && usable.length === 0) {
    if (isRecent) return null
    const provider = hasIdentity ? providerName(language, services.config(settings).openid) : null
    return { title: t.title, status: 200, problems: {}, view: () => providerView(language, provider, back) }
  }
  const isPosted = ['confirm_password', 'confirm_challenge'].some(name => valuesOf(body, name).length > 0)
  const fault = isPosted
    ? await checkCredentials(visit, body, { hasPassword, hasSecond: hasSecondFactor(factors) })
    : null
  if (isPosted && !fault) {
    await visit.asSystem(ctx => confirmSession(ctx, session))
    return null
  }
  const { status, problems } = fault ?? { status: 200, problems: {} }
  const ceremony = usable.length > 0 ? askForPasskey(visit, usable) : null
  const asks = { hasPassword, hasSecond: hasSecondFactor(factors), ceremony }
  return { title: t.title, status, problems, view: shown => credentialForm(shown, posted, asks) }
}

interface Asks {
  readonly hasPassword: boolean
  readonly hasSecond: boolean
  readonly ceremony: Ceremony | null
}

async function checkCredentials(
  visit: UserVisit,
  body: Body,
  { hasPassword, hasSecond }: Omit<Asks, 'ceremony'>,
): Promise<Pick<Asked, 'problems' | 'status'> | null> {
  const t = texts(visit.language)
  const read = readFields(OWN, { body, files: {} }, partTexts(visit.language).problems)
  if ('problems' in read) return { problems: read.problems, status: 422 }
  const { confirm_password: password, confirm_code: code, ...keys } = read.input
  const second = { code, passkey: keys.confirm_passkey, challenge: keys.confirm_challenge }
  if (password === '' && second.passkey === '')
    return { problems: { confirm_password: partTexts(visit.language).problems.missing }, status: 422 }
  const checked = await checkPassword(visit, { password, second: hasSecond ? second : null }, personConfirmed)
  if (checked.wait !== null) return refuseAttempt(visit, checked.wait)
  if (checked.wrong === null) return null
  if (second.passkey !== '' && (password === '' || !hasPassword))
    return { problems: { '': t.wrongPasskey }, status: 422 }
  if (checked.wrong === 'password') return { problems: { confirm_password: t.wrong }, status: 422 }
  return { problems: { confirm_code: codeTexts(visit.language).wrong }, status: 422 }
}

function credentialForm(visit: UserVisit, { form, body, back }: PostedForm, asks: Asks): Html {
  const t = texts(visit.language)
  const c = codeTexts(visit.language)
  const { hasPassword, hasSecond, ceremony } = asks
  const fields = { ...form.fields, ...OWN } as Fields
  const kept = Object.keys(form.fields as Fields).flatMap(name =>
    valuesOf(body, name).map(value => [name, value] as const),
  )
  return html`<h1>${t.title}</h1>
    <p class="lead">${!hasPassword ? t.leadPasskey : hasSecond ? t.leadBoth : t.lead}</p>
    ${formView(
      visit,
      { path: form.path, fields },
      controls =>
        html`${kept.map(([name, value]) => controls.hidden(name, value))}
          ${
            ceremony &&
            passkeyPart(visit, controls, {
              ceremony,
              label: c.usePasskey,
              names: ['confirm_passkey', 'confirm_challenge'],
            })
          }
          ${
            hasPassword &&
            html`${controls.input('confirm_password', { label: t.password, autocomplete: 'current-password' })}
            ${hasSecond && controls.input('confirm_code', { label: c.code, hint: c.hint, autocomplete: 'one-time-code', code: true })}`
          }
          <p class="actions">${hasPassword && controls.submit(t.goOn)} <a href="${back}">${t.cancel}</a></p>`,
    )}`
}

function providerView(language: UserVisit['language'], provider: string | null, back: string): Html {
  const t = texts(language)
  return html`<h1>${t.title}</h1>
    ${
      provider === null
        ? html`<p class="lead">${t.noWay} <code>tasuki portal setup-link</code></p>`
        : html`<p class="lead">${t.byProvider(provider)}</p>
            <p>
              <a class="button" href="/sign-in/provider/confirm?return_to=${encodeURIComponent(back)}"
                >${t.with(provider)}</a
              >
            </p>`
    }
    <p><a href="${back}">${t.cancel}</a></p>`
}
