import type { FastifyRequest } from 'fastify'
import { joinChunks, type HostServices } from 'tasuki/plugin'
import type { Body, Fields, Files, UploadedFile } from './fields.ts'

/** The content of a posted form. */
export interface Posted {
  readonly body: Body
  readonly files: Files
}

/** Returns whether a form has file fields, and is sent as `multipart/form-data`. */
export const hasFileFields = (fields: Fields): boolean => Object.values(fields).some(({ mostBytes }) => mostBytes)

/** Limits of a posted form: the number of fields, bytes per field, and the number of files. */
const LIMITS = { fields: 100, fieldSize: 100_000, files: 5 } as const

/**
 * Reads a posted form. File bytes are kept only if `isProven` accepts the fields before them.
 * @throws an error with a status below 500 for an invalid body
 */
export async function readPostedForm(
  services: HostServices,
  request: FastifyRequest,
  fields: Fields,
  isProven: (body: Body) => boolean,
): Promise<Posted> {
  if (!hasFileFields(fields) || !request.isMultipart()) return { body: (request.body ?? {}) as Body, files: {} }
  const body: Record<string, string[]> = {}
  const files: Record<string, UploadedFile[]> = {}
  try {
    const fileSize = Math.max(...Object.values(fields).map(({ mostBytes }) => mostBytes?.(services) ?? 0))
    for await (const part of request.parts({ limits: { ...LIMITS, fileSize } })) {
      if (part.type === 'field') (body[part.fieldname] ??= []).push(String(part.value))
      else if (Object.hasOwn(fields, part.fieldname) && isProven(body)) {
        const bytes = await joinChunks(part.file)
        // Browsers send an empty, nameless file if none was chosen.
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
