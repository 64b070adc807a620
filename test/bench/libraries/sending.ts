import { Kysely, PostgresDialect, type CompiledQuery, type RootOperationNode } from 'kysely'
import { Pool } from 'pg'
import postgres from 'postgres'
import { startHost, type TestHost } from '../../../core/testing/index.ts'
import { startPostgres } from '../../postgres.ts'
import type { Figure } from '../report.ts'
import { compareCpu, type Work } from './in-turn.ts'

const ITEMS = 60
const TIMES = 200
const AT_ONCE = 8
const SETTINGS = '-c plan_cache_mode=force_custom_plan -c jit=off -c timezone=UTC'

type Db = TestHost['database']['read']

/**
 * Compares the cost of a statement in this process for three clients: the driver of the service, Kysely's own dialect on node-postgres, and
 * postgres.js, which prepares its statements. The statements are the reads of items_get and tasks_list.
 */
export async function measureSending(): Promise<Figure[]> {
  const server = await startPostgres()
  process.env['TEST_DATABASE_URL'] = server.url
  const { host, close } = await startHost({ engine: 'postgres' })
  const { databaseOptions: database } = host
  if (database.engine !== 'postgres') throw new Error('this is about PostgreSQL')
  const pool = new Pool({ connectionString: database.url, max: AT_ONCE, options: SETTINGS })
  const kysely = new Kysely<never>({ dialect: new PostgresDialect({ pool }) })
  const js = postgres(database.url, { max: AT_ONCE, connection: { options: SETTINGS }, onnotice: () => undefined })
  try {
    await host.call('projects_list', {})
    for (let n = 0; n < ITEMS; n++)
      await host.call('items_create', { project_key: 'INBOX', title: `Item ${n}`, detail: 'Some text. '.repeat(20) })
    const figures: Figure[] = []
    for (const [tool, args] of [
      ['items_get', { item_ref: 'INBOX#1' }],
      ['tasks_list', { project_key: 'INBOX', limit: 50 }],
    ] as const) {
      const node = await statementOf(host, tool, args)
      const ours = host.database.read
      for (const [library, send] of [
        ['Kysely on node-postgres', sentBy(kysely)],
        ['Kysely on postgres.js', sentByPostgresJs(kysely, js)],
      ] as const) {
        figures.push(
          await compareCpu({
            name: `CPU of the statement of ${tool}, against ${library}`,
            ours: repeat(sentBy(ours), node),
            theirs: repeat(send, node),
            times: TIMES,
            rounds: 7,
          }),
        )
      }
    }
    return figures
  } finally {
    await js.end()
    await kysely.destroy()
    await close()
    await server.stop()
  }
}

type Send = (node: RootOperationNode) => Promise<unknown>

/** Sends several statements concurrently, like several callers. */
function repeat(send: Send, node: RootOperationNode): Work {
  return async times => {
    let left = times
    const caller = async (): Promise<void> => {
      while (left-- > 0) await send(node)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, caller))
  }
}

function sentBy(db: Db | Kysely<never>): Send {
  return node => db.executeQuery(compile(db, node))
}

function sentByPostgresJs(db: Kysely<never>, js: postgres.Sql): Send {
  return node => {
    const { sql, parameters } = compile(db, node)
    return js.unsafe(sql, parameters as never[], { prepare: true })
  }
}

function compile(db: Db | Kysely<never>, node: RootOperationNode): CompiledQuery {
  return db.getExecutor().compileQuery(node, { queryId: '' })
}

/** Captures the longest statement that a call sends. */
async function statementOf(host: TestHost, tool: string, args: object): Promise<RootOperationNode> {
  const executor = host.database.read.getExecutor()
  const found: CompiledQuery[] = []
  const compileQuery = executor.compileQuery.bind(executor)
  executor.compileQuery = (...queryArgs) => {
    const compiled = compileQuery(...queryArgs)
    found.push(compiled)
    return compiled
  }
  await host.call(tool, args)
  executor.compileQuery = compileQuery
  const [longest] = found.toSorted((a, b) => b.sql.length - a.sql.length)
  if (!longest) throw new Error(`${tool} sent no statement that was seen`)
  return longest.query
}
