import { randomBytes } from 'node:crypto'
import { startPostgres } from '../postgres.ts'
import { startDelayProxy } from './delay-proxy.ts'
import { load, type Target } from './load.ts'
import { startService, type Server } from './processes.ts'
import type { Figure } from './report.ts'
import { comparePairs } from './rounds.ts'

const CALLERS = 16
const MIN_GAIN = 4
/** Delay in each direction, as between two machines of one network. */
const DELAY_MS = 1
const TOKEN = `svc_pat_${randomBytes(24).toString('hex')}`

type Pace = Readonly<Record<'rounds' | 'seconds' | 'warmUp', number>>

/**
 * Measures how many items callers of one owner create per second, sixteen concurrent callers against one, on a server with durable commits.
 * With a remote database, a caller mostly waits, so concurrent callers gain throughput unless they block each other. With everything,
 * including the load generator, on this machine, its processors are the limit.
 */
export async function measureCallers(pace: Pace): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true })
  try {
    const near = await measureAt(postgres.url, pace)
    const proxy = await startDelayProxy(postgres.url, DELAY_MS)
    try {
      const far = await measureAt(proxy.url, pace)
      const name = `items_create: ${CALLERS} callers of one owner, against one`
      return [
        comparePairs(`${name}, database ${2 * DELAY_MS} ms away`, '/s', far, { atLeast: MIN_GAIN }),
        comparePairs(`${name}, all on this machine`, '/s', near, null),
      ]
    } finally {
      await proxy.close()
    }
  } finally {
    await postgres.stop()
  }
}

/** @returns for each round, the items per second of sixteen callers and of one */
async function measureAt(databaseUrl: string, { rounds, seconds, warmUp }: Pace): Promise<[number, number][]> {
  const service = await startService({
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_EMAIL: 'bench@example.com',
    BOOTSTRAP_TOKEN: TOKEN,
    LOG_LEVEL: 'warn',
  })
  try {
    const target = targetOf(service)
    await load(target, CALLERS, warmUp)
    const pairs: [number, number][] = []
    for (let round = 0; round < rounds; round++) {
      const many = await load(target, CALLERS, seconds)
      const one = await load(target, 1, seconds)
      pairs.push([many.perSecond, one.perSecond])
    }
    return pairs
  } finally {
    await service.stop()
  }
}

function targetOf(server: Server): Target {
  const params = { name: 'items_create', arguments: { project_key: 'INBOX', title: 'Tell the team of the release' } }
  return {
    server,
    path: '/mcp',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    bodies: [JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })],
  }
}
