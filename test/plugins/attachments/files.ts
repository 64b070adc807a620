import { crc32, deflateSync } from 'node:zlib'

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  const sum = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Makes a PNG image with one grey row of `width` pixels; `noise` makes it incompressible. */
export function png(width = 1, noise?: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width)
  const row = Buffer.concat([Buffer.from([0]), noise ?? Buffer.alloc(width)])
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(row, { level: noise ? 0 : 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')
export const SVG = Buffer.from(
  '<?xml version="1.0"?>\n<!-- a --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
)
export const HTML = Buffer.from('<!doctype html><script>alert(document.domain)</script>')

/** Makes a zip archive with uncompressed entries. */
export function zip(entries: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(entries)) {
    const data = Buffer.from(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), data])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, place, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...directory, end])
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const MAIN = {
  'wordprocessingml.document': 'word/document.xml',
  'spreadsheetml.sheet': 'xl/workbook.xml',
  'presentationml.presentation': 'ppt/presentation.xml',
}

/** Makes a minimal Office Open XML file. */
export function office(kind: keyof typeof MAIN): { readonly type: string; readonly bytes: Buffer } {
  const type = `${OFFICE}.${kind}`
  const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${MAIN[kind]}" ContentType="${type}.main+xml"/></Types>`
  return {
    type,
    bytes: zip({ '[Content_Types].xml': types, '_rels/.rels': '<Relationships/>', [MAIN[kind]]: '<root/>' }),
  }
}

/** One allowed file of each kind, by media type. */
export const SAMPLES: readonly (readonly [type: string, bytes: Buffer])[] = [
  ['image/png', png()],
  ['image/gif', GIF],
  ['image/svg+xml', SVG],
  ['application/pdf', PDF],
  ['text/plain', Buffer.from('plain\r\ntext 🙂\n')],
  ['text/markdown', Buffer.from('# 見出し\n')],
  ['text/csv', Buffer.from('a,b\n1,2\n')],
  ['application/json', Buffer.from('{"a":1}')],
  ['application/zip', zip({ 'a.txt': 'a' })],
  ...(['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'] as const).map(kind => {
    const { type, bytes } = office(kind)
    return [type, bytes] as const
  }),
]
