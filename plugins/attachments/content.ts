import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { ToolError } from 'tasuki/plugin'
import { canonicalType, type Family } from './media-type.ts'

/** Rejects a file whose bytes do not match its declared type. @throws ToolError unsupported_media_type */
export async function checkContent(path: string, type: string, family: Family): Promise<void> {
  const problem = await problemOf(path, type, family)
  if (problem === null) return
  throw new ToolError('unsupported_media_type', `The file is not ${type}: ${problem}.`, {
    field: 'mime_type',
    hint: 'Declare the type that the bytes have; text has to be UTF-8.',
  })
}

async function problemOf(path: string, type: string, family: Family): Promise<string | null> {
  switch (family) {
    case 'text':
      return textProblem(path)
    case 'svg':
      return (await textProblem(path)) ?? (SVG.test(await readBeginning(path)) ? null : 'it does not begin with <svg>')
    case 'zip':
      return ZIP.includes((await readBeginning(path)).slice(0, 4)) ? null : 'it has no zip signature'
    case 'pdf':
    case 'image':
    case 'office': {
      // Imported on first use, to keep it out of the startup time.
      const { fileTypeFromFile } = await import('file-type')
      const found = await fileTypeFromFile(path)
      if (!found) return 'no known signature was found'
      const is = canonicalType(found.mime)
      const same = is === type || (family === 'office' && dialect(is) === dialect(type)) || equals(is, type)
      return same ? null : `its bytes are ${is}`
    }
  }
}

/** Signatures of a zip with entries, and of an empty one. */
const ZIP = ['PK\u0003\u0004', 'PK\u0005\u0006']
/** The root element, after everything that XML allows before it. */
const SVG =
  /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:(?:<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>)\s*)*<svg[\s>/]/

/** Documents and templates of one application differ in one entry only. */
const dialect = (type: string): string => type.split('.').slice(0, -1).join('.')

/** HEIF and HEIC are one container; an animated PNG is a PNG. */
function equals(found: string, declared: string): boolean {
  if (found === 'image/apng') return declared === 'image/png'
  return /^image\/hei[cf]/.test(found) && /^image\/hei[cf]/.test(declared)
}

async function readBeginning(path: string): Promise<string> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
  return new TextDecoder().decode(buffer.subarray(0, bytesRead))
}

async function textProblem(path: string): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      if (chunk.includes(0)) return 'it holds bytes that text has not'
      decoder.decode(chunk, { stream: true })
    }
    decoder.decode()
    return null
  } catch (error) {
    if (error instanceof TypeError) return 'it is not UTF-8'
    throw error
  }
}
