import type { FastifyInstance } from 'fastify'
import type { HostServices } from 'tasuki/plugin'
import { findSession } from './auth/sessions.ts'
import { sendError } from './error-pages.ts'
import { partTexts } from './ui/texts.ts'
import { findOpenVisit } from './visit.ts'

/** Maximum size of a posted form in bytes. */
export const FORM_BYTES = 300_000
/** Forms of this size are always read: as many as there may be connections fit into memory. */
const SMALL_BYTES = 8000
/** Bytes of larger forms that a user, or strangers together, may have open at once. */
const OPEN_BYTES = 30_000_000

/**
 * Limits the memory of large forms. Anybody may send one: it is read before the session is known, so that its text can be shown again after
 * the session has ended. What strangers hold open keeps no user from sending theirs.
 */
export function limitLargeForms(app: FastifyInstance, services: HostServices): void {
  const openOf = new Map<string, number>()
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST') return undefined
    const { 'content-length': length } = request.headers
    const size = length === undefined ? FORM_BYTES : Number(length)
    // Longer ones are refused, or are files, which are read after the session.
    if (size <= SMALL_BYTES || size > FORM_BYTES) return undefined
    const holder = (await findSession({ services, request }))?.userId ?? 'strangers'
    if (reply.raw.closed) return undefined
    const open = openOf.get(holder) ?? 0
    if (open + size > OPEN_BYTES) {
      const visit = findOpenVisit({ services, request, reply }, 'portal large form')
      const { errors } = partTexts(visit.language)
      return sendError(visit, 503, errors.away, errors.busyText, { headers: { 'retry-after': '10' } })
    }
    openOf.set(holder, open + size)
    reply.raw.once('close', () => {
      const left = openOf.get(holder)! - size
      if (left > 0) openOf.set(holder, left)
      else openOf.delete(holder)
    })
    return undefined
  })
}
