import { callTool } from 'tasuki/plugin'
import { definePage, defineTexts, html, readSubject, table } from '../../portal/index.ts'
import { projectCustomFieldsList } from '../tools/project_custom_fields_list.ts'

const texts = defineTexts(
  {
    title: 'Fields',
    lead: 'Additional fields of the items in this project. Apps define them.',
    none: 'None yet.',
    label: 'Field',
    key: 'Key',
  },
  {
    ja: {
      title: 'フィールド',
      lead: 'このプロジェクトのタスクやノートに追加されたフィールドです。定義はアプリから行います。',
      none: 'まだありません。',
      label: 'フィールド',
      key: 'キー',
    },
  },
)

/** Project settings → Fields. */
export const customFieldsPage = definePage({
  path: '/projects/:key/fields',
  menu: { place: 'project settings', rank: 60, label: language => texts(language).title },
  load: visit =>
    visit.read(async ctx => ({
      ...(await readSubject(ctx, visit)),
      fields: (await callTool(projectCustomFieldsList, ctx, { project_key: visit.params['key']! })).custom_fields,
    })),
  title: ({ language }, { project }) => `${texts(language).title} – ${project.key}`,
  view(visit, { fields }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${
        fields.length === 0
          ? html`<p class="quiet">${t.none}</p>`
          : table(t.title, fields, [
              { title: t.label, cell: ({ label }) => label },
              { title: t.key, cell: ({ field_key: key }) => html`<code>${key}</code>` },
            ])
      }`
  },
})
