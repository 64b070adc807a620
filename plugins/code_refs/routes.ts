import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { isUuid, joinChunks, type HostServices } from 'tasuki/plugin'
import { findWebhookLink, type WebhookLink } from './link.repository.ts'
import { HOSTS, type HostName } from './links.ts'
import { FORM } from './read-delivery.ts'
import { receiveDelivery } from './read-thread.ts'
import { storeChanges } from './receive.ts'
import { unseal } from './secret.ts'

/** Maximum size of a webhook in bytes: hosts send at most 25 MB of JSON, which form encoding may triple. */
const BODY_LIMIT = 25 * 1024 * 1024
const REFUSED = { error: 'The signature is missing or wrong.' }
const UNREADABLE = {
  error: 'The body is not JSON, or too complex; choose the content type application/json, or a form with a payload.',
}

const isHostName = (name: string): name is HostName => HOSTS.some(host => host === name)

const readUpTo = (most: number) => (_request: FastifyRequest, body: Readable) => joinChunks(body, most)

/** Receives webhooks. An unknown link and a wrong signature get the same response, so that links cannot be guessed. */
export function routes(app: FastifyInstance, services: HostServices): void {
  const found = new WeakMap<FastifyRequest, WebhookLink & { readonly key: string }>()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', readUpTo(BODY_LIMIT))
  app.addContentTypeParser(FORM, readUpTo(3 * BODY_LIMIT))
  app.setErrorHandler(services.answerRouteError)
  app.post('/hooks/:host/:link', {
    // Before the body is read, to limit what strangers can send.
    async onRequest(request, reply) {
      const { host, link: id } = request.params as { host: string; link: string }
      const link =
        isHostName(host) && isUuid(id)
          ? await services.read({ userId: null, name: 'code_refs.webhook', requestId: request.id }, ctx =>
              findWebhookLink(ctx, host, id),
            )
          : undefined
      const key = link && unseal(services, link.secret)
      if (!link || !key) return reply.code(401).send(REFUSED)
      found.set(request, { ...link, key })
    },
    async handler(request, reply) {
      const link = found.get(request)!
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const delivery = await receiveDelivery({ host: link.host, headers: request.headers, body, secret: link.key })
      if (delivery === 'unsigned') return reply.code(401).send(REFUSED)
      if (delivery === 'unreadable') return reply.code(400).send(UNREADABLE)
      return services.write({ userId: link.ownerId, name: 'code_refs.webhook', requestId: request.id }, ctx =>
        storeChanges(ctx, link, delivery),
      )
    },
  })
}
