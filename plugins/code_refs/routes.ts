import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUuid, type HostServices } from 'tasuki/plugin'
import { bitbucket } from './hosts/bitbucket.ts'
import { readObject, type CodeHost } from './hosts/delivery.ts'
import { gitea } from './hosts/gitea.ts'
import { github } from './hosts/github.ts'
import { gitlab } from './hosts/gitlab.ts'
import { findWebhookLink, type WebhookLink } from './link.repository.ts'
import type { HostName } from './links.ts'
import { storeChanges } from './receive.ts'
import { unseal } from './secret.ts'

const HOSTS: Readonly<Record<HostName, CodeHost>> = { github, gitlab, gitea, bitbucket }
/** Maximum size of a webhook in bytes: hosts send at most 25 MB of JSON, which form encoding may triple. */
const BODY_LIMIT = 25 * 1024 * 1024
const FORM = 'application/x-www-form-urlencoded'
const REFUSED = { error: 'The signature is missing or wrong.' }

/** Receives webhooks. An unknown link and a wrong signature get the same response, so that links cannot be guessed. */
export function routes(app: FastifyInstance, services: HostServices): void {
  const found = new WeakMap<FastifyRequest, WebhookLink & { readonly key: string }>()
  app.removeAllContentTypeParsers()
  const raw = { parseAs: 'buffer' } as const
  app.addContentTypeParser('*', { ...raw, bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body))
  app.addContentTypeParser(FORM, { ...raw, bodyLimit: 3 * BODY_LIMIT }, (_request, body, done) => done(null, body))
  app.setErrorHandler(services.answerRouteError)
  app.post('/hooks/:host/:link', {
    // Before the body is read, to limit what strangers can send.
    async onRequest(request, reply) {
      const { host, link: id } = request.params as { host: string; link: string }
      const link =
        Object.hasOwn(HOSTS, host) && isUuid(id)
          ? await services.read({ userId: null, name: 'code_refs.webhook', requestId: request.id }, ctx =>
              findWebhookLink(ctx, host as HostName, id),
            )
          : undefined
      const key = link && unseal(services, link.secret)
      if (!link || !key) return reply.code(401).send(REFUSED)
      found.set(request, { ...link, key })
    },
    async handler(request, reply) {
      const link = found.get(request)!
      const code = HOSTS[link.host]
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (!code.authentic(request.headers, body, link.key)) return reply.code(401).send(REFUSED)
      const payload = readPayload(body, request.headers['content-type'])
      if (payload === undefined)
        return reply
          .code(400)
          .send({ error: 'The body is not JSON; choose the content type application/json, or a form with a payload.' })
      return services.write({ userId: link.ownerId, name: 'code_refs.webhook', requestId: request.id }, ctx =>
        storeChanges(ctx, link, code.changes(request.headers, payload), code.repository(payload)),
      )
    },
  })
}

/** Reads JSON, or the `payload` of a form; undefined if it is neither. */
function readPayload(body: Buffer, type = '') {
  const content = body.toString('utf8')
  try {
    return readObject(JSON.parse(type.startsWith(FORM) ? (new URLSearchParams(content).get('payload') ?? '') : content))
  } catch {
    return undefined
  }
}
