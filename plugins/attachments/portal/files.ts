import { ToolError, type WriteContext } from 'tasuki/plugin'
import {
  addressOf,
  defineItemForm,
  defineRedirect,
  defineTexts,
  disclosure,
  fields,
  html,
  idOf,
  ITEM,
  itemPanels,
  megabytes,
  sizeText,
} from '../../portal/index.ts'
import type { UploadedFile } from '../../portal/index.ts'
import { requireStored } from '../attachment.service.ts'
import { type AttachmentRecord } from '../attachment.ts'
import { downloadLink } from '../download-link.ts'
import { safeFilename } from '../filename.ts'
import { requireAllowedType, typeOfFile } from '../media-type.ts'
import { requireParent } from '../parents.ts'
import { FORM_LIMIT } from '../settings.ts'
import { storeBytes } from '../upload.ts'

const texts = defineTexts(
  {
    attachments: 'Files',
    file: 'File',
    hint: (most: string) => `An image, PDF, text, CSV, JSON, zip, Word, Excel or PowerPoint file of at most ${most}.`,
    add: 'Add file',
    added: 'File added.',
  },
  {
    ja: {
      attachments: 'ファイル',
      file: 'ファイル',
      hint: most => `画像、PDF、テキスト、CSV、JSON、zip、Word、Excel、PowerPointのファイル（${most}まで）。`,
      add: 'ファイルを追加',
      added: 'ファイルを追加しました。',
    },
  },
)

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

/** Puts a file on the item of the page. */
export const addForm = defineItemForm({
  path: `${ITEM}/files`,
  to: `${ITEM}#files`,
  fields: { file: fields.file({ most: () => FORM_LIMIT }) },
  run: (ctx, ref, { file }) => attach(ctx, ref, file),
  notice: language => texts(language).added,
})

async function attach(ctx: WriteContext, ref: string, { name, bytes }: UploadedFile): Promise<void> {
  const parent = await requireParent(ctx, { parent_kind: 'item', parent_ref: ref })
  try {
    const { type, family } = requireAllowedType(typeOfFile(name, bytes))
    await storeBytes(ctx, { parentKind: 'item', parent, filename: safeFilename(name), mimeType: type }, family, bytes)
  } catch (error) {
    // The form has one field, where the tool has several.
    if (error instanceof ToolError) throw new ToolError(error.code, error.message, { ...error.help, field: 'file' })
    throw error
  }
}

export const filesPanel = itemPanels<readonly AttachmentRecord[]>({
  rank: 30,
  load: (_ctx, { sections }) => (sections['attachments'] ?? []) as readonly AttachmentRecord[],
  view(visit, { role }, files) {
    if (files.length === 0 && role === 'viewer') return null
    const t = texts(visit.language)
    const hint = t.hint(megabytes(visit.language, FORM_LIMIT))
    return html`<h2 id="files">${t.attachments}</h2>
      ${
        files.length > 0 &&
        html`<ul class="rows">
          ${files.map(
            file =>
              html`<li>
                <a href="${addressOf(FILE, { id: file.id })}">${file.filename}</a>
                <span class="quiet">${file.mime_type}, ${sizeText(visit.language, file.size)}</span>
              </li>`,
          )}
        </ul>`
      }
      ${
        role !== 'viewer' &&
        disclosure(
          visit,
          t.add,
          addForm.view(visit, form => form.file('file', { label: t.file, hint }), { submit: t.add }),
        )
      }`
  },
})
