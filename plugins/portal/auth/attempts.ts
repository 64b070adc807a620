import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { WriteContext } from 'tasuki/plugin'
import { settings } from '../settings.ts'
import { addFailures, forgetFailures } from './attempt.repository.ts'

const MINUTES = 15
/** Many people may share one address. */
const PER_ADDRESS = 10

/**
 * Counts an attempt before it is made, so that many at once count too. In the database, so that all instances count together.
 * @returns minutes to wait when there were too many, else null
 */
export function countAttempt(ctx: WriteContext, request: FastifyRequest, account: string): Promise<number | null> {
  const limit = ctx.config(settings).sign_in_failures
  const counters = [
    { key: accountKey(account), most: limit },
    { key: addressKey(request.ip), most: limit * PER_ADDRESS },
  ]
  return addFailures(ctx, counters, new Date(ctx.now.getTime() + MINUTES * 60_000))
}

/** A sign-in that succeeds was no failure. */
export function forgetAttempts(ctx: WriteContext, request: FastifyRequest, account: string): Promise<void> {
  return forgetFailures(ctx, { all: accountKey(account), one: addressKey(request.ip) })
}

/** What people typed may be anything, also a password in the wrong field. */
function accountKey(account: string): string {
  return `account ${hash('sha256', account, 'base64url')}`
}

/** Of IPv6 the network: everybody has 2^64 addresses of it. */
function addressKey(ip: string): string {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return `ip ${ip.replace('::ffff:', '')}`
  const [head = '', tail = ''] = ip.split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const gap = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `ip ${[...before, ...gap, ...after].slice(0, 4).join(':')}::/64`
}
