import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUtf8 } from 'node:buffer'
import { RequestRefusal } from './request-refusal.ts'

const MAX_DEPTH = 64
/** Maximum of array entries and object members in total; the largest valid call has some thousands. */
const MAX_VALUES = 100_000
/** Maximum of escape sequences. Each takes as long to parse as dozens of other characters, and texts contain one per line. */
const MAX_ESCAPES = 500_000
/** Shorter bodies can be neither too deep nor too large. */
const SMALL_BYTES = 2000
/** Longer bodies take ten milliseconds or more per parsing step; other requests are served in between. */
const LONG_BYTES = 1_000_000

/** Rejects bodies with an unsupported encoding or charset, and parses JSON that is valid UTF-8 and within the limits. */
export function readBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    refuseEncodings(request)
    done()
  })
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    const problem = findProblem(bytes)
    if (problem !== null) return done(new RequestRefusal(400, 'invalid_argument', problem))
    if (bytes.length <= LONG_BYTES) return void parse(request, bytes.toString(), done)
    setImmediate(() => void parse(request, bytes.toString(), (error, value) => void setImmediate(done, error, value)))
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

function findProblem(bytes: Buffer): string | null {
  // Decoding would silently replace invalid bytes by U+FFFD.
  if (!isUtf8(bytes)) return 'The body is not UTF-8'
  return bytes.length <= SMALL_BYTES ? null : findShapeProblem(bytes)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** `[` and `{`, and `]` and `}`, differ only in this bit. */
const BRACE = 0x20
const OPEN = 0x5b | BRACE
const CLOSE = 0x5d | BRACE

/** Scans the structure of JSON before parsing, because parsing deep or large JSON takes far longer. */
function findShapeProblem(bytes: Buffer): string | null {
  let depth = 0
  let values = 0
  let escapes = 0
  for (let n = 0; n < bytes.length; n++) {
    const byte = bytes[n]!
    if (byte === QUOTE) {
      for (n++; n < bytes.length && bytes[n] !== QUOTE; n++) {
        if (bytes[n] !== BACKSLASH) continue
        n++
        escapes++
      }
    } else if (byte === COMMA) values++
    else if ((byte | BRACE) === OPEN) depth++
    else if ((byte | BRACE) === CLOSE) depth--
    else if (byte !== QUOTE) continue
    if (depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels`
    if (escapes > MAX_ESCAPES) return `The body has more than ${MAX_ESCAPES} escaped characters`
    if (values > MAX_VALUES) return `The body has more than ${MAX_VALUES} values`
  }
  return null
}
