import { DAY_MS, type Connection, type IssuedToken } from 'tasuki/plugin'
import { readProjects, type ListedProject } from '../projects.ts'
import { clientSetups } from '../clients.ts'
import { originOf } from '../auth/sessions.ts'
import { multipleChoice, singleChoice, text } from '../fields.ts'
import { html, type Child, type Html } from '../html.ts'
import { defineForm, definePage, Refusal } from '../page.ts'
import { settings } from '../settings.ts'
import { codeBlock, formatInstant, openProjects, projectLabel, table, tableOr } from '../ui/parts.ts'
import { scopeChoice, scopeTexts } from '../ui/scope-choice.ts'
import type { UserVisit } from '../visit.ts'
import { texts } from './integrations-texts.ts'
import { projectAdminNote } from '../ui/project-admin-note.ts'

const PATH = '/settings/integrations'
const NEVER = 'never'
const LIFETIMES = ['30', '90', '365', NEVER] as const
/** Measured on the tool catalogue with the tokenizers of common models; others differ by about a tenth. */
const CHARACTERS_PER_TOKEN = 4.2

const issueForm = defineForm({
  path: `${PATH}/tokens`,
  fields: {
    name: text({ max: 80 }),
    scope: singleChoice(['read', 'write']),
    lifetime: singleChoice(LIFETIMES),
    projects: multipleChoice(),
  },
  confirm: 'recent',
  refusals: {
    en: { 'limit_exceeded name': 'You have as many tokens as are allowed. Revoke one that you no longer need.' },
    ja: { 'limit_exceeded name': 'トークンの数が上限に達しました。不要なトークンを先に取り消してください。' },
  },
  async run(visit, { name, scope, lifetime, projects }) {
    const t = texts(visit.language)
    const { session, services, request } = visit
    const { value } = await visit.write(async ctx => {
      const known = new Set((await readProjects(ctx)).map(({ id }) => id))
      if (!projects.every(id => known.has(id))) throw new Refusal({ projects: t.unknownProject })
      return ctx.users.issueToken({
        userId: session.userId,
        from: originOf(request),
        most: services.config(settings).tokens_per_user,
        name,
        scope,
        expiresAt: lifetime === NEVER ? null : new Date(ctx.now.getTime() + Number(lifetime) * DAY_MS),
        projects: projects.length === 0 ? null : projects,
      })
    })
    // No redirect: the next page could show the token only if it were stored.
    const view = html`<h1>${t.issuedTitle}</h1>
      <p>${t.issuedFor(name)} ${t.issued}</p>
      ${codeBlock(value)}
      <p><a class="button" href="${PATH}">${t.done}</a></p>
      <h2>${t.setup}</h2>
      ${setups(visit, `${services.baseUrl()}/mcp`, value)}`
    return { title: t.issuedTitle, view }
  },
})

const revokeForm = defineForm({
  path: `${PATH}/tokens/:id/revoke`,
  fields: {},
  async run({ session, params, write, language }) {
    const { name } = await write(ctx => ctx.users.revokeToken(params['id']!, session.userId))
    return { to: PATH, notice: texts(language).revoked(name) }
  },
})

const disconnectForm = defineForm({
  path: `${PATH}/applications/:id/disconnect`,
  fields: { name: text({ max: 2000, optional: true }) },
  async run({ services, session, params, write, language }, { name }) {
    await write(ctx => services.authorization.disconnect(ctx, session.userId, params['id']!))
    return { to: PATH, notice: texts(language).disconnected(name) }
  },
})

/** Settings → Integrations: clients that act for the user, and how to add more. */
export const integrationsPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 10 },
  forms: [issueForm, revokeForm, disconnectForm],
  load: ({ services, session, read }) =>
    read(async ctx => ({
      tokens: await ctx.users.tokens(session.userId),
      connections: await services.authorization.connections(ctx, session.userId),
      projects: await readProjects(ctx),
    })),
  view(visit, { tokens, connections, projects }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      <h2>${t.apps}</h2>
      ${connectionTable(visit, connections, projects)}
      <h2>${t.tokens}</h2>
      ${tokenTable(visit, tokens, projects)}
      <div class="card">
        <h3>${t.issue}</h3>
        ${issue(visit, projects)}
      </div>
      <h2>${t.setup}</h2>
      <p>${t.setupLead}</p>
      ${setups(visit, `${visit.services.baseUrl()}/mcp`, null)} ${profiles(visit)} ${projectAdminNote(visit.language)}`
  },
})

function connectionTable(
  visit: UserVisit,
  connections: readonly Connection[],
  projects: readonly ListedProject[],
): Html {
  const t = texts(visit.language)
  const labels = new Map(projects.map(project => [project.id, projectLabel(project)]))
  /** Projects that the user has left, or that were deleted, are no longer accessible. */
  const reached = ({ projects: ids }: Connection): Child => {
    if (ids === null) return t.everyProject
    const seen = ids.flatMap(id => labels.get(id) ?? [])
    return seen.length === 0 ? t.noProject : seen.map((label, n) => html`${n > 0 && html`<br />`}${label}`)
  }
  const nameOf = ({ clientName }: Connection): string => (clientName === '' ? t.nameless : clientName)
  return tableOr(t.noApps, t.apps, connections, [
    {
      title: t.app,
      cell: row => html`${nameOf(row)}<br /><span class="quiet">${row.verifiedHost ?? row.redirectHost}</span>`,
    },
    { title: t.access, cell: row => scopeTexts(visit.language)[row.scope] },
    { title: t.projects, cell: reached },
    { title: t.since, cell: row => formatInstant(visit, row.createdAt) },
    { title: t.lastUsed, cell: row => (row.lastUsedAt === null ? t.unused : formatInstant(visit, row.lastUsedAt)) },
    {
      title: t.action,
      cell: row =>
        disconnectForm.button(visit, t.disconnect, {
          params: { id: row.id },
          values: { name: nameOf(row) },
          kind: 'danger',
          about: nameOf(row),
        }),
    },
  ])
}

function tokenTable(visit: UserVisit, tokens: readonly IssuedToken[], projects: readonly ListedProject[]): Html {
  const t = texts(visit.language)
  const keyOf = new Map(projects.map(({ id, key }) => [id, key]))
  const now = visit.now.toISOString()
  return tableOr(t.none, t.tokens, tokens, [
    { title: t.name, cell: row => html`${row.name}<br /><code>…${row.hint}</code>` },
    { title: t.access, cell: row => scopeTexts(visit.language)[row.scope] },
    { title: t.projects, cell: row => row.projects?.map(id => keyOf.get(id) ?? '?').join(', ') ?? t.allProjects },
    {
      title: t.expires,
      cell: row =>
        row.expiresAt !== null && row.expiresAt <= now
          ? html`<span class="tag bad">${t.expired}</span>`
          : row.expiresAt === null
            ? t.endless
            : formatInstant(visit, row.expiresAt),
    },
    { title: t.lastUsed, cell: row => (row.lastUsedAt === null ? t.unused : formatInstant(visit, row.lastUsedAt)) },
    {
      title: t.action,
      cell: row => revokeForm.button(visit, t.revoke, { params: { id: row.id }, kind: 'danger', about: row.name }),
    },
  ])
}

function issue(visit: UserVisit, projects: readonly ListedProject[]): Html {
  const t = texts(visit.language)
  return issueForm.view(
    visit,
    form =>
      html`${form.input('name', { label: t.name, hint: t.nameHint })}
        <div class="columns">
          ${scopeChoice(form, visit.language)}
          ${form.select('lifetime', {
            label: t.lifetime,
            value: '90',
            options: { 30: t.days(30), 90: t.days(90), 365: t.days(365), [NEVER]: t.endless },
          })}
        </div>
        ${form.ticks('projects', { label: t.limit, hint: t.limitHint, options: openProjects(projects) })}`,
    { submit: t.issue },
  )
}

function setups({ language }: UserVisit, url: string, token: string | null): Html {
  const t = texts(language)
  return html`${
    token === null &&
    html`<p>${t.address}</p>
      ${codeBlock(url)}`
  }
  ${clientSetups(language, url, token).map(
    setup =>
      html`<details>
        <summary>${setup.name}</summary>
        <div>
          ${
            token === null &&
            setup.browser !== null &&
            html`<p>${t.byBrowser}</p>
              ${codeBlock(setup.browser)}`
          }
          <p>${t.byToken}</p>
          ${codeBlock(setup.token)}
        </div>
      </details>`,
  )}`
}

function profiles({ services, language }: UserVisit): Html {
  const t = texts(language)
  const number = new Intl.NumberFormat(language)
  const sizes = services.profiles()
  return html`<h3>${t.profiles}</h3>
    <p>${t.profilesLead} <code>${services.baseUrl()}/mcp?profile=${sizes[0]?.name ?? ''}</code></p>
    ${table(t.profiles, sizes, [
      { title: t.profile, cell: row => html`<code>${row.name}</code>` },
      { title: t.tools, cell: row => number.format(row.tools) },
      { title: t.readingTools, cell: row => number.format(row.readingTools) },
      { title: t.size, cell: row => number.format(Math.round(row.characters / CHARACTERS_PER_TOKEN / 100) * 100) },
    ])}`
}
