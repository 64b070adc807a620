import { defineTool, guarded, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { attachmentSchema } from '../attachment.ts'
import { FILENAME_MAX, safeFilename } from '../filename.ts'
import { minutesFrom, signLink } from '../links.ts'
import { requireAllowedType } from '../media-type.ts'
import { parentParams, requireParent, restrictKinds } from '../parents.ts'
import { tooLarge } from '../receive.ts'
import { INLINE_LIMIT, UPLOAD_LIMIT, UPLOAD_MINUTES } from '../settings.ts'
import { addFile, storeBytes, type Upload } from '../upload.ts'

const Input = Type.Object({
  ...parentParams,
  filename: Type.String({ minLength: 1, maxLength: FILENAME_MAX, description: 'With extension.' }),
  mime_type: Type.String({ description: 'Image, PDF, text, CSV, JSON, zip, Office XML.' }),
  // Above the limit, so that the tool's own error can point to the upload URL.
  content_base64: Type.Optional(
    guarded(Type.String({ description: 'Up to 5 MB decoded.' }), { maxLength: 2 * INLINE_LIMIT }),
  ),
  declared_byte_size: Type.Optional(guarded(Type.Integer({ description: 'Checks the quota early.' }), { minimum: 0 })),
})

export const attachmentsUpload = defineTool({
  name: 'attachments_upload',
  class: 'W',
  title: 'Upload attachment',
  summary: 'Attaches a file from content_base64; without it returns upload_url for one PUT of the bytes, up to 100 MB.',
  rank: 700,
  input: all => restrictKinds(Input, all),
  output: {
    attachment: attachmentSchema,
    upload_url: Type.Optional(Type.String()),
    method: Type.Optional(Type.String()),
    max_bytes: Type.Optional(Type.Integer()),
    expires_at: Type.Optional(Type.String()),
    changed: Type.Array(Type.String()),
  },
  async run(ctx, input) {
    const filename = safeFilename(input.filename)
    const { type, family } = requireAllowedType(input.mime_type)
    const bytes = input.content_base64 === undefined ? null : decodeBase64(input.content_base64)
    const declared = input.declared_byte_size ?? null
    if (declared !== null && declared > UPLOAD_LIMIT) throw tooLarge(UPLOAD_LIMIT, 'declared_byte_size')
    const parent = await requireParent(ctx, input)
    const upload = { parentKind: input.parent_kind, parent, filename, mimeType: type }
    if (!bytes) return offerAddress(ctx, upload, declared)
    return { attachment: await storeBytes(ctx, upload, family, bytes), changed: ['attachment'] }
  },
})

async function offerAddress(ctx: WriteContext, upload: Upload, size: number | null) {
  const expiresAt = minutesFrom(ctx, UPLOAD_MINUTES)
  const { file, attachment } = await addFile(ctx, { ...upload, size, expiresAt })
  return {
    attachment,
    upload_url: signLink(ctx.deployment, 'upload', file, expiresAt),
    method: 'PUT',
    max_bytes: UPLOAD_LIMIT,
    expires_at: expiresAt.toISOString(),
    changed: [],
  }
}

/** Decoding ten megabytes and encoding them again holds the process for 40 ms: too long a text is refused before, the rest only decoded. */
function decodeBase64(text: string): Buffer {
  const plain = text.replace(/\s+/g, '')
  const end = plain.indexOf('=')
  const digits = end === -1 ? plain : plain.slice(0, end)
  if (Math.floor((digits.length * 3) / 4) > INLINE_LIMIT) throw tooLargeInline()
  // Decoding skips invalid characters, and bits beyond the last byte.
  const last = digits.slice(digits.length - (digits.length % 4))
  const exact = Buffer.from(last, 'base64').toString('base64url') === last.replaceAll('+', '-').replaceAll('/', '_')
  if (exact && !/[^\w+/-]/.test(digits) && (end === -1 || !/[^=]/.test(plain.slice(end))))
    return Buffer.from(digits, 'base64')
  throw new ToolError('invalid_argument', 'content_base64 is not base64.', {
    field: 'content_base64',
    hint: 'Encode the bytes of the file by RFC 4648, without a data: prefix.',
  })
}

function tooLargeInline(): ToolError {
  return new ToolError('limit_exceeded', `content_base64 decodes to more than ${INLINE_LIMIT} bytes.`, {
    field: 'content_base64',
    hint: 'Leave content_base64 out and send the bytes by PUT to the upload_url that comes back.',
    details: { max_bytes: INLINE_LIMIT },
  })
}
