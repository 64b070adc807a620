import { passwordChanged } from '../audit.ts'
import { isEmail, PLACEHOLDER_EMAIL, type WriteContext } from 'tasuki/plugin'
import { assetPath } from '../assets.ts'
import { hasUsers, lockUsers, readPasswordHash, setPassword } from '../auth/account.repository.ts'
import { hashPassword } from '../auth/password.ts'
import { checkNewPassword, passwordTexts } from '../auth/password-texts.ts'
import { endSessions } from '../auth/session.repository.ts'
import { finishFirstStep } from '../auth/second-step.ts'
import { PERSON } from '../auth/sessions.ts'
import {
  consumeSetupLink,
  findSetupLink,
  hasPlaceholderLink,
  hasSetupLinks,
  isPlaceholder,
} from '../auth/setup-link.repository.ts'
import { passwordField, text } from '../fields.ts'
import { html } from '../html.ts'
import { defineTexts } from '../language.ts'
import { defineOpenForm, defineOpenPage, Refusal } from '../page.ts'
import { projectAdminNote } from '../ui/project-admin-note.ts'
import { partTexts } from '../ui/texts.ts'

const texts = defineTexts({
  ownerTitle: { en: 'Set up tasuki', ja: 'tasuki のセットアップ' },
  ownerLead: { en: 'You are about to become the owner of this server.', ja: 'このサーバーの所有者として登録します。' },
  title: { en: 'Set your password', ja: 'パスワードの設定' },
  lead: {
    en: 'The link works once. Afterwards you are signed in here, and signed out everywhere else.',
    ja: 'リンクは一度だけ有効です。設定後はここでサインインし、他の端末からはサインアウトされます。',
  },
  code: { en: 'Set-up code', ja: 'セットアップコード' },
  codeHint: { en: 'The last part of the link, after #.', ja: 'リンクの # より後ろの部分です。' },
  emailHint: { en: 'You sign in with it.', ja: 'サインインに使います。' },
  submit: { en: 'Set password and sign in', ja: 'パスワードを設定してサインイン' },
  noLink: {
    en: 'No set-up link is open here: each works once, within a day. Ask the administrator for a new one.',
    ja: '有効なセットアップリンクはありません。リンクは一度だけ、一日以内に使えます。サーバーの管理者に新しいリンクを依頼してください。',
  },
  used: {
    en: 'This code is unknown, already used or expired. Ask the administrator for a new link.',
    ja: 'このコードは無効か、使用済みか、期限切れです。サーバーの管理者に新しいリンクを依頼してください。',
  },
  taken: { en: 'This server already has an owner.', ja: 'このサーバーにはすでに所有者がいます。' },
})

const setupForm = defineOpenForm({
  path: '/setup',
  fields: {
    code: text({ max: 200 }),
    email: text({ max: 254, optional: true }),
    name: text({ max: 120, optional: true }),
    password: passwordField(),
    again: passwordField(),
  },
  async run(visit, { code, email, name, password, again }) {
    const { language } = visit
    const t = texts(language)
    const link = await visit.asSystem(ctx => findSetupLink(ctx, code))
    if (!link) throw new Refusal({ code: t.used })
    if ((link.userId === null || email !== '') && !isEmail(email)) throw new Refusal({ email: t.badEmail })
    checkNewPassword(language, { password, again }, [...email.split(/[@.]/), name])
    // Hashing is slow: it runs before the transaction, and only for holders of a code.
    const phc = await hashPassword(password)
    const { to } = await visit.asSystem(async ctx => {
      const taken = await consumeSetupLink(ctx, code)
      if (!taken) throw new Refusal({ code: t.used })
      const userId = taken.userId ?? (await createFirstUser(ctx, email, name, t.taken))
      // The owner of a first start on this machine has no email yet.
      if (link.userId !== null && email !== '' && (await isPlaceholder(ctx, userId)))
        await ctx.users.setEmail({ id: userId, email: PLACEHOLDER_EMAIL }, email)
      const isFirst = (await readPasswordHash(ctx, userId)) === null
      await setPassword(ctx, userId, phc)
      await endSessions(ctx, userId)
      ctx.audit({ action: passwordChanged, actor: { ...PERSON, userId } })
      return finishFirstStep(ctx, visit, { userId, method: 'setup_link', isFirst, returnTo: '/', account: userId })
    })
    return { to }
  },
})

/** There may be several links for the first user, one per start: the first to use one creates the user. */
async function createFirstUser(ctx: WriteContext, email: string, name: string, taken: string): Promise<string> {
  await lockUsers(ctx)
  if (await hasUsers(ctx)) throw new Refusal({ '': taken }, 409)
  return (await ctx.users.create({ email, ...(name !== '' && { name }) })).id
}

export const setupPage = defineOpenPage({
  path: '/setup',
  forms: [setupForm],
  async load(visit) {
    return visit.asSystem(async ctx => {
      // A refused form says itself what is wrong with its code.
      const hasNoLink = !visit.refused && !(await hasSetupLinks(ctx))
      const isFirst = !(await hasUsers(ctx))
      return { hasNoLink, isFirst, asksEmail: isFirst || (await hasPlaceholderLink(ctx)) }
    })
  },
  title: ({ language }, { isFirst }) => (isFirst ? texts(language).ownerTitle : texts(language).title),
  view(visit, { hasNoLink, isFirst, asksEmail }) {
    const t = texts(visit.language)
    if (hasNoLink)
      return html`<h1>${t.title}</h1>
        <p class="lead">${t.noLink}</p>
        <p><a href="/">${partTexts(visit.language).signIn}</a></p>`
    const about = passwordTexts(visit.language)
    return html`<h1>${isFirst ? t.ownerTitle : t.title}</h1>
      <p class="lead">${isFirst ? t.ownerLead : t.lead}</p>
      ${setupForm.view(
        visit,
        form =>
          html`${form.input('code', { label: t.code, hint: t.codeHint, code: true })}
          ${
            asksEmail &&
            form.input('email', {
              label: t.email,
              hint: t.emailHint,
              type: 'email',
              autocomplete: 'username',
              optional: !isFirst,
            })
          }
          ${isFirst && html`${form.input('name', { label: t.name, autocomplete: 'name', optional: true })}`}
          ${form.input('password', { label: about.password, hint: about.rule, autocomplete: 'new-password' })}
          ${form.input('again', { label: about.again, autocomplete: 'new-password' })}`,
        { submit: t.submit },
      )}
      ${isFirst && projectAdminNote(visit.language)}
      <script src="${assetPath('setup.js')}" defer></script>`
  },
})
