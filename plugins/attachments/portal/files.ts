import { quoteName, quoteNameJa, ToolError, type WriteContext } from 'tasuki/plugin'
import {
  addressOf,
  defineItemForm,
  defineRedirect,
  defineTexts,
  deletion,
  disclosure,
  fields,
  html,
  idOf,
  ITEM,
  itemPanels,
  joinSentences,
  megabytes,
  Refusal,
  sizeText,
} from '../../portal/index.ts'
import type { Html, UploadedFile, UserVisit } from '../../portal/index.ts'
import { deleteFile } from '../attachment.repository.ts'
import { requireStored } from '../attachment.service.ts'
import { type AttachmentRecord } from '../attachment.ts'
import { downloadLink } from '../download-link.ts'
import { safeFilename } from '../filename.ts'
import { requireAllowedType, typeOfFile } from '../media-type.ts'
import { requireParent } from '../parents.ts'
import { FORM_LIMIT } from '../settings.ts'
import { recordFileChange, storeBytes } from '../upload.ts'

const texts = defineTexts({
  attachments: { en: 'Files', ja: 'ファイル' },
  hint: {
    en: (most: string) => `An image, PDF, text, CSV, JSON, zip, Word, Excel or PowerPoint file of at most ${most}.`,
    ja: most => `画像、PDF、テキスト、CSV、JSON、zip、Word、Excel、PowerPointのファイル（${most}まで）。`,
  },
  add: { en: 'Add file', ja: 'ファイルを追加' },
  added: { en: 'File added.', ja: 'ファイルを追加しました。' },
  deleteText: {
    en: (name: string, size: string) => `Once deleted, ${quoteName(name)} (${size}) cannot be restored.`,
    ja: (name, size) => `${quoteNameJa(name)}（${size}）を削除すると、元に戻せません。`,
  },
  isNamed: {
    en: 'The description of this item names it and does not change.',
    ja: 'この項目の説明にこのファイルの名前がありますが、説明は変わりません。',
  },
  deleted: { en: 'File deleted.', ja: 'ファイルを削除しました。' },
  gone: { en: 'The file has already been deleted.', ja: 'このファイルはすでに削除されています。' },
})

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

/** Deletes a file of the item. */
export const deleteForm = defineItemForm({
  path: `${ITEM}/files/:id/delete`,
  to: `${ITEM}#files`,
  fields: {},
  async run(ctx, ref, _input, { params, language }) {
    const parent = await requireParent(ctx, { parent_kind: 'item', parent_ref: ref })
    const filename = await deleteFile(ctx, parent, idOf(params))
    if (filename === null) throw new Refusal({ '': texts(language).gone }, 409)
    await recordFileChange(ctx, parent, { kind: 'attachment.deleted', from: filename })
  },
  notice: language => texts(language).deleted,
})

export const filesPanel = itemPanels<readonly AttachmentRecord[]>({
  rank: 30,
  load: (_ctx, { sections }) => (sections['attachments'] ?? []) as readonly AttachmentRecord[],
  view(visit, { role, fields: { detail = '' } }, files) {
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
                ${role !== 'viewer' && deleteView(visit, file, detail)}
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

function deleteView(visit: UserVisit, { id, filename, size }: AttachmentRecord, detail: string): Html {
  const t = texts(visit.language)
  const isNamed = detail.includes(filename) || detail.includes(id)
  const text = t.deleteText(filename, sizeText(visit.language, size))
  const lost = joinSentences(visit.language, text, isNamed && t.isNamed)
  return deletion(visit, deleteForm, { about: filename, lost, params: { id } })
}
