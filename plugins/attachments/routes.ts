import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MINUTE_MS, ToolError, type HostServices, type RouteCall } from 'tasuki/plugin'
import { findStored } from './attachment.repository.ts'
import type { AttachmentRecord } from './attachment.ts'
import { checkContent } from './content.ts'
import { contentDisposition } from './filename.ts'
import { type FileKey, verifyLink } from './links.ts'
import { requireAllowedType, SAFE_IMAGES, toServedType } from './media-type.ts'
import { quotaExceeded } from './quota.ts'
import { deleteStaleUploads, receiveFile, tooLarge } from './receive.ts'
import { UPLOAD_LIMIT, UPLOAD_MINUTES } from './settings.ts'
import { storageKey, storageOf } from './storage/choose.ts'
import { StorageFailure } from './storage/storage.ts'
import { dropUpload, releaseUpload } from './upload.repository.ts'
import { claimUpload, completeUpload } from './upload.ts'

/** A hundred megabytes over a slow connection take longer than other requests. */
const UPLOAD = { bodyLimit: UPLOAD_LIMIT, config: { bodyTimeout: UPLOAD_MINUTES * MINUTE_MS } }

/** Serves the URLs that attachments_upload and attachments_download return. They are signed and need no credential. */
export function routes(app: FastifyInstance, services: HostServices): void {
  // The body is a stream of any type, JSON included.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler((error, request, reply) =>
    services.answerRouteError(toRouteError(error, request), request, reply),
  )
  app.addHook('onReady', () => deleteStaleUploads(services, services.now()))
  app.put('/attachments/upload/:ownerId/:id', UPLOAD, async (request, reply) => {
    const file = request.params as FileKey
    const expires = verifyLink(services, 'upload', file, request.query as Record<string, unknown>, services.now())
    return reply.code(201).send({ attachment: await takeUpload(services, request, file, expires) })
  })
  app.get('/attachments/download/:ownerId/:id', { exposeHeadRoute: false }, async (request, reply) => {
    const query = request.query as Record<string, unknown>
    const [viewerId, credentialId] = ['viewer', 'credential'].map(name =>
      query[name] === undefined ? undefined : String(query[name]),
    )
    const file = { ...(request.params as FileKey), viewerId, credentialId }
    verifyLink(services, 'download', file, query, services.now())
    const { storage, filename, type, size } = await findFile(services, request, file)
    const bytes = await storage.get(storageKey(file))
    if (!bytes) throw new StorageFailure(new Error(`${storageKey(file)} is missing`))
    return reply
      .headers({
        'content-type': toServedType(type),
        'content-length': size,
        'content-disposition': contentDisposition(SAFE_IMAGES.includes(type) ? 'inline' : 'attachment', filename),
        // No browser may execute the file or treat it as part of this origin.
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-frame-options': 'DENY',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
      })
      .send(bytes)
  })
}

async function takeUpload(
  services: HostServices,
  request: FastifyRequest,
  file: FileKey,
  expires: Date,
): Promise<AttachmentRecord> {
  const system = routeCall(request, null, 'attachments.receive')
  const { 'content-length': declared } = request.headers
  const length = declared === undefined ? null : Number(declared)
  if (length !== null && length > UPLOAD_LIMIT) throw tooLarge(UPLOAD_LIMIT)
  const { storage, refusal, claim } = await services.write(system, async ctx => {
    const claim = await claimUpload(ctx, file, length)
    const { left } = claim
    const refusal = left < UPLOAD_LIMIT ? quotaExceeded(ctx, left + 1, left) : tooLarge(UPLOAD_LIMIT)
    return { storage: storageOf(ctx), refusal, claim }
  })
  const { mimeType, createdBy, uploader } = claim
  let stored = false
  try {
    // The stream stays open after an early exit, because the error is sent on the same connection.
    const bytes = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    await using received = await receiveFile(services, bytes, Math.min(UPLOAD_LIMIT, claim.left), refusal)
    await checkContent(received.path, mimeType, requireAllowedType(mimeType).family)
    stored = true
    await storage.put(storageKey(file), received.path, received.size)
    const maker = { ...routeCall(request, createdBy, 'attachments_upload'), actor: uploader }
    return await services.write(maker, ctx => completeUpload(ctx, file, received.size))
  } catch (error) {
    if (error instanceof ToolError) {
      await services.write(system, ctx => dropUpload(ctx, file))
      if (stored) await storage.delete([storageKey(file)])
    } else {
      // The connection broke or a component failed, so the client may retry. Stored bytes stay, because the write may have been committed;
      // otherwise the sweep removes them.
      await services.write(system, ctx => releaseUpload(ctx, file, expires))
    }
    throw error
  }
}

async function findFile(services: HostServices, request: FastifyRequest, key: FileKey) {
  const call = routeCall(request, key.viewerId ?? key.ownerId, 'attachments.send')
  const actor = key.credentialId === undefined ? {} : { credentialId: key.credentialId }
  return services.read({ ...call, actor }, async ctx => {
    const found = await findStored(ctx, key)
    if (!found) throw new ToolError('not_found', 'The file does not exist any more.')
    return { ...found, storage: storageOf(ctx) }
  })
}

function routeCall(request: FastifyRequest, userId: string | null, name: string): RouteCall {
  return { userId, name, requestId: request.id, address: request.ip }
}

/** A failing storage and a disconnected client are `unavailable`, not internal errors. */
function toRouteError(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof ToolError) return error
  if (request.raw.destroyed && !request.raw.complete) {
    request.log.info({ err: error }, 'an upload was interrupted')
    return new ToolError('unavailable', 'The upload was interrupted.', { retryable: true, hint: 'Send it again.' })
  }
  if (!(error instanceof StorageFailure)) return error
  request.log.error({ err: error }, 'the file storage failed')
  return new ToolError('unavailable', 'The file storage does not answer.', { retryable: true, hint: 'Try again.' })
}
