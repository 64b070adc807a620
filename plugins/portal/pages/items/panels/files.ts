import { downloadLink, requireStored, type AttachmentRecord } from '../../../../attachments/index.ts'
import { html } from '../../../html.ts'
import type { Language } from '../../../language.ts'
import { definePage, Redirect } from '../../../page.ts'
import { itemPanels, portalPages } from '../../../points.ts'
import { addressOf } from '../../../ui/form.ts'
import { itemTexts } from '../texts.ts'

const FILE = '/files/:id'

/** Leads to the file by an address that works for some minutes. */
const filePage = definePage({
  path: FILE,
  load: ({ params, read }) =>
    read(async ctx => {
      const { ownerId, attachment } = await requireStored(ctx, params['id']!)
      return new Redirect(downloadLink(ctx, { ownerId, id: attachment.id }).url)
    }),
  title: () => '',
  view: () => html``,
})

const panel = itemPanels<readonly AttachmentRecord[]>({
  rank: 30,
  load: (_ctx, { sections }) => (sections['attachments'] ?? []) as readonly AttachmentRecord[],
  view(visit, _item, files) {
    if (files.length === 0) return null
    return html`<h2>${itemTexts(visit.language).attachments}</h2>
      <ul class="rows">
        ${files.map(
          file =>
            html`<li>
              <a href="${addressOf(FILE, { id: file.id })}">${file.filename}</a>
              <span class="quiet">${file.mime_type}, ${sizeText(visit.language, file.size)}</span>
            </li>`,
        )}
      </ul>`
  },
})

const UNITS = [
  { unit: 'megabyte', size: 1e6 },
  { unit: 'kilobyte', size: 1000 },
  { unit: 'byte', size: 1 },
] as const

function sizeText(language: Language, bytes: number): string {
  const { unit, size } = UNITS.find(each => bytes >= each.size) ?? UNITS.at(-1)!
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'narrow',
    maximumFractionDigits: 1,
  }).format(bytes / size)
}

export const filesPanel = [panel, portalPages(filePage)]
