import type { FastifyRequest } from 'fastify'

/** Returns whether a request accepts HTML, as browsers do when they navigate. */
export function acceptsHtml({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}
