import assert from 'node:assert/strict'
import { aligned } from '../bench/report.ts'
import { httpCaller, type HttpCaller } from '../http-caller.ts'
import { refusedCall, type ToolCall } from '../refused-calls.ts'
import type { AuthProxy } from './auth-proxy.ts'
import type { Person } from './person.ts'

/** The service that all clients are held to. */
export interface Target {
  /** The address of the service, for those who sign in. */
  readonly address: string
  /** The same behind a proxy, which sees what revision clients speak; with it they use the token. */
  readonly url: string
  readonly token: string
  /** The revision that was named last since this was called last. */
  revision(): string
  readonly person: Person
  /** Calls it without any client. */
  readonly direct: HttpCaller
  readonly tools: number
  /** One refused call of each tool. */
  readonly refused: readonly RefusedCall[]
}
export interface RefusedCall extends ToolCall {
  /** The refusal as the service gives it. */
  readonly text: string
}

const COLUMNS = ['client', 'revision', 'connects', 'lists', 'writes', 'refusal kept', 'confirms', 'signs in'] as const
export type Row = Readonly<Record<(typeof COLUMNS)[number], string>>

/** Asks the service itself for what clients shall hand on. */
export async function newTarget(origin: string, token: string, proxy: AuthProxy, person: Person): Promise<Target> {
  const direct = httpCaller(origin, token)
  const { tools } = await direct.rpc('tools/list')
  const refused: RefusedCall[] = []
  for (const listed of tools) {
    const { tool, args } = refusedCall(listed)
    const { isError, content } = await direct.rpc('tools/call', { name: tool, arguments: args })
    const [{ text }] = content
    assert.ok(isError && JSON.parse(text).error.hint !== undefined, `${tool}: ${text}`)
    refused.push({ tool, args, text })
  }
  return {
    address: `${origin}/mcp`,
    url: `${proxy.url}/mcp`,
    token,
    revision: () => proxy.revision() ?? 'none named',
    person,
    direct,
    tools: tools.length,
    refused,
  }
}

const lost: string[] = []

/** Runs a check and gives its cell of the table; a check that fails is reported below the table. */
export async function cell(what: string, check: () => Promise<string> | string): Promise<string> {
  try {
    return await check()
  } catch (error) {
    lost.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    return 'lost'
  }
}

/** Prints the one table. @returns whether nothing is lost */
export function report(rows: readonly Row[]): boolean {
  console.log(aligned([[...COLUMNS], ...rows.map(row => COLUMNS.map(column => row[column]))]))
  for (const problem of lost) console.log(`\nlost: ${problem}`)
  return lost.length === 0
}

/** The confirm token in what a client made of a refusal. */
export const confirmToken = (text: string): string | undefined => /cfm_[\w-]+/.exec(text)?.[0]
