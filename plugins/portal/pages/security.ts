import { readPasswordHash, setPassword } from '../auth/account.repository.ts'
import { identityUnlinked, passwordChanged, signedOut } from '../audit.ts'
import { checkPassword } from '../auth/check-password.ts'
import { browserName } from '../auth/browser-name.ts'
import { readIdentities, unlinkIdentity, type Identity } from '../auth/identity.repository.ts'
import { hashPassword } from '../auth/password.ts'
import { checkNewPassword, passwordTexts } from '../auth/password-texts.ts'
import { providerName } from '../auth/provider-name.ts'
import { startProviderSignIn } from '../auth/provider.ts'
import { refuseAttempt } from '../auth/refuse-attempt.ts'
import { endSession, endSessions, readSessions, type SessionRow } from '../auth/session.repository.ts'
import { clearCookie } from '../auth/cookies.ts'
import { PERSON } from '../auth/sessions.ts'
import { passwordField, text } from '../fields.ts'
import { html, type Html } from '../html.ts'
import { defineForm, definePage, Refusal } from '../page.ts'
import { settings } from '../settings.ts'
import { formatInstant, table, tableOr } from '../ui/parts.ts'
import { idOf, type UserVisit } from '../visit.ts'
import { texts } from './security-texts.ts'

const PATH = '/settings/security'

const passwordForm = defineForm({
  path: `${PATH}/password`,
  fields: { current: passwordField(), password: passwordField(), again: passwordField() },
  async run(visit, { current, password, again }) {
    const { session, language } = visit
    const t = texts(language)
    const checked = await checkPassword(visit, { password: current }, passwordChanged)
    if (checked.wait !== null) throw refuseAttempt(visit, checked.wait)
    if (checked.wrong !== null) throw new Refusal({ current: t.wrong })
    checkNewPassword(language, { password, again }, [...session.email.split(/[@.]/), session.name])
    const phc = await hashPassword(password)
    await visit.asSystem(async ctx => {
      await setPassword(ctx, session.userId, phc)
      await endSessions(ctx, session.userId, session.id)
      ctx.audit({ action: passwordChanged, actor: { ...PERSON, userId: session.userId } })
    })
    return { to: PATH, notice: t.changed }
  },
})

const endForm = defineForm({
  path: `${PATH}/sessions/:id/end`,
  fields: {},
  async run({ params, session, language, write }) {
    const id = idOf(params)
    await write(async ctx => {
      await endSession(ctx, session.userId, id)
      ctx.audit({ action: signedOut, details: { other_browser: true } })
    })
    return { to: PATH, notice: texts(language).ended }
  },
})

const everywhereForm = defineForm({
  path: `${PATH}/sign-out-everywhere`,
  fields: {},
  async run({ services, reply, session, language, write }) {
    await write(async ctx => {
      await endSessions(ctx, session.userId)
      ctx.audit({ action: signedOut, details: { everywhere: true } })
    })
    clearCookie({ services, reply }, 'session')
    return { to: '/sign-in', notice: texts(language).gone }
  },
})

const revokeForm = defineForm({
  path: `${PATH}/revoke-everything`,
  fields: {},
  confirm: 'always',
  async run({ session, language, write }) {
    const {
      tokens = 0,
      apps = 0,
      sessions = 0,
    } = await write(ctx => ctx.users.revokeAccess(session.userId, { sessionId: session.id }))
    return { to: PATH, notice: texts(language).revoked(sessions, apps, tokens) }
  },
})

const linkForm = defineForm({
  path: `${PATH}/provider/link`,
  fields: {},
  // Otherwise anyone with access to an open browser could link their own account and come back.
  confirm: 'recent',
  async run(visit) {
    const onward = await startProviderSignIn(visit, { returnTo: PATH, linkTo: visit.session.userId })
    return { title: texts(visit.language).linking, onward }
  },
})

const unlinkForm = defineForm({
  path: `${PATH}/provider/unlink`,
  fields: { subject: text({ max: 500 }), issuer: text({ max: 2000 }) },
  async run({ session, language, write }, { issuer, subject }) {
    const t = texts(language)
    await write(async ctx => {
      if ((await readPasswordHash(ctx, session.userId)) === null) throw new Refusal({ '': t.lastWay })
      await unlinkIdentity(ctx, session.userId, issuer, subject)
      ctx.audit({ action: identityUnlinked, target: { kind: 'account', id: subject } })
    })
    return { to: PATH, notice: t.unlinked }
  },
})

export const securityPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 30 },
  forms: [passwordForm, endForm, everywhereForm, revokeForm, linkForm, unlinkForm],
  load: ({ services, session, language, asSystem }) =>
    // On the primary, to show changes made a moment ago.
    asSystem(async ctx => {
      const { idle_hours: idle, openid } = services.config(settings)
      return {
        provider: providerName(language, openid),
        hasPassword: (await readPasswordHash(ctx, session.userId)) !== null,
        sessions: await readSessions(ctx, session.userId, idle),
        identities: await readIdentities(ctx, session.userId),
      }
    }),
  view(visit, { provider, hasPassword, sessions, identities }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <h2>${t.password}</h2>
      ${hasPassword ? password(visit) : html`<p>${t.noPassword}</p>`}
      ${provider !== null && identityList(visit, provider, identities)}
      <h2>${t.sessions}</h2>
      ${sessionTable(visit, sessions)}
      <p>${t.everywhereText}</p>
      ${everywhereForm.button(visit, t.everywhere, { kind: 'danger', inline: false })}
      <h2>${t.everything}</h2>
      <p>${t.everythingText}</p>
      ${revokeForm.button(visit, t.revoke, { kind: 'danger', inline: false })}`
  },
})

function password(visit: UserVisit): Html {
  const t = texts(visit.language)
  const about = passwordTexts(visit.language)
  return passwordForm.view(
    visit,
    form =>
      html`${form.input('current', { label: t.current, autocomplete: 'current-password' })}
      ${form.input('password', { label: about.password, hint: about.rule, autocomplete: 'new-password' })}
      ${form.input('again', { label: about.again, autocomplete: 'new-password' })}`,
    { submit: t.change },
  )
}

function identityList(visit: UserVisit, provider: string, identities: readonly Identity[]): Html {
  const t = texts(visit.language)
  return html`<h2>${t.identities(provider)}</h2>
    ${tableOr(t.noIdentities, t.identities(provider), identities, [
      { title: t.account, cell: row => row.email ?? row.subject },
      { title: t.since, cell: row => formatInstant(visit, row.createdAt) },
      {
        title: t.action,
        cell: row =>
          unlinkForm.button(visit, t.unlink, {
            values: { issuer: row.issuer, subject: row.subject },
            kind: 'danger',
            about: row.email ?? row.subject,
          }),
      },
    ])}
    ${linkForm.button(visit, t.link, { kind: 'plain', inline: false })}`
}

function sessionTable(visit: UserVisit, sessions: readonly SessionRow[]): Html {
  const t = texts(visit.language)
  return table(t.sessions, sessions, [
    {
      title: t.browser,
      cell: row =>
        html`${browserName(row.userAgent)}
        ${row.id === visit.session.id && html`<span class="tag good">${t.here}</span>`}`,
    },
    { title: t.address, cell: row => row.ip },
    { title: t.since, cell: row => formatInstant(visit, row.createdAt) },
    { title: t.seen, cell: row => formatInstant(visit, row.seenAt) },
    {
      title: t.action,
      cell: row =>
        row.id !== visit.session.id &&
        endForm.button(visit, t.end, { params: { id: row.id }, kind: 'danger', about: browserName(row.userAgent) }),
    },
  ])
}
