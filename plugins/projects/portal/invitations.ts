import { formatCount, quoteName, quoteNameJa } from 'tasuki/plugin'
import { defineForm, definePage, defineTexts, html, formatInstant, table } from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { readDeclined, readInvitations, unblockInviter } from '../invitation.repository.ts'
import type { DeclinedInviter, Invitation } from '../invitation.repository.ts'
import { acceptInvitation, declineInvitation } from '../members.ts'
import { settings } from '../settings.ts'

const texts = defineTexts(
  {
    title: 'Invitations',
    lead: 'You see a project only after you accept.',
    none: 'No invitations.',
    inviter: 'Invited by',
    role: 'Your role',
    roles: { editor: 'Editor', viewer: 'Viewer' },
    until: 'Valid until',
    accept: 'Accept',
    decline: 'Decline',
    declineHint: (days: number) =>
      `Declining ends all invitations of that person, who cannot invite you for ${formatCount(days, 'day')} and is not notified.`,
    accepted: (project: string) => `You are now a member of ${quoteName(project)}.`,
    declined: 'Declined.',
    blocked: 'Declined people',
    person: 'Person',
    blockedUntil: 'Cannot invite you until',
    allow: 'Allow again',
    allowed: (email: string) => `${email} can invite you again.`,
  },
  {
    ja: {
      title: '招待',
      lead: '承諾するまで、プロジェクトの内容は見えず、一覧にも出ません。',
      none: '招待はありません。',
      inviter: '招待した人',
      role: '役割',
      roles: { editor: '編集者', viewer: '閲覧者' },
      until: '有効期限',
      accept: '承諾する',
      decline: '辞退する',
      declineHint: days =>
        `辞退すると、その人からの招待はすべて終わり、${days}日間は招待が届きません。相手には知らされません。`,
      accepted: project => `${quoteNameJa(project)}のメンバーになりました。`,
      declined: '辞退しました。',
      blocked: '辞退した相手',
      person: '相手',
      blockedUntil: '招待が届かない期限',
      allow: '再び許可する',
      allowed: email => `${email} からの招待が再び届きます。`,
    },
  },
)

export const INVITATIONS = '/settings/invitations'

const currentUser = ({ session }: UserVisit) => ({ id: session.userId, email: session.email })

const acceptForm = defineForm({
  path: '/settings/invitations/:id/accept',
  fields: {},
  async run(visit) {
    const { name } = await visit.write(ctx => acceptInvitation(ctx, currentUser(visit), visit.params['id']!))
    return { to: '/projects', notice: texts(visit.language).accepted(name) }
  },
})

const declineForm = defineForm({
  path: '/settings/invitations/:id/decline',
  fields: {},
  async run(visit) {
    await visit.write(ctx => declineInvitation(ctx, currentUser(visit), visit.params['id']!))
    return { to: INVITATIONS, notice: texts(visit.language).declined }
  },
})

const allowForm = defineForm({
  path: '/settings/invitations/declined/:email/allow',
  fields: {},
  async run(visit) {
    const email = visit.params['email']!
    await visit.write(ctx => unblockInviter(ctx, visit.session.userId, email))
    return { to: INVITATIONS, notice: texts(visit.language).allowed(email) }
  },
})

/** Settings → Invitations: open invitations, and owners whose invitations are hidden. */
export const invitationsPage = definePage({
  path: INVITATIONS,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 40 },
  forms: [acceptForm, declineForm, allowForm],
  load: ({ session, read }) =>
    read(async ctx => ({
      invitations: await readInvitations(ctx, session.email),
      declined: await readDeclined(ctx, session.userId),
    })),
  view(visit, { invitations, declined }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${
        invitations.length === 0
          ? html`<p class="quiet">${t.none}</p>`
          : html`${invitationTable(visit, invitations)}
              <p class="hint">${t.declineHint(visit.services.config(settings).declined_days)}</p>`
      }
      ${
        declined.length > 0 &&
        html`<h2>${t.blocked}</h2>
          ${declinedTable(visit, declined)}`
      }`
  },
})

function invitationTable(visit: UserVisit, invitations: readonly Invitation[]): Html {
  const t = texts(visit.language)
  return table(t.title, invitations, [
    { title: t.project, cell: ({ name, key }) => html`${name}<br /><code>${key}</code>` },
    { title: t.inviter, cell: ({ inviter }) => inviter },
    { title: t.role, cell: ({ role }) => t.roles[role] },
    { title: t.until, cell: ({ expiresAt }) => formatInstant(visit, expiresAt) },
    {
      title: t.action,
      cell: ({ id, name }) =>
        html`${acceptForm.button(visit, t.accept, { params: { id }, about: name })}
        ${declineForm.button(visit, t.decline, { params: { id }, kind: 'danger', about: name })}`,
    },
  ])
}

function declinedTable(visit: UserVisit, declined: readonly DeclinedInviter[]): Html {
  const t = texts(visit.language)
  return table(t.blocked, declined, [
    { title: t.person, cell: ({ email }) => email },
    { title: t.blockedUntil, cell: ({ until }) => formatInstant(visit, until) },
    {
      title: t.action,
      cell: ({ email }) => allowForm.button(visit, t.allow, { params: { email }, kind: 'plain', about: email }),
    },
  ])
}
