import { formatCount, quoteName } from 'tasuki/plugin'
import { html } from '../portal/index.ts'
import { notificationTranslations, notify } from '../workspace/index.ts'
import { importEnded } from './points.ts'

const address = (id: string): string => `/imports/${id}`

/** Notifies a user that their import has ended. */
const notifyEnded = importEnded(async (ctx, { userId, id, file, project, state, created, problems }) => {
  const { href } = new URL(address(id), ctx.deployment.baseUrl())
  await notify(ctx, [
    {
      userId,
      kind: `import.${state}`,
      title: state === 'done' ? `Imported ${quoteName(file)}` : `The import of ${quoteName(file)} stopped`,
      body:
        state === 'done'
          ? `${formatCount(created, 'item was', 'items were')} imported into ${project?.key}, with ${formatCount(problems, 'remark')}: ${href}`
          : `${formatCount(created, 'item was', 'items were')} imported; what stopped it is said here: ${href}`,
      ...(project && { project }),
      data: { import_id: id, file, created, problems, ...(project && { project_key: project.key }) },
    },
  ])
})

interface Facts {
  readonly import_id: string
  readonly file: string
  readonly created: number
  readonly problems: number
  readonly project_key?: string
}
const resultLink = (id: string) => html`<a href="${address(id)}">結果を見る</a>`

export const contributions = [
  notifyEnded,
  notificationTranslations({
    kind: 'import.done',
    translate(_language, { data }) {
      const { import_id: id, file, created, problems, project_key: key } = data as unknown as Facts
      return {
        title: `${quoteName(file)} のインポートが完了しました`,
        body: html`${key} に${created}件を取り込みました（注記 ${problems}件）。${resultLink(id)}`,
      }
    },
  }),
  notificationTranslations({
    kind: 'import.failed',
    translate(_language, { data }) {
      const { import_id: id, file, created } = data as unknown as Facts
      return {
        title: `${quoteName(file)} のインポートが停止しました`,
        body: html`${created}件まで取り込みました。${resultLink(id)}`,
      }
    },
  }),
]
