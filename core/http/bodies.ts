import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUtf8 } from 'node:buffer'
import { findJsonProblem } from '../plugin/json-shape.ts'
import { RequestRefusal } from './request-refusal.ts'

/** The largest valid call has a thousand values. Texts contain an escape sequence per line. */
const LIMITS = { depth: 64, values: 10_000, escapes: 500_000 }
/** Shorter bodies can be neither too deep nor too large. */
const SMALL_BYTES = 2000
/** Longer bodies take ten milliseconds or more per parsing step; other requests are served in between. */
const LONG_BYTES = 1_000_000
/** The parser refuses both members, by which a program that merges objects could be attacked. */
const NOT_JSON = 'The body is not JSON, or has a member __proto__ or constructor.prototype'

/** Rejects bodies with an unsupported encoding or charset, and parses JSON that is valid UTF-8 and within the limits. */
export function readBodies(app: FastifyInstance): void {
  // Many programs send a content type with every request, also without a body; Fastify would then look for one.
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) delete headers['content-type']
    done()
  })
  // After CORS, because pages of an allowed origin could not read the refusal otherwise.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    refuseEncodings(request)
    done(null, payload)
  })
  // Fastify would close the connection, which a proxy that still sends the body reports as 502; the rest of the body is dropped instead.
  app.addHook('onError', (request, reply, error, done) => {
    if (request.raw.readableEnded || error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') reply.removeHeader('connection')
    done()
  })
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    const problem = findProblem(bytes)
    if (problem !== null) return done(unreadable(problem))
    const parsed = (error: Error | null, value: unknown): void => done(error && unreadable(NOT_JSON), value)
    if (bytes.length <= LONG_BYTES) return void parse(request, bytes.toString(), parsed)
    setImmediate(() => void parse(request, bytes.toString(), (error, value) => void setImmediate(parsed, error, value)))
  })
}

function refuseEncodings({ headers }: FastifyRequest): void {
  const { 'content-encoding': encoding, 'content-type': type } = headers
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new RequestRefusal(415, 'unsupported_media_type', 'Send the body without Content-Encoding', {
      'accept-encoding': 'identity',
    })
  // The value that nearly all clients send.
  if (type === undefined || type === 'application/json') return
  const charset = /^application\/(?:json|x-www-form-urlencoded)\s*;.*\bcharset\s*=\s*"?([^\s";]*)/i.exec(type)?.[1]
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset))
    throw new RequestRefusal(415, 'unsupported_media_type', 'Send the body in UTF-8, and leave out any other charset')
}

const unreadable = (problem: string): RequestRefusal => new RequestRefusal(400, 'invalid_argument', problem)

function findProblem(bytes: Buffer): string | null {
  if (bytes.length === 0) return 'The body is empty'
  // Decoding would silently replace invalid bytes by U+FFFD.
  if (!isUtf8(bytes)) return 'The body is not UTF-8'
  const problem = bytes.length <= SMALL_BYTES ? null : findJsonProblem(bytes, LIMITS)
  return problem && `The body ${problem}`
}
