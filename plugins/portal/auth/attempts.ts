import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { sql, type WriteContext } from 'tasuki/plugin'
import { settings } from '../settings.ts'

const MINUTES = 15
/** Many people may share one address. */
const PER_ADDRESS = 10

/**
 * Counts an attempt before it is made, so that many at once count too. In the database, so that all instances count together.
 * @returns minutes to wait when there were too many, else null
 */
export async function countAttempt(
  ctx: WriteContext,
  request: FastifyRequest,
  account: string,
): Promise<number | null> {
  const limit = ctx.config(settings).sign_in_failures
  const keys = JSON.stringify([
    { key: accountKey(account), most: limit },
    { key: addressKey(request.ip), most: limit * PER_ADDRESS },
  ])
  const until = new Date(ctx.now.getTime() + MINUTES * 60_000)
  const { rows } = await sql<{ wait: number | null }>`
    with counted as (
      insert into portal.attempts as a (key, failures, expires_at)
      select key, 1, ${until} from jsonb_to_recordset(${keys}::jsonb) as k (key text, most int) order by key
      on conflict (key) do update set
        failures = case when a.expires_at <= ${ctx.now} then 1 else a.failures + 1 end,
        expires_at = case when a.expires_at <= ${ctx.now} then excluded.expires_at else a.expires_at end
      returning key, failures, expires_at
    )
    select max(ceil(extract(epoch from c.expires_at - ${ctx.now}::timestamptz) / 60))::int as wait
    from counted c join jsonb_to_recordset(${keys}::jsonb) as k (key text, most int) on k.key = c.key where c.failures > k.most
  `.execute(ctx.db)
  return rows[0]?.wait ?? null
}

/** A sign-in that succeeds was no failure. */
export async function forgetAttempts(ctx: WriteContext, request: FastifyRequest, account: string): Promise<void> {
  await sql`delete from portal.attempts where key = ${accountKey(account)}`.execute(ctx.db)
  await sql`update portal.attempts set failures = failures - 1 where key = ${addressKey(request.ip)}`.execute(ctx.db)
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
