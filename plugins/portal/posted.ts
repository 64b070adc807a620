import type { FastifyRequest } from 'fastify'
import type { HostServices } from 'tasuki/plugin'
import type { Body, Fields, Files, UploadedFile } from './fields.ts'

/** What a form posted. */
export interface Posted {
  readonly body: Body
  readonly files: Files
}

/** Whether a form takes files, and is sent as `multipart/form-data`. */
export const takesFiles = (fields: Fields): boolean => Object.values(fields).some(({ mostBytes }) => mostBytes)

/** Parts of a posted form, and bytes of each that is no file. */
const MOST = { fields: 100, fieldSize: 100_000, files: 5 } as const

/**
 * Reads what a form posted. The bytes of files are kept only where `isProven` says so of what stands before them in the form.
 * @throws an error with a status below 500 for a body that cannot be read
 */
export async function readPosted(
  services: HostServices,
  request: FastifyRequest,
  fields: Fields,
  isProven: (body: Body) => boolean,
): Promise<Posted> {
  if (!takesFiles(fields) || !request.isMultipart()) return { body: (request.body ?? {}) as Body, files: {} }
  const body: Record<string, string[]> = {}
  const files: Record<string, UploadedFile[]> = {}
  const own = (name: string): boolean => Object.hasOwn(fields, name)
  try {
    const fileSize = Math.max(...Object.values(fields).map(({ mostBytes }) => mostBytes?.(services) ?? 0))
    for await (const part of request.parts({ limits: { ...MOST, fileSize } })) {
      if (part.type === 'field') (body[part.fieldname] ??= []).push(String(part.value))
      else if (own(part.fieldname) && isProven(body)) {
        const chunks: Buffer[] = []
        for await (const chunk of part.file as AsyncIterable<Buffer>) chunks.push(chunk)
        const bytes = Buffer.concat(chunks)
        // A form without a chosen file sends a nameless one without bytes.
        if (!part.filename && bytes.length === 0) continue
        const { truncated } = part.file
        ;(files[part.fieldname] ??= []).push({ name: part.filename, bytes, ...(truncated && { most: fileSize }) })
      } else part.file.resume()
    }
  } catch (error) {
    const { statusCode = 400 } = error as { statusCode?: number }
    throw Object.assign(new Error('the body of a form cannot be read', { cause: error }), { statusCode })
  }
  return { body, files }
}
