import { isUtf8 } from 'node:buffer'
import { quoteName, ToolError } from 'tasuki/plugin'

const TEXTS = ['text/plain', 'text/markdown', 'text/csv', 'application/json']
const OFFICE = 'application/vnd.openxmlformats-officedocument.'

/** The value of `allowed` in errors. */
const ALLOWED_TYPES: readonly string[] = [
  'image/*',
  'application/pdf',
  ...TEXTS,
  'application/zip',
  `${OFFICE}wordprocessingml.document`,
  `${OFFICE}spreadsheetml.sheet`,
  `${OFFICE}presentationml.presentation`,
]

/** How the bytes of a type are recognized. */
export type Family = 'text' | 'svg' | 'image' | 'pdf' | 'zip' | 'office'

/** Alternative names of types, with their registered name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/vnd.microsoft.icon', 'image/x-icon'],
  ['image/x-ms-bmp', 'image/bmp'],
  ['image/svg', 'image/svg+xml'],
  ['text/x-markdown', 'text/markdown'],
  ['application/x-zip-compressed', 'application/zip'],
  ['application/x-pdf', 'application/pdf'],
])

/** Types by the extension of a file. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['svg', 'image/svg+xml'],
  ['ico', 'image/x-icon'],
  ['tif', 'image/tiff'],
  ...['png', 'jpeg', 'gif', 'webp', 'bmp', 'avif', 'heic', 'heif', 'tiff'].map(
    name => [name, `image/${name}`] as const,
  ),
  ['pdf', 'application/pdf'],
  ['zip', 'application/zip'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['docx', `${OFFICE}wordprocessingml.document`],
  ['xlsx', `${OFFICE}spreadsheetml.sheet`],
  ['pptx', `${OFFICE}presentationml.presentation`],
])

/** Returns the type of a file that a person chose: by its extension, else plain text if its bytes are text, else the extension itself. */
export function typeOfFile(name: string, bytes: Buffer): string {
  const extension = /\.([^.]+)$/.exec(name)?.[1] ?? ''
  const isText = isUtf8(bytes) && !bytes.includes(0)
  return EXTENSIONS.get(extension.toLowerCase()) ?? (isText ? 'text/plain' : `.${extension}`)
}

/** Normalizes a media type: registered name, lower case, no parameters. */
export function canonicalType(text: string): string {
  const essence = text.split(';', 1)[0]!.trim().toLowerCase()
  return ALIASES.get(essence) ?? essence
}

/** Parses the `mime_type` parameter. @throws ToolError unsupported_media_type for types outside the allowed list */
export function requireAllowedType(text: string): { readonly type: string; readonly family: Family } {
  const type = canonicalType(text)
  const family = familyOf(type)
  if (family) return { type, family }
  throw new ToolError('unsupported_media_type', `Files of type ${quoteName(text)} are not taken.`, {
    field: 'mime_type',
    allowed: ALLOWED_TYPES,
    hint: 'Convert the file to one of the allowed types, or pack it as application/zip.',
  })
}

function familyOf(type: string): Family | null {
  if (type === 'image/svg+xml') return 'svg'
  if (/^image\/[a-z0-9][a-z0-9.+-]*$/.test(type)) return 'image'
  if (type === 'application/pdf') return 'pdf'
  if (type === 'application/zip') return 'zip'
  if (TEXTS.includes(type)) return 'text'
  if (
    /^(wordprocessingml|spreadsheetml|presentationml)\.[a-z]+$/.test(type.slice(OFFICE.length)) &&
    type.startsWith(OFFICE)
  )
    return 'office'
  return null
}

/** Image types without active content: the only files that a browser may display instead of saving. */
export const SAFE_IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Returns the content type for a download: types that a browser could execute or sniff become plain bytes. */
export function toServedType(type: string): string {
  if (type === 'text/plain' || type === 'text/markdown' || type === 'text/csv') return `${type}; charset=utf-8`
  const inert = SAFE_IMAGES.includes(type) || ['application/pdf', 'application/zip', 'application/json'].includes(type)
  return inert ? type : 'application/octet-stream'
}
