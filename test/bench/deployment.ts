import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startHost, type TestHost } from '../../core/testing/index.ts'
import { fill, KEYS } from './data.ts'
import { plugin } from './echo.ts'

/** A database with tasks and a search index. */
export interface Deployment {
  readonly url: string
  readonly ownerId: string
  readonly token: string
}

/**
 * Creates a database with the tasks of a deployment.
 * @param work runs in the host that created it
 */
export async function deploy(
  server: string,
  work: (host: TestHost) => Promise<void> = async () => {},
): Promise<Deployment> {
  const url = await newDatabase(server, 'template0')
  const { host, token, close } = await startHost({
    database: { engine: 'postgres', url, replicaUrl: null },
    plugins: [plugin],
  })
  try {
    for (const key of KEYS) await host.command('project create', { key, name: key })
    await fill(url, host.userId)
    await index(host)
    await work(host)
    return { url, ownerId: host.userId, token }
  } finally {
    await close()
  }
}

/** Indexes directly inserted data now; otherwise indexing would continue during the measurement. */
async function index(host: TestHost): Promise<void> {
  await host.queue.start(host.runner)
  for (const deadline = Date.now() + 180_000; ; await sleep(250)) {
    const [{ missing }] = (await host.sql<{ missing: number }>`
      select count(*)::int as missing from items.items i
      where not exists (select from search.documents d where d.owner_id = i.owner_id and d.item_id = i.id)`) as [
      { missing: number },
    ]
    if (missing === 0) return
    if (Date.now() > deadline) throw new Error(`${missing} items were not indexed in time`)
  }
}

/** Creates a database as a copy of another one of the server. The original must have no connections. */
export async function newDatabase(server: string, template: string): Promise<string> {
  const name = `tasuki_bench_${randomBytes(6).toString('hex')}`
  const client = new Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name} template ${template} encoding 'UTF8'`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
