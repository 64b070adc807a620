import { PLACEHOLDER_EMAIL } from 'tasuki/plugin'
import { findAccount } from '../auth/account.repository.ts'
import { signInRefused } from '../audit.ts'
import { countAttempt, forgetAttempts } from '../auth/attempts.ts'
import { placeholderTexts } from '../auth/placeholder.ts'
import { verifyPassword } from '../auth/password.ts'
import { safePath } from '../auth/csrf.ts'
import { providerName } from '../auth/provider-name.ts'
import { providerPath } from '../auth/provider-path.ts'
import { askForPasskey, canUsePasskeys, checkPasskey, readClaimedUser } from '../auth/passkeys.ts'
import { refuseAttempt } from '../auth/refuse-attempt.ts'
import { finishFirstStep, stampOf } from '../auth/second-step.ts'
import { beginSession } from '../auth/sessions.ts'
import { passwordField, text, valuesOf } from '../fields.ts'
import { html } from '../html.ts'
import { defineTexts } from '../language.ts'
import { defineOpenForm, defineOpenPage, Redirect, Refusal } from '../page.ts'
import { settings } from '../settings.ts'
import { passkeyPart } from '../ui/passkey-part.ts'

const texts = defineTexts(
  {
    title: 'Sign in',
    submit: 'Sign in',
    wrong: 'The e-mail address or the password is wrong.',
    or: 'or',
    with: (provider: string) => `Sign in with ${provider}`,
    forgot: 'Forgot your password? Ask the administrator to run',
    off: 'Passwords are switched off here.',
    withPasskey: 'Sign in with a passkey',
    noPasskey: 'This passkey is not known here, or it did not ask for your PIN or fingerprint. Use your password.',
  },
  {
    ja: {
      title: 'サインイン',
      submit: 'サインイン',
      wrong: 'メールアドレスまたはパスワードが違います。',
      or: 'または',
      with: provider => `${provider}でサインイン`,
      forgot: 'お忘れの場合は、サーバーの管理者が次のコマンドで新しいリンクを発行できます:',
      off: 'このサーバーではパスワードを使えません。',
      withPasskey: 'パスキーでサインイン',
      noPasskey:
        'このパスキーは登録されていないか、PIN や生体認証で本人を確認していません。パスワードを使ってください。',
    },
  },
)

const signInForm = defineOpenForm({
  path: '/sign-in',
  fields: { email: text({ max: 254 }), password: passwordField(), return_to: text({ max: 4000, optional: true }) },
  async run(visit, { email, password, return_to: returnTo }) {
    const { services, request, language } = visit
    const t = texts(language)
    if (!services.config(settings).password_sign_in) throw new Refusal({ '': t.off }, 403)
    const address = email.toLowerCase()
    const { wait, account, attempted } = await visit.asSystem(async ctx => {
      const account = await findAccount(ctx, address)
      const attempted = { account: address, userId: account?.id ?? null }
      return { wait: await countAttempt(ctx, visit, attempted), account, attempted }
    })
    // The entered text is not recorded for an unknown account: it may be a password in the wrong field.
    const refuse = (reason: string, refusal: Refusal): Refusal => {
      const target = account && { kind: 'user', id: account.id, name: address }
      const who = { userId: account?.id ?? null, request, ...(target && { target }) }
      services.audit.record({ action: signInRefused, outcome: 'refused', ...who, details: { reason } })
      return refusal
    }
    // Even with the correct password: otherwise an attacker could continue and see the difference.
    if (wait !== null) throw refuse('too_many', refuseAttempt(visit, wait))
    // Outside any transaction, because it is slow; an unknown email takes as long as a known one.
    if (!(await verifyPassword(password, account?.hash ?? null))) throw refuse('wrong', new Refusal({ '': t.wrong }))
    const step = {
      userId: account!.id,
      method: 'password' as const,
      returnTo: safePath(services, returnTo),
      account: address,
      stamp: stampOf(account!),
    }
    const { to } = await visit.asSystem(async ctx => {
      const finished = await finishFirstStep(ctx, visit, step)
      if (finished.isDone) await forgetAttempts(ctx, visit, attempted)
      return finished
    })
    return { to, ...(address === PLACEHOLDER_EMAIL && { notice: placeholderTexts(language).ask }) }
  },
})

/** A passkey with user verification counts as both steps. */
const passkeyForm = defineOpenForm({
  path: '/sign-in/passkey',
  fields: {
    passkey: text({ max: 20_000 }),
    challenge: text({ max: 1000 }),
    return_to: text({ max: 4000, optional: true }),
  },
  async run(visit, { passkey: response, challenge, return_to: returnTo }) {
    const { services, request, language } = visit
    const t = texts(language)
    if (!services.config(settings).password_sign_in) throw new Refusal({ '': t.off }, 403)
    const answer = { response, challenge }
    const owner = readClaimedUser(answer)
    const attempted = { account: `passkey of ${owner}`, userId: owner }
    const refuse = (reason: string, refusal: Refusal): Refusal => {
      services.audit.record({ action: signInRefused, outcome: 'refused', request, details: { reason } })
      return refusal
    }
    const wait = await visit.asSystem(ctx => countAttempt(ctx, visit, attempted))
    if (wait !== null) throw refuse('too_many', refuseAttempt(visit, wait))
    const key = owner === null ? null : await checkPasskey(visit, owner, answer)
    if (owner === null || !key?.isVerified) throw refuse('wrong_passkey', new Refusal({ '': t.noPasskey }))
    await visit.asSystem(async ctx => {
      await forgetAttempts(ctx, visit, attempted)
      await beginSession(ctx, visit, { userId: owner, method: 'passkey' })
    })
    return { to: safePath(services, returnTo) }
  },
})

export const signInPage = defineOpenPage({
  path: '/sign-in',
  forms: [signInForm, passkeyForm],
  async load(visit) {
    const { services, session, query, language, refused } = visit
    const returnTo = safePath(services, refused ? valuesOf(refused.body, 'return_to')[0] : query['return_to'])
    if (session) return new Redirect(returnTo)
    const { openid, password_sign_in: passwords } = services.config(settings)
    const ceremony = passwords && canUsePasskeys(visit) ? askForPasskey(visit) : null
    return { returnTo, provider: providerName(language, openid), passwords, ceremony }
  },
  title: ({ language }) => texts(language).title,
  view(visit, { returnTo, provider, passwords, ceremony }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      ${
        passwords &&
        signInForm.view(
          visit,
          form =>
            html`${form.hidden('return_to', returnTo)}
            ${form.input('email', { label: t.email, type: 'email', autocomplete: 'username' })}
            ${form.input('password', { label: t.password, autocomplete: 'current-password' })}`,
          { submit: t.submit },
        )
      }
      ${
        ceremony &&
        passkeyForm.view(
          visit,
          form =>
            html`${form.hidden('return_to', returnTo)}
            ${passkeyPart(visit, form, { ceremony, label: t.withPasskey, names: ['passkey', 'challenge'] })}`,
        )
      }
      ${
        provider !== null &&
        html`${passwords && html`<p class="or">${t.or}</p>`}
          <p><a class="button wide" href="${providerPath(returnTo)}">${t.with(provider)}</a></p>`
      }
      ${passwords && html`<p class="quiet">${t.forgot} <code>tasuki portal setup-link</code></p>`}`
  },
})
