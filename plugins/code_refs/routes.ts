import type { FastifyInstance } from 'fastify'
import { isUuid, type HostServices } from 'tasuki/plugin'
import { object, type CodeHost } from './hosts/delivery.ts'
import { gitea } from './hosts/gitea.ts'
import { github } from './hosts/github.ts'
import { gitlab } from './hosts/gitlab.ts'
import { findWebhookLink } from './link.repository.ts'
import type { HostName } from './links.ts'
import { takeDelivery } from './receive.ts'
import { unseal } from './secret.ts'

const HOSTS: Readonly<Record<HostName, CodeHost>> = { github, gitlab, gitea }
/** Bytes of a webhook; hosts send at most 25 MB, and pushes that large mention nothing useful. */
const BODY_LIMIT = 5_000_000

/** Takes webhooks. An unknown link and a wrong signature are answered alike, so that links cannot be guessed. */
export function routes(app: FastifyInstance, services: HostServices): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(services.answerRouteError)
  app.post('/hooks/:host/:link', { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const { host, link: id } = request.params as { host: string; link: string }
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const found =
      host in HOSTS && isUuid(id)
        ? await services.read({ userId: null, name: 'code_refs.webhook', requestId: request.id }, ctx =>
            findWebhookLink(ctx, host as HostName, id),
          )
        : undefined
    const secret = found && unseal(services, found.secret)
    if (!found || !secret || !HOSTS[found.host].authentic(request.headers, body, secret)) {
      return reply.code(401).send({ error: 'The signature is missing or wrong.' })
    }
    const code = HOSTS[found.host]
    const delivery = code.delivery(request.headers)
    if (delivery === null || delivery.length > 200) return reply.code(400).send({ error: 'The delivery has no id.' })
    let payload: unknown
    try {
      payload = JSON.parse(body.toString('utf8'))
    } catch {
      return reply.code(400).send({ error: 'The body is not JSON; choose the content type application/json.' })
    }
    const changes = code.changes(request.headers, object(payload))
    const stored = await services.write(
      { userId: found.ownerId, name: 'code_refs.webhook', requestId: request.id },
      ctx => takeDelivery(ctx, found, delivery, changes),
    )
    return { stored }
  })
}
