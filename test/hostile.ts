import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { request } from 'node:http'
import { ERROR_CODES } from 'tasuki/plugin'
import { startHost, type TestHost } from 'tasuki/testing'
import type { Engine } from 'tasuki/testing'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever was answered
  readonly body: any
}
/** An HTTP request; every field overrides a valid default. */
export interface Sent {
  readonly method?: string
  /** Path and query; default /mcp. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string
}

export const MEGABYTE = 'x'.repeat(1_000_000)
export const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)
export const message = (method: unknown, params?: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
export const toolCall = (name: unknown, args?: unknown, more: object = {}): string =>
  message('tools/call', { name, arguments: args, ...more })

/** Matches internals that must never reach a client: SQL, table names, stack traces, file names. */
export const INTERNALS =
  /\b(insert into|violates|syntax error|SQLSTATE|kysely|mikro-?orm|pglite|node_modules)\b|\bat (async )?[\w.<> ]*\(?(file:|node:|\/)|\b(core|items|projects|workflows|labels)\.(tokens|users|items|projects|states|labels)\b|\bselect .* from\b/i

/** A listening host with a few items, and functions that send requests that the host must refuse. */
export interface Target {
  readonly host: TestHost
  send(sent: Sent): Promise<Answer>
  /** Counts rows per table, except conversations, which also record refused calls, and the keys of sign-in. */
  rowCounts(): Promise<Record<string, number>>
  /** Sends a request that the host must refuse without an internal error, without internals in the answer, and without a write. */
  refused(sent: Sent): Promise<Answer>
  /** Makes a tool call that the host must refuse. @returns its error */
  refusedCall(name: string, args: unknown, more?: object): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export async function startTarget(engine: Engine): Promise<Target> {
  const { host, url, close } = await startHost({ engine, config: { plugins: { project_admin: {} } } })
  await host.command('project create', { key: 'APP', name: 'The app' })
  await host.call('items_create', { project_key: 'APP', title: 'First', labels: ['bug'], due_date: '2026-12-01' })
  await host.call('items_create', { project_key: 'APP', title: 'Second', parent: 'APP#1' })
  const send = ({ method = 'POST', path = '/mcp', headers = {}, body }: Sent): Promise<Answer> => {
    const all = {
      host: 'localhost',
      authorization: `Bearer ${host.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    }
    const sentHeaders = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    return new Promise((done, fail) => {
      const outgoing = request(new URL(path, url), { method, headers: sentHeaders }, incoming => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const isJson = /json/.test(incoming.headers['content-type'] ?? '')
          done({
            status: incoming.statusCode!,
            headers: incoming.headers,
            text,
            body: isJson ? JSON.parse(text) : null,
          })
        })
      })
      // The service may answer and close the connection before it has read a body that is too large.
      outgoing.on('error', fail)
      outgoing.end(body)
    })
  }

  // The audit trail records refusals with a delay, so its table is skipped.
  const tables = await host.sql<{ name: string }>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'core_jobs', 'conversations')
      and n.nspname || '.' || c.relname not in ('core.oauth_artifacts', 'core.audit') order by 1
  `
  // One statement for all tables, because it runs before and after each of many refused requests.
  const counts = tables.map(
    ({ name }) => sql`select ${sql.lit(name)} as name, count(*)::int as rows from ${sql.table(name)}`,
  )
  const countAll = sql<{ name: string; rows: number }>`${sql.join(counts, sql` union all `)}`
  const rowCounts = async (): Promise<Record<string, number>> => {
    const { rows } = await countAll.execute(host.database.write)
    return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]))
  }

  const refused = async (sent: Sent): Promise<Answer> => {
    const rows = await rowCounts()
    const answer = await send(sent)
    assert.ok(answer.status < 500, `${answer.status} ${answer.text.slice(0, 300)}`)
    assert.doesNotMatch(answer.text, INTERNALS)
    assert.ok(answer.text.length < 10_000, `an answer of ${answer.text.length} characters to a refused request`)
    assert.deepEqual(await rowCounts(), rows)
    return answer
  }
  const refusedCall = async (name: string, args: unknown, more: object = {}): Promise<Record<string, unknown>> => {
    const { status, body } = await refused({ body: toolCall(name, args, more) })
    assert.equal(status, 200)
    assert.equal(body.result?.isError, true, JSON.stringify(body).slice(0, 500))
    assert.equal(body.result.structuredContent, undefined)
    const { error } = JSON.parse(body.result.content[0].text)
    assert.ok(ERROR_CODES.includes(error.code))
    return error
  }
  return { host, send, rowCounts, refused, refusedCall, close }
}
