import {
  addressOf,
  card,
  codeBlock,
  defineForm,
  defineProjectForm,
  defineProjectPage,
  fields,
  html,
  formatInstant,
  ownProject,
  tableOr,
} from '../../portal/index.ts'
import { readLinks } from '../link.repository.ts'
import { HOSTS, linkRepository, unlinkRepository } from '../links.ts'
import { texts } from './links-texts.ts'

const HOST_NAMES = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea', bitbucket: 'Bitbucket' } as const

const PATH = '/projects/:key/code'

const linkForm = defineForm({
  path: PATH,
  fields: { host: fields.singleChoice(HOSTS), repository: fields.text({ max: 200 }) },
  refusals: {
    en: {
      'invalid_argument repository': 'Write both, for example acme/shop.',
      'conflict repository': 'Unlink it first to get a new secret.',
      'limit_exceeded repository':
        'You have as many links as are allowed. Unlink a repository first, or ask the operator.',
    },
    ja: {
      'invalid_argument repository': '所有者と名前を / で区切って入力してください（例: acme/shop）。',
      'conflict repository':
        'このリポジトリとはすでに連携しています。新しいシークレットが必要な場合は、先に連携を解除してください。',
      'limit_exceeded repository':
        '連携の数が上限に達しました。先に別のリポジトリの連携を解除するか、運用者に相談してください。',
    },
  },
  async run(visit, { host, repository }) {
    const t = texts(visit.language)
    const created = await visit.write(async ctx => linkRepository(ctx, await ownProject(ctx, visit), host, repository))
    // No redirect: the next page could show the secret only if it were stored in plain text.
    const view = html`<h1>${t.linkedTitle}</h1>
      <p>${t.linkedText}</p>
      <h2>${t.address}</h2>
      ${codeBlock(created.url)}
      <h2>${t.secret}</h2>
      ${codeBlock(created.secret)}
      <p>${t.once}</p>
      <p><a class="button" href="${addressOf(PATH, visit.params)}">${t.done}</a></p>`
    return { title: t.linkedTitle, view }
  },
})

const unlinkForm = defineProjectForm({
  path: '/projects/:key/code/:id/unlink',
  fields: {},
  to: PATH,
  run: (ctx, { ownerId }, _input, { params }) => unlinkRepository(ctx, ownerId, params['id']!),
  notice: language => texts(language).unlinked,
})

/** Project settings → Code: repositories whose commits are shown with items. */
export const codePage = defineProjectPage({
  name: language => texts(language).title,
  path: PATH,
  menu: { place: 'project settings', rank: 70 },
  forms: [linkForm, unlinkForm],
  load: async (ctx, { project }) => ({ links: await readLinks(ctx, project) }),
  view(visit, { role, links }) {
    const t = texts(visit.language)
    const owns = role === 'owner'
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${tableOr(t.none, t.title, links, [
        { title: t.repository, cell: ({ repository }) => repository },
        { title: t.host, cell: ({ host }) => HOST_NAMES[host] },
        { title: t.since, cell: ({ createdAt }) => formatInstant(visit, createdAt) },
        owns && {
          title: t.action,
          cell: ({ id, repository }) =>
            unlinkForm.button(visit, t.unlink, { params: { id }, kind: 'danger', about: repository }),
        },
      ])}
      ${
        owns
          ? card(
              t.link,
              linkForm.view(
                visit,
                form =>
                  html`${form.select('host', { label: t.host, options: HOST_NAMES })}
                  ${form.input('repository', { label: t.repository, hint: t.repositoryHint, code: true })}`,
                { submit: t.link },
              ),
            )
          : html`<p class="quiet">${t.guest}</p>`
      }`
  },
})
