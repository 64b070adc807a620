import { findAccount } from '../auth/account.repository.ts'
import { signInRefused } from '../audit.ts'
import { countAttempt, forgetAttempts } from '../auth/attempts.ts'
import { attemptTexts } from '../auth/attempt-texts.ts'
import { verifyPassword } from '../auth/password.ts'
import { safePath } from '../auth/csrf.ts'
import { providerName } from '../auth/provider-name.ts'
import { providerPath } from '../auth/provider-path.ts'
import { beginSession } from '../auth/sessions.ts'
import { secret, text } from '../fields.ts'
import { html } from '../html.ts'
import { defineTexts } from '../language.ts'
import { defineOpenForm, defineOpenPage, Redirect, Refusal } from '../page.ts'
import { settings } from '../settings.ts'
import { formView } from '../ui/form.ts'

const texts = defineTexts(
  {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    wrong: 'The e-mail address or the password is wrong.',
    or: 'or',
    with: (provider: string) => `Sign in with ${provider}`,
    forgot: 'Forgot your password? Ask the administrator to run',
    off: 'Passwords are switched off here.',
  },
  {
    ja: {
      title: 'サインイン',
      email: 'メールアドレス',
      password: 'パスワード',
      submit: 'サインイン',
      wrong: 'メールアドレスまたはパスワードが違います。',
      or: 'または',
      with: provider => `${provider}でサインイン`,
      forgot: 'お忘れの場合は、サーバーの管理者が次のコマンドで新しいリンクを発行できます:',
      off: 'このサーバーではパスワードを使えません。',
    },
  },
)

const signInForm = defineOpenForm({
  path: '/sign-in',
  fields: { email: text({ max: 254 }), password: secret(), return_to: text({ max: 4000, optional: true }) },
  async run(visit, { email, password, return_to: returnTo }) {
    const { services, request, reply, language } = visit
    const t = texts(language)
    if (!services.config(settings).password_sign_in) throw new Refusal({ '': t.off }, 403)
    const address = email.toLowerCase()
    const { wait, account, attempted } = await visit.asSystem(async ctx => {
      const account = await findAccount(ctx, address)
      const attempted = { account: address, userId: account?.id ?? null }
      return { wait: await countAttempt(ctx, services, request, attempted), account, attempted }
    })
    // Not what was typed where no account is known: it may be a password in the wrong field.
    const tellRefusal = (reason: string): void =>
      services.audit.record({
        action: signInRefused,
        outcome: 'refused',
        userId: account?.id ?? null,
        request,
        ...(account && { target: { kind: 'user', id: account.id, name: address } }),
        details: { reason },
      })
    // Also with the right password: otherwise guessing would go on and tell.
    if (wait !== null) {
      tellRefusal('too_many')
      reply.header('retry-after', wait)
      throw new Refusal({ '': attemptTexts(language).wait(wait) }, 429)
    }
    // Outside of any transaction, because it takes a while; for an unknown address as long as for a known one.
    if (!(await verifyPassword(password, account?.hash ?? null))) {
      tellRefusal('wrong')
      throw new Refusal({ '': t.wrong })
    }
    await visit.asSystem(async ctx => {
      await forgetAttempts(ctx, services, request, attempted)
      await beginSession(ctx, services, request, reply, { userId: account!.id, method: 'password' })
    })
    return { to: safePath(services, returnTo) }
  },
})

export const signInPage = defineOpenPage({
  path: '/sign-in',
  forms: [signInForm],
  async load({ services, session, query, language }) {
    const returnTo = safePath(services, query['return_to'])
    if (session) return new Redirect(returnTo)
    const { openid, password_sign_in: passwords } = services.config(settings)
    return { returnTo, provider: providerName(language, openid), passwords }
  },
  title: ({ language }) => texts(language).title,
  view(visit, { returnTo, provider, passwords }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      ${
        passwords &&
        formView(
          visit,
          signInForm,
          {},
          form =>
            html`${form.hidden('return_to', returnTo)}
              ${form.input('email', { label: t.email, type: 'email', autocomplete: 'username', maxlength: 254 })}
              ${form.input('password', { label: t.password, type: 'password', autocomplete: 'current-password' })}
              <p class="actions">${form.submit(t.submit)}</p>`,
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
