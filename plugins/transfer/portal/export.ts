import { Readable } from 'node:stream'
import { dateOf, type WriteContext } from 'tasuki/plugin'
import { addressOf, addressWith, defineForm, defineProjectPage, fields, html, pageLinks } from '../../portal/index.ts'
import type { UserVisit } from '../../portal/index.ts'
import { requireProject } from '../../projects/index.ts'
import { exported } from '../audit.ts'
import { exportPage, type ExportChoice, type ExportedPage } from '../export/export.ts'
import { EXPORT_FORMATS, exportFormats } from '../export/formats.ts'
import { texts } from './export-texts.ts'

const PATH = '/projects/:key/export'

const exportForm = defineForm({
  path: PATH,
  fields: { q: fields.text({ max: 2000, optional: true }), format: fields.singleChoice(EXPORT_FORMATS) },
  refusals: { en: { 'invalid_query q': '' }, ja: { 'invalid_query q': 'この絞り込みは読み取れません。' } },
  async run(visit, { q, format }) {
    const choice = { project: visit.params['key']!, filter: q, format, field: 'q' }
    // The first page is read before the response starts, so that errors can still be sent.
    const first = await visit.write(ctx => beginExport(ctx, choice))
    const { extension, mediaType } = exportFormats[format]
    const name = `${visit.params['key']!.replaceAll(/[^\w.-]+/g, '_')}-${dateOf(visit.now.getTime())}.${extension}`
    return { file: { name, type: mediaType, bytes: Readable.from(pagesFrom(visit, choice, first)) } }
  },
})

/** Reads the first page and records the export. */
async function beginExport(
  ctx: WriteContext,
  choice: ExportChoice & { readonly project: string },
): Promise<ExportedPage> {
  const { format, filter } = choice
  const page = await exportPage(ctx, choice, null)
  const { id, key } = await requireProject(ctx, choice.project)
  ctx.audit({
    action: exported,
    target: { kind: 'project', id, name: key },
    details: { format, filter, items: page.next?.total ?? page.done },
  })
  return page
}

/** Yields the texts of all pages; each is read after the previous one was sent. */
async function* pagesFrom(visit: UserVisit, choice: ExportChoice, first: ExportedPage): AsyncGenerator<Buffer> {
  for (let page = first; ;) {
    yield Buffer.from(page.text)
    const { next } = page
    if (!next) return
    page = await visit.readWhileSignedIn(ctx => exportPage(ctx, choice, next))
  }
}

/** Project settings → Export. */
export const exportProjectPage = defineProjectPage({
  path: PATH,
  menu: { place: 'project settings', rank: 80 },
  name: language => texts(language).title,
  forms: [exportForm],
  view(visit) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p>${t.lead}</p>
      ${exportForm.view(
        visit,
        form =>
          html`${form.input('q', {
            label: t.filter,
            hint: t.filterHint,
            value: visit.query['q'] ?? '',
            optional: true,
            code: true,
          })}
          ${form.radios('format', { label: t.format, value: 'csv', options: t.formats, hints: t.hints })}`,
        { submit: t.download },
      )}`
  },
})

/** On the board: exports its items, with its filter. */
export const exportOfBoard = pageLinks({
  page: '/projects/:key/board',
  label: language => texts(language).link,
  to: ({ params, query }) => addressWith(addressOf(PATH, params), { q: query['q'] ?? '' }),
})
