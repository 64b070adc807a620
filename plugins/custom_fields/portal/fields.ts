import { callTool } from 'tasuki/plugin'
import { defineProjectPage, defineTexts, html, tableOr } from '../../portal/index.ts'
import { projectCustomFieldsList } from '../tools/project_custom_fields_list.ts'

const texts = defineTexts({
  title: { en: 'Fields', ja: 'フィールド' },
  lead: {
    en: 'Additional fields of the items in this project. Apps define them.',
    ja: 'このプロジェクトのタスクやノートに追加されたフィールドです。定義はアプリから行います。',
  },
  label: { en: 'Field', ja: 'フィールド' },
})

/** Project settings → Fields. */
export const customFieldsPage = defineProjectPage({
  name: language => texts(language).title,
  path: '/projects/:key/fields',
  menu: { place: 'project settings', rank: 60 },
  load: async (ctx, _subject, { params }) => callTool(projectCustomFieldsList, ctx, { project_key: params['key']! }),
  view(visit, { custom_fields: fields }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${tableOr(t.none, t.title, fields, [
        { title: t.label, cell: ({ label }) => label },
        { title: t.key, cell: ({ field_key: key }) => html`<code>${key}</code>` },
      ])}`
  },
})
