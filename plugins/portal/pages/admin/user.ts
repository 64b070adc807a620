import { ToolError, type User, type WriteContext } from 'tasuki/plugin'
import { newSetupLink } from '../../auth/setup-link.repository.ts'
import { readUsers, type UserSummary } from '../../auth/user.repository.ts'
import type { Fields } from '../../fields.ts'
import { html, type Child } from '../../html.ts'
import { defineForm, definePage, Refusal, type Form } from '../../page.ts'
import { formView } from '../../ui/form.ts'
import { instant } from '../../ui/parts.ts'
import { idOf, type UserVisit } from '../../visit.ts'
import { adminTexts as texts } from './texts.ts'
import { linkAnswer, stateTags, USERS } from './users.ts'

const PATH = `${USERS}/:id`
/** A form with a single button. */
type Action = Form<Fields>
type Notice = 'disabled' | 'enabled' | 'changed' | 'revoked' | 'wasReset' | 'deleted'

/** Finds the user of the page. @throws ToolError not_found; forbidden for the caller's own account */
async function requireOther({ params, session, asSystem }: UserVisit): Promise<UserSummary> {
  const id = idOf(params)
  if (id === session.userId)
    throw new ToolError('forbidden', 'This is your own account.', { hint: 'Use the pages of your own settings.' })
  return requireUser(id, asSystem)
}

async function requireUser(id: string, asSystem: UserVisit['asSystem']): Promise<UserSummary> {
  const [user] = await asSystem(ctx => readUsers(ctx, { id, limit: 1, offset: 0 }))
  if (!user) throw new ToolError('not_found', 'There is no such user.')
  return user
}

/** Defines a form with one action on the user of the page. */
function defineAction(
  name: string,
  options: {
    readonly confirm: 'always' | 'recent'
    readonly notice: Notice
    readonly to?: string
    run(visit: UserVisit, ctx: WriteContext, user: User): Promise<unknown>
  },
): Action {
  return defineForm({
    path: `${PATH}/${name}`,
    fields: {},
    confirm: options.confirm,
    async run(visit) {
      const t = texts(visit.language)
      const user = await requireOther(visit)
      try {
        await visit.write(ctx => options.run(visit, ctx, user))
      } catch (error) {
        if (error instanceof ToolError && error.code === 'conflict') throw new Refusal({ '': t.last }, 409)
        throw error
      }
      return { to: options.to ?? `${USERS}/${user.id}`, notice: t[options.notice] }
    },
  })
}

const disableForm = defineAction('disable', {
  confirm: 'always',
  notice: 'disabled',
  run: ({ services }, ctx, user) => services.administration.setDisabled(ctx, user, true),
})
const enableForm = defineAction('enable', {
  confirm: 'recent',
  notice: 'enabled',
  run: ({ services }, ctx, user) => services.administration.setDisabled(ctx, user, false),
})
const promoteForm = defineAction('promote', {
  confirm: 'always',
  notice: 'changed',
  run: ({ services }, ctx, user) => services.administration.setAdministrator(ctx, user, true),
})
const demoteForm = defineAction('demote', {
  confirm: 'always',
  notice: 'changed',
  run: ({ services }, ctx, user) => services.administration.setAdministrator(ctx, user, false),
})
const revokeForm = defineAction('revoke', {
  confirm: 'always',
  notice: 'revoked',
  run: (_visit, ctx, user) => ctx.users.revokeAccess(user.id),
})
const resetForm = defineAction('reset-second-factor', {
  confirm: 'always',
  notice: 'wasReset',
  run: ({ services }, ctx, user) => services.administration.resetSecondFactor(ctx, user),
})
const deleteForm = defineAction('delete', {
  confirm: 'always',
  notice: 'deleted',
  to: USERS,
  run: ({ services }, ctx, user) => services.administration.deleteUser(ctx, user),
})
const linkForm = defineForm({
  path: `${PATH}/setup-link`,
  fields: {},
  confirm: 'recent',
  async run(visit) {
    const user = await requireOther(visit)
    return linkAnswer(visit, user.email, await visit.write(ctx => newSetupLink(ctx, user.id)))
  },
})

/** Administration → Users → one user. */
export const userPage = definePage({
  path: PATH,
  administrators: true,
  forms: [linkForm, disableForm, enableForm, promoteForm, demoteForm, revokeForm, resetForm, deleteForm],
  load: ({ params, asSystem }) => requireUser(idOf(params), asSystem),
  title: (_visit, user) => user.email,
  view(visit, user) {
    const t = texts(visit.language)
    const facts = html`<h1>${user.email}</h1>
      <dl>
        <dt>${t.name}</dt>
        <dd>${user.name}</dd>
        <dt>${t.state}</dt>
        <dd>${stateTags(visit, user)}</dd>
        <dt>${t.created}</dt>
        <dd>${instant(visit, user.createdAt)}</dd>
        <dt>${t.seen}</dt>
        <dd>${instant(visit, user.seenAt)}</dd>
      </dl>`
    if (user.id === visit.session.userId)
      return html`${facts}
        <p>${t.self}</p>`
    const part = (form: Action, label: string, about: string | null, kind: 'plain' | 'danger'): Child =>
      html`<h2>${label}</h2>
        ${about !== null && html`<p>${about}</p>`}
        ${formView(visit, form, { id: user.id }, controls => controls.submit(label, { kind }))}`
    return html`${facts} ${part(linkForm, t.newLink, t.newLinkText, 'plain')}
    ${user.isDisabled ? part(enableForm, t.enable, null, 'plain') : part(disableForm, t.disable, t.disableText, 'danger')}
    ${
      user.isAdministrator
        ? part(demoteForm, t.demote, null, 'danger')
        : part(promoteForm, t.promote, t.promoteText, 'plain')
    }
    ${user.hasSecondFactor && part(resetForm, t.reset, t.resetText, 'danger')}
    ${part(revokeForm, t.revoke, t.revokeText, 'danger')} ${part(deleteForm, t.delete, t.deleteText, 'danger')}`
  },
})
