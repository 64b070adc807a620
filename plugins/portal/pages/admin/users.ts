import { isEmail, ToolError } from 'tasuki/plugin'
import { newSetupLink } from '../../auth/setup-link.repository.ts'
import { readUsers, type UserSummary } from '../../auth/user.repository.ts'
import { text } from '../../fields.ts'
import { html, type Child } from '../../html.ts'
import { defineForm, Refusal, type Answer } from '../../page.ts'
import { addressOf } from '../../ui/form.ts'
import { offsetOf, pager } from '../../ui/pager.ts'
import { codeBlock, formatInstant, table } from '../../ui/parts.ts'
import type { UserVisit } from '../../visit.ts'
import { defineAdministrationPage } from './page.ts'
import { adminTexts as texts } from './texts.ts'

export const USERS = '/settings/users'
const PAGE = 50

/** Shows a setup link, only once. */
export function showSetupLink({ services, language }: UserVisit, email: string, code: string): Answer {
  const t = texts(language)
  return {
    title: t.linkTitle,
    view: html`<h1>${t.linkTitle}</h1>
      <p class="lead">${t.linkLead(email)}</p>
      ${codeBlock(`${services.baseUrl()}/setup#${code}`)}
      <p class="actions"><a class="button" href="${USERS}">${t.done}</a></p>`,
  }
}

const inviteForm = defineForm({
  path: USERS,
  fields: { email: text({ max: 254 }), name: text({ max: 120, optional: true }) },
  confirm: 'recent',
  async run(visit, { email, name }) {
    const t = texts(visit.language)
    if (!isEmail(email)) throw new Refusal({ email: t.badEmail })
    try {
      const code = await visit.write(async ctx => {
        const user = await ctx.users.create({ email, ...(name !== '' && { name }) })
        return newSetupLink(ctx, user.id)
      })
      return showSetupLink(visit, email.toLowerCase(), code)
    } catch (error) {
      if (error instanceof ToolError && error.code === 'conflict') throw new Refusal({ email: t.taken })
      throw error
    }
  },
})

/** Administration → Users. */
export const usersPage = defineAdministrationPage({
  path: USERS,
  name: 'users',
  rank: 80,
  forms: [inviteForm],
  async load({ query, asSystem }) {
    const offset = offsetOf(query)
    const users = await asSystem(ctx => readUsers(ctx, { limit: PAGE + 1, offset }))
    return { users: users.slice(0, PAGE), more: users.length > PAGE, offset }
  },
  view(visit, { users, more, offset }) {
    const t = texts(visit.language)
    return html`<h1>${t.users}</h1>
      <p class="lead">${t.usersLead} <a href="/settings/activity?whose=all">${t.audit}</a></p>
      ${table(t.users, users, [
        { title: t.email, cell: row => html`<a href="${addressOf(`${USERS}/:id`, { id: row.id })}">${row.email}</a>` },
        { title: t.name, cell: row => row.name },
        { title: t.state, cell: row => stateTags(visit, row) },
        { title: t.created, cell: row => formatInstant(visit, row.createdAt) },
        { title: t.seen, cell: row => formatInstant(visit, row.seenAt) },
      ])}
      ${pager(visit, { path: USERS, offset, size: PAGE, more })}
      <h2>${t.invite}</h2>
      ${inviteForm.view(
        visit,
        form =>
          html`${form.input('email', { label: t.email, hint: t.inviteHint, type: 'email' })}
          ${form.input('name', { label: t.name, optional: true })}`,
        { submit: t.inviteSubmit },
      )}`
  },
})

export function stateTags({ language }: UserVisit, user: UserSummary): Child {
  const { states } = texts(language)
  const tag = (label: string): Child => html`<span class="tag">${label}</span> `
  const on = html`<span class="tag good">${states.on}</span> `
  return html`${user.isDisabled ? tag(states.off) : user.isInvited ? tag(states.invited) : on}${user.isAdministrator && tag(states.admin)}${user.hasSecondFactor && tag(states.second)}`
}
