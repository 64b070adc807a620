import type { FastifyInstance } from 'fastify'
import { RequestRefusal } from './request-refusal.ts'

/** Rejects requests on open connections during the shutdown; a proxy then tries another instance. */
export function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => void (closing = true))
  app.addHook('onRequest', (_request, _reply, done) => {
    if (closing) throw new RequestRefusal(503, 'unavailable', 'The service is stopping', { 'retry-after': '2' })
    done()
  })
}
