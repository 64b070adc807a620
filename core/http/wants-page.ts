import type { FastifyRequest } from 'fastify'

/** Whether a request comes from somebody who reads pages: browsers name HTML when they go to an address, programs do not. */
export function wantsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}
