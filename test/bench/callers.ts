import { randomBytes } from 'node:crypto'
import { startPostgres } from '../postgres.ts'
import { load, type Target } from './load.ts'
import { startService } from './processes.ts'
import type { Figure } from './report.ts'
import { compared } from './rounds.ts'

const CALLERS = 16
const LEAST_GAIN = 4

/**
 * How many items callers of one owner create in a second, sixteen at once against one alone. The server's commits wait for the disk, as in
 * real life: that wait is what callers can share.
 */
export async function measureCallers({ rounds, seconds, warmUp }: Pace): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true })
  try {
    const token = `svc_pat_${randomBytes(24).toString('hex')}`
    const service = await startService({
      DATABASE_URL: postgres.url,
      BOOTSTRAP_EMAIL: 'bench@example.com',
      BOOTSTRAP_TOKEN: token,
      LOG_LEVEL: 'warn',
    })
    try {
      const target: Target = {
        server: service,
        path: '/mcp',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        bodies: [CREATE],
      }
      await load(target, CALLERS, warmUp)
      const pairs: [number, number][] = []
      for (let round = 0; round < rounds; round++) {
        const many = await load(target, CALLERS, seconds)
        const one = await load(target, 1, seconds)
        pairs.push([many.perSecond, one.perSecond])
      }
      return [
        compared(`items_create: ${CALLERS} callers of one owner, against one`, '/s', pairs, { atLeast: LEAST_GAIN }),
      ]
    } finally {
      await service.stop()
    }
  } finally {
    await postgres.stop()
  }
}

type Pace = Readonly<Record<'rounds' | 'seconds' | 'warmUp', number>>

const CREATE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'items_create', arguments: { project_key: 'INBOX', title: 'Tell the team of the release' } },
})
