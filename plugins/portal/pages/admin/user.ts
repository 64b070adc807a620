import { ToolError, type HostServices, type User, type WriteContext } from 'tasuki/plugin'
import { newSetupLink } from '../../auth/setup-link.repository.ts'
import { readUsers, type UserSummary } from '../../auth/user.repository.ts'
import type { Fields } from '../../fields.ts'
import { html, type Child } from '../../html.ts'
import { defineForm, definePage, Refusal, type Form } from '../../page.ts'
import { descriptionList, formatInstant } from '../../ui/parts.ts'
import { idOf, type UserVisit } from '../../visit.ts'
import { adminTexts as texts } from './texts.ts'
import { showSetupLink, stateTags, USERS } from './users.ts'

const PATH = `${USERS}/:id`
/** A form with a single button. */
type Action = Form<Fields>
type Notice = 'disabled' | 'enabled' | 'saved' | 'revoked' | 'wasReset' | 'deleted'

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
  notice: Notice,
  run: (admin: HostServices['administration'], ctx: WriteContext, user: User) => Promise<unknown>,
  { confirm = 'always', to }: { readonly confirm?: 'always' | 'recent'; readonly to?: string } = {},
): Action {
  return defineForm({
    path: `${PATH}/${name}`,
    fields: {},
    confirm,
    async run(visit) {
      const t = texts(visit.language)
      const user = await requireOther(visit)
      try {
        await visit.write(ctx => run(visit.services.administration, ctx, user))
      } catch (error) {
        if (error instanceof ToolError && error.code === 'conflict') throw new Refusal({ '': t.last }, 409)
        throw error
      }
      return { to: to ?? `${USERS}/${user.id}`, notice: t[notice] }
    },
  })
}

const disableForm = defineAction('disable', 'disabled', (admin, ctx, user) => admin.disableUser(ctx, user))
const enableForm = defineAction('enable', 'enabled', (admin, ctx, user) => admin.enableUser(ctx, user), {
  confirm: 'recent',
})
const promoteForm = defineAction('promote', 'saved', (admin, ctx, user) =>
  admin.setAdministrator(ctx, user, { administrator: true }),
)
const demoteForm = defineAction('demote', 'saved', (admin, ctx, user) =>
  admin.setAdministrator(ctx, user, { administrator: false }),
)
const revokeForm = defineAction('revoke', 'revoked', (_admin, ctx, user) => ctx.users.revokeAccess(user.id))
const resetForm = defineAction('reset-second-factor', 'wasReset', (admin, ctx, user) =>
  admin.resetSecondFactor(ctx, user),
)
const deleteForm = defineAction('delete', 'deleted', (admin, ctx, user) => admin.deleteUser(ctx, user), { to: USERS })
const linkForm = defineForm({
  path: `${PATH}/setup-link`,
  fields: {},
  confirm: 'recent',
  async run(visit) {
    const user = await requireOther(visit)
    return showSetupLink(visit, user.email, await visit.write(ctx => newSetupLink(ctx, user.id)))
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
      ${descriptionList([
        [t.name, user.name],
        [t.state, stateTags(visit, user)],
        [t.created, formatInstant(visit, user.createdAt)],
        [t.seen, formatInstant(visit, user.seenAt)],
      ])}`
    if (user.id === visit.session.userId)
      return html`${facts}
        <p>${t.self}</p>`
    const part = (form: Action, label: string, about: string | null, kind: 'plain' | 'danger'): Child =>
      html`<h2>${label}</h2>
        ${about !== null && html`<p>${about}</p>`}
        ${form.button(visit, label, { params: { id: user.id }, kind, inline: false })}`
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
