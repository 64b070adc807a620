import { quoteName, quoteNameJa } from 'tasuki/plugin'
import {
  addressOf,
  card,
  defineForm,
  definePage,
  defineRedirect,
  defineTexts,
  fields,
  html,
  keyInAddress,
  portalPages,
  table,
} from '../../portal/index.ts'
import type { Html, UserVisit, Visit } from '../../portal/index.ts'
import { roleIn, type Role } from '../access.ts'
import { requireProject } from '../find.ts'
import { readInvitations } from '../invitation.repository.ts'
import { leaveProject } from '../members.ts'
import { readProjects, type ListedProject } from '../project.repository.ts'
import { createProject } from '../write.ts'
import { INVITATIONS } from './invitations.ts'

const texts = defineTexts({
  title: { en: 'Projects', ja: 'プロジェクト' },
  role: { en: 'Your role', ja: '役割' },
  roles: {
    en: { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' },
    ja: { owner: '所有者', editor: '編集者', viewer: '閲覧者' },
  },
  sharedBy: { en: (owner: string) => `shared by ${owner}`, ja: owner => `${owner} が共有` },
  inbox: { en: 'Items that are not in a project yet', ja: 'まだプロジェクトに入っていないタスクとノート' },
  archived: { en: 'Archived projects', ja: 'アーカイブ済みのプロジェクト' },
  create: { en: 'Create a project', ja: 'プロジェクトを作成' },
  keyHint: {
    en: 'Short, upper case, e.g. APP. Items are numbered APP#12. Cannot be changed later.',
    ja: '短い大文字の名前。例: APP。タスクとノートの番号は APP#12 のようになります。後から変更できません。',
  },
  created: { en: (key: string) => `Project ${key} created.`, ja: key => `プロジェクト ${key} を作成しました。` },
  leave: { en: 'Leave', ja: '退出する' },
  left: { en: (name: string) => `You left ${quoteName(name)}.`, ja: name => `${quoteNameJa(name)}から退出しました。` },
  invited: {
    en: (count: number) => (count === 1 ? 'You are invited to a project.' : `You are invited to ${count} projects.`),
    ja: count => `${count} 件のプロジェクトに招待されています。`,
  },
  see: { en: 'See invitations', ja: '招待を見る' },
})

const createForm = defineForm({
  path: '/projects',
  fields: {
    key: fields.text({ max: 64 }),
    name: fields.text({ max: 120 }),
    description: fields.text({ max: 2000, optional: true }),
  },
  refusals: {
    en: {
      'invalid_argument key': 'Use 1 to 16 letters, digits and underscores, the first a letter, for example APP.',
      'conflict key': 'Choose another key; archived projects keep theirs.',
      'limit_exceeded key':
        'You have as many projects as are allowed. Use one of them again, an archived one too, or ask the operator.',
    },
    ja: {
      'invalid_argument key': 'このキーは使えません。英字で始め、英数字と _ を16文字以内で使ってください。例: APP',
      'conflict key':
        '同じキーのプロジェクトがすでにあります。別のキーにしてください。アーカイブ済みのプロジェクトのキーも使えません。',
      'limit_exceeded key':
        'プロジェクトの数が上限に達しました。アーカイブ済みのものも含めて既存のプロジェクトを使うか、運用者に相談してください。',
    },
  },
  async run({ session, write, language }, { key, name, description }) {
    const project = await write(ctx => createProject(ctx, { ownerId: session.userId, key, name, description }))
    return {
      to: addressOf('/projects/:key/settings', { key: project.key }),
      notice: texts(language).created(project.key),
    }
  },
})

const leaveForm = defineForm({
  path: '/projects/:key/leave',
  fields: {},
  async run({ session, params, write, language }) {
    const { name } = await write(async ctx => {
      const project = await requireProject(ctx, params['key']!)
      await leaveProject(ctx, session.userId, project)
      return project
    })
    return { to: '/projects', notice: texts(language).left(name) }
  },
})

interface Listed extends ListedProject {
  readonly role: Role
}

export const projectsPage = definePage({
  path: '/projects',
  name: language => texts(language).title,
  menu: { place: 'main', rank: 10 },
  forms: [createForm, leaveForm],
  load: ({ read, session }) =>
    read(async ctx => ({
      projects: (await readProjects(ctx)).map((project): Listed => ({ ...project, role: roleIn(ctx, project) })),
      invitations: (await readInvitations(ctx, session.email)).length,
    })),
  view(visit, { projects, invitations }) {
    const t = texts(visit.language)
    const open = projects.filter(project => !project.archived)
    const archived = projects.filter(project => project.archived)
    return html`<h1>${t.title}</h1>
      ${invitations > 0 && html`<p class="notice">${t.invited(invitations)} <a href="${INVITATIONS}">${t.see}</a></p>`}
      ${projectTable(visit, t.title, open)}
      ${
        archived.length > 0 &&
        html`<details>
          <summary>${t.archived}</summary>
          <div>${projectTable(visit, t.archived, archived)}</div>
        </details>`
      }
      ${card(
        t.create,
        createForm.view(
          visit,
          form =>
            html`<div class="columns">
                ${form.input('key', { label: t.key, hint: t.keyHint, code: true })}
                ${form.input('name', { label: t.name })}
              </div>
              ${form.area('description', { label: t.description, rows: 2, optional: true })}`,
          { submit: t.create },
        ),
      )}`
  },
})

function projectTable(visit: UserVisit, caption: string, projects: readonly Listed[]): Html {
  const t = texts(visit.language)
  return table(caption, projects, [
    {
      title: t.project,
      cell: project =>
        html`<a href="${addressOf('/projects/:key', { key: keyInAddress(visit, project) })}">${project.name}</a
          ><br /><code>${project.key}</code>`,
    },
    { title: t.description, cell: ({ isInbox, description }) => (isInbox ? t.inbox : description) },
    {
      title: t.role,
      cell: project =>
        html`${t.roles[project.role]}${
          project.role !== 'owner' &&
          html`<br /><span class="quiet">${t.sharedBy(project.owner)}</span>
            ${leaveForm.button(visit, t.leave, { params: { key: keyInAddress(visit, project) }, kind: 'plain', about: project.name })}`
        }`,
    },
  ])
}

/** `/projects/APP` redirects to the first page of the project. */
export const projectPage = defineRedirect({
  path: '/projects/:key',
  to: visit => firstProjectPage(visit, visit.params['key']!),
})

/** Returns the first page of a project: the first entry of its menu. */
function firstProjectPage({ services }: Visit, key: string): string {
  const entries = services.all(portalPages).flatMap(({ menu, path }) => (menu ? [{ ...menu, path }] : []))
  const [first] = ['project', 'project settings'].flatMap(place =>
    entries.filter(entry => entry.place === place).sort((a, b) => a.rank - b.rank),
  )
  return addressOf(first!.path, { key })
}
