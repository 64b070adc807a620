import { ToolError, type HostServices } from 'tasuki/plugin'
import { originOf } from '../auth/sessions.ts'
import { text } from '../fields.ts'
import { defineTexts } from '../language.ts'
import { defineForm, Refusal } from '../page.ts'
import { settings } from '../settings.ts'

/** The path of the account page. */
export const ACCOUNT = '/settings/account'

export const emailTexts = defineTexts(
  {
    emailChanged: 'Your e-mail address is changed.',
    byOperator: 'Your provider knows you by it. The administrator can change it.',
    taken: 'Somebody here has this address already.',
  },
  {
    ja: {
      emailChanged: 'メールアドレスを変更しました。',
      byOperator: 'プロバイダーがこのアドレスで識別しています。変更は管理者に依頼してください。',
      taken: 'このアドレスはすでに使われています。',
    },
  },
)

/** Changes the user's email; a form of the account page. */
export const emailForm = defineForm({
  path: `${ACCOUNT}/email`,
  fields: { email: text({ max: 254 }) },
  confirm: 'always',
  async run({ services, request, session, language, write }, { email }) {
    const t = emailTexts(language)
    if (isByOperator(services)) throw new Refusal({ '': t.byOperator }, 403)
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
