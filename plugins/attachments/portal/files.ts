import { addressOf, defineRedirect, defineTexts, html, idOf, itemPanels, sizeText } from '../../portal/index.ts'
import { requireStored } from '../attachment.service.ts'
import { type AttachmentRecord } from '../attachment.ts'
import { downloadLink } from '../download-link.ts'

const texts = defineTexts({ attachments: 'Files' }, { ja: { attachments: 'ファイル' } })

const FILE = '/files/:id'

/** Redirects to a short-lived URL of the file. */
export const filePage = defineRedirect({
  path: FILE,
  to: ({ params, read }) =>
    read(async ctx => {
      const { ownerId, attachment } = await requireStored(ctx, idOf(params))
      return downloadLink(ctx, { ownerId, id: attachment.id }).url
    }),
})

export const filesPanel = itemPanels<readonly AttachmentRecord[]>({
  rank: 30,
  load: (_ctx, { sections }) => (sections['attachments'] ?? []) as readonly AttachmentRecord[],
  view(visit, _item, files) {
    if (files.length === 0) return null
    return html`<h2>${texts(visit.language).attachments}</h2>
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
