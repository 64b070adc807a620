import {
  addressOf,
  defineForm,
  definePage,
  defineRefusals,
  defineTexts,
  fields,
  formView,
  html,
  ownProject,
  readSubject,
  table,
  type Html,
  type UserVisit,
} from '../../portal/index.ts'
import { readMembers, type Member } from '../member.repository.ts'
import { setMember } from '../write.ts'

const texts = defineTexts(
  {
    title: 'Members',
    lead: 'Members see only this project.',
    none: 'Only the owner so far.',
    inbox: 'The Inbox is private and cannot be shared.',
    member: 'Member',
    email: 'E-mail address',
    emailHint: 'Of a person with an account here.',
    role: 'Role',
    roles: { editor: 'Editor', viewer: 'Viewer' },
    hints: { editor: 'Can read and change items.', viewer: 'Can only read.' },
    remove: 'Remove',
    add: 'Add a member',
    saved: (email: string) => `${email} is now a member.`,
    removed: (email: string) => `${email} was removed.`,
    action: 'Action',
  },
  {
    ja: {
      title: 'メンバー',
      lead: 'メンバーに見えるのはこのプロジェクトだけです。',
      none: 'まだ所有者だけです。',
      inbox: 'INBOX は本人専用で、共有できません。',
      member: 'メンバー',
      email: 'メールアドレス',
      emailHint: 'このサービスにアカウントがある人のアドレス。',
      role: '役割',
      roles: { editor: '編集者', viewer: '閲覧者' },
      hints: { editor: 'タスクとノートの閲覧と変更ができます。', viewer: '閲覧だけができます。' },
      remove: '外す',
      add: 'メンバーを追加',
      saved: email => `${email} はメンバーです。`,
      removed: email => `${email} をメンバーから外しました。`,
      action: '操作',
    },
  },
)

const PATH = '/projects/:key/members'

const setRefusals = defineRefusals(
  {
    'not_found email': 'Whoever runs this server can create the user.',
    'invalid_argument email': 'The owner need not be a member.',
    'invalid_argument project_key': 'Share another project.',
  },
  {
    ja: {
      'not_found email': 'このメールアドレスのユーザーはいません。サーバーの管理者に登録を依頼してください。',
      'invalid_argument email': 'この人はプロジェクトの所有者です。メンバーにする必要はありません。',
      'invalid_argument project_key': 'INBOX は共有できません。別のプロジェクトを共有してください。',
    },
  },
)

const setForm = defineForm({
  path: PATH,
  fields: { email: fields.text({ max: 254 }), role: fields.oneOf(['editor', 'viewer']) },
  refusals: setRefusals,
  async run(visit, { email, role }) {
    await visit.write(async ctx => setMember(ctx, await ownProject(ctx, visit), email, role))
    return { to: addressOf(PATH, visit.params), notice: texts(visit.language).saved(email) }
  },
})

const removeForm = defineForm({
  path: '/projects/:key/members/remove',
  fields: { email: fields.text({ max: 254 }) },
  async run(visit, { email }) {
    await visit.write(async ctx => setMember(ctx, await ownProject(ctx, visit), email, null))
    return { to: addressOf(PATH, visit.params), notice: texts(visit.language).removed(email) }
  },
})

/** Project settings → Members. */
export const membersPage = definePage({
  path: PATH,
  menu: { place: 'project settings', rank: 20, label: language => texts(language).title },
  forms: [setForm, removeForm],
  load: visit =>
    visit.read(async ctx => {
      const subject = await readSubject(ctx, visit)
      return { ...subject, members: await readMembers(ctx, subject.project) }
    }),
  title: ({ language }, { project }) => `${texts(language).title} – ${project.key}`,
  view(visit, { project, role, members }) {
    const t = texts(visit.language)
    if (project.isInbox) {
      return html`<h1>${t.title}</h1>
        <p>${t.inbox}</p>`
    }
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${members.length === 0 ? html`<p class="quiet">${t.none}</p>` : list(visit, members, role === 'owner')}
      ${
        role === 'owner' &&
        html`<div class="card">
          <h2>${t.add}</h2>
          ${formView(
            visit,
            setForm,
            visit.params,
            form =>
              html`${form.input('email', { label: t.email, hint: t.emailHint, type: 'email', maxlength: 254 })}
                ${form.radios('role', { label: t.role, value: 'editor', options: t.roles, hints: t.hints })}
                <p class="actions">${form.submit(t.add)}</p>`,
          )}
        </div>`
      }`
  },
})

function list(visit: UserVisit, members: readonly Member[], editable: boolean): Html {
  const t = texts(visit.language)
  return table(t.title, members, [
    { title: t.member, cell: ({ name, email }) => html`${name || email}<br /><span class="quiet">${email}</span>` },
    { title: t.role, cell: ({ role }) => t.roles[role] },
    ...(editable
      ? [
          {
            title: t.action,
            cell: ({ email, role }: Member) =>
              html`${formView(
                visit,
                setForm,
                visit.params,
                form =>
                  html`${form.hidden('email', email)}${form.hidden('role', role === 'editor' ? 'viewer' : 'editor')}
                  ${form.submit(`${t.role}: ${t.roles[role === 'editor' ? 'viewer' : 'editor']}`, { kind: 'plain', about: email })}`,
                { inline: true },
              )}
              ${formView(
                visit,
                removeForm,
                visit.params,
                form => html`${form.hidden('email', email)}${form.submit(t.remove, { kind: 'danger', about: email })}`,
                { inline: true },
              )}`,
          },
        ]
      : []),
  ])
}
