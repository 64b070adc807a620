import {
  card,
  defineProjectForm,
  defineProjectPage,
  defineTexts,
  fields,
  html,
  table,
  tableOr,
} from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { readPending, type Pending } from '../invitation.repository.ts'
import { readMembers, type Member } from '../member.repository.ts'
import { setMember } from '../members.ts'

const texts = defineTexts({
  title: { en: 'Members', ja: 'メンバー' },
  lead: { en: 'Members see only this project.', ja: 'メンバーに見えるのはこのプロジェクトだけです。' },
  none: { en: 'Only the owner so far.', ja: 'まだ所有者だけです。' },
  inbox: { en: 'The Inbox is private and cannot be shared.', ja: 'INBOX は本人専用で、共有できません。' },
  member: { en: 'Member', ja: 'メンバー' },
  emailHint: {
    en: 'The current or a future user with this address can accept or decline.',
    ja: 'このアドレスの人が、承諾または辞退できます。アカウントは後から作られてもかまいません。',
  },
  role: { en: 'Role', ja: '役割' },
  roles: { en: { editor: 'Editor', viewer: 'Viewer' }, ja: { editor: '編集者', viewer: '閲覧者' } },
  hints: {
    en: { editor: 'Can read and change items.', viewer: 'Can only read.' },
    ja: { editor: 'タスクとノートの閲覧と変更ができます。', viewer: '閲覧だけができます。' },
  },
  remove: { en: 'Remove', ja: '外す' },
  add: { en: 'Invite a member', ja: 'メンバーを招待' },
  pending: { en: 'Invited', ja: '招待中' },
  withdraw: { en: 'Withdraw', ja: '取り消す' },
  invited: { en: (email: string) => `${email} is invited.`, ja: email => `${email} を招待しました。` },
  saved: { en: (email: string) => `The role of ${email} is changed.`, ja: email => `${email} の役割を変更しました。` },
  same: { en: 'Nothing changed.', ja: '変更はありません。' },
  removed: { en: (email: string) => `${email} was removed.`, ja: email => `${email} をメンバーから外しました。` },
  withdrawn: {
    en: (email: string) => `The invitation of ${email} was withdrawn.`,
    ja: email => `${email} への招待を取り消しました。`,
  },
})

const PATH = '/projects/:key/members'

const setForm = defineProjectForm({
  path: PATH,
  fields: { email: fields.text({ max: 254 }), role: fields.singleChoice(['editor', 'viewer']) },
  refusals: {
    en: {
      'invalid_argument email': 'Give the address of somebody else.',
      'limit_exceeded email': 'Remove somebody, or withdraw an invitation first.',
      'rate_limited email': 'Invite more people tomorrow.',
      'invalid_argument project_key': 'Share another project.',
    },
    ja: {
      'invalid_argument email': 'このアドレスは招待できません。ほかの人のメールアドレスを入力してください。',
      'limit_exceeded email': 'メンバーと招待の数が上限に達しました。先に誰かを外すか、招待を取り消してください。',
      'rate_limited email': '24時間に招待できる数の上限に達しました。明日もう一度お試しください。',
      'invalid_argument project_key': 'INBOX は共有できません。別のプロジェクトを共有してください。',
    },
  },
  confirm: 'recent',
  run: (ctx, project, { email, role }) => setMember(ctx, project, email, role),
  notice(language, { email }, change) {
    const t = texts(language)
    return change === 'invited' ? t.invited(email) : change === 'role' ? t.saved(email) : t.same
  },
})

const removeForm = defineProjectForm({
  path: '/projects/:key/members/remove',
  fields: { email: fields.text({ max: 254 }) },
  to: PATH,
  run: (ctx, project, { email }) => setMember(ctx, project, email, null),
  notice: (language, { email }, change) => texts(language)[change === 'invited' ? 'withdrawn' : 'removed'](email),
})

/** Project settings → Members. */
export const membersPage = defineProjectPage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'project settings', rank: 20 },
  forms: [setForm, removeForm],
  load: async (ctx, { project, role }) => ({
    pending: role === 'owner' ? await readPending(ctx, project) : [],
    members: await readMembers(ctx, project),
  }),
  view(visit, { project, role, members, pending }) {
    const t = texts(visit.language)
    if (project.isInbox)
      return html`<h1>${t.title}</h1>
        <p>${t.inbox}</p>`
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${list(visit, members, role === 'owner')}
      ${
        pending.length > 0 &&
        html`<h2>${t.pending}</h2>
          ${pendingList(visit, pending)}`
      }
      ${
        role === 'owner' &&
        card(
          t.add,
          setForm.view(
            visit,
            form =>
              html`${form.input('email', { label: t.email, hint: t.emailHint, type: 'email' })}
              ${form.radios('role', { label: t.role, value: 'editor', options: t.roles, hints: t.hints })}`,
            { submit: t.add },
          ),
        )
      }`
  },
})

function list(visit: UserVisit, members: readonly Member[], editable: boolean): Html {
  const t = texts(visit.language)
  return tableOr(t.none, t.title, members, [
    { title: t.member, cell: ({ name, email }) => html`${name || email}<br /><span class="quiet">${email}</span>` },
    { title: t.role, cell: ({ role }) => t.roles[role] },
    editable && {
      title: t.action,
      cell({ email, role: now }) {
        const role = now === 'editor' ? 'viewer' : 'editor'
        const label = `${t.role}: ${t.roles[role]}`
        return html`${setForm.button(visit, label, { values: { email, role }, kind: 'plain', about: email })}
        ${removeView(visit, email, t.remove)}`
      },
    },
  ])
}

function pendingList(visit: UserVisit, pending: readonly Pending[]): Html {
  const t = texts(visit.language)
  return table(t.pending, pending, [
    { title: t.email, cell: ({ email }) => email },
    { title: t.role, cell: ({ role }) => t.roles[role] },
    { title: t.action, cell: ({ email }) => removeView(visit, email, t.withdraw) },
  ])
}

function removeView(visit: UserVisit, email: string, label: string): Html {
  return removeForm.button(visit, label, { values: { email }, kind: 'danger', about: email })
}
