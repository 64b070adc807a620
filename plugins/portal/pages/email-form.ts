import { ToolError, type HostServices } from 'tasuki/plugin'
import { countAttempt } from '../auth/attempts.ts'
import { refuseAttempt } from '../auth/refuse-attempt.ts'
import { originOf } from '../auth/sessions.ts'
import { text } from '../fields.ts'
import { defineTexts } from '../language.ts'
import { defineForm, Refusal } from '../page.ts'
import { settings } from '../settings.ts'

/** The path of the account page. */
export const ACCOUNT = '/settings/account'

export const emailTexts = defineTexts({
  emailChanged: { en: 'Your e-mail address is changed.', ja: 'メールアドレスを変更しました。' },
  byOperator: {
    en: 'Your provider knows you by it. The administrator can change it.',
    ja: 'プロバイダーがこのアドレスで識別しています。変更は管理者に依頼してください。',
  },
  taken: { en: 'Somebody here has this address already.', ja: 'このアドレスはすでに使われています。' },
  letters: {
    en: 'Use unaccented letters, digits and signs; others may look like the address of somebody else. The administrator can set it.',
    ja: '半角の英数字と記号を使ってください。ほかの文字は別の人のアドレスに見えることがあります。管理者は設定できます。',
  },
})

/** Changes the user's email; a form of the account page. */
export const emailForm = defineForm({
  path: `${ACCOUNT}/email`,
  fields: { email: text({ max: 254 }) },
  confirm: 'always',
  async run(visit, { email }) {
    const { services, request, session, language, asSystem, write } = visit
    const t = emailTexts(language)
    if (isByOperator(services)) throw new Refusal({ '': t.byOperator }, 403)
    if (/[^ -~]/.test(email)) throw new Refusal({ email: t.letters })
    // Every answer tells whether the address has an account: a user may try a few, like somebody who guesses passwords.
    const attempted = { account: `e-mail address of ${session.userId}`, userId: null }
    const wait = await asSystem(ctx => countAttempt(ctx, visit, attempted))
    if (wait !== null) throw refuseAttempt(visit, wait)
    try {
      await write(ctx => ctx.users.setEmail({ id: session.userId, email: session.email }, email, originOf(request)))
    } catch (error) {
      if (!(error instanceof ToolError) || error.help.field !== 'email') throw error
      throw new Refusal({ email: error.code === 'conflict' ? t.taken : t.badEmail })
    }
    return { to: ACCOUNT, notice: t.emailChanged }
  },
})

/**
 * Returns whether only the operator chooses emails. If the provider's sign-ins find users by email, users may not choose it: they could
 * choose the email of somebody else.
 */
export const isByOperator = ({ config }: Pick<HostServices, 'config'>): boolean =>
  config(settings).openid?.trust_email === true
