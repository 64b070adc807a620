import assert from 'node:assert/strict'
import { alignColumns } from '../bench/report.ts'
import { httpCaller, type HttpCaller } from '../http-caller.ts'
import { refusedCall, type ToolCall } from '../refused-calls.ts'
import type { AuthProxy } from './auth-proxy.ts'
import type { Person } from './person.ts'

/** The service under test. */
export interface Target {
  /** Address of the service, for clients that sign in. */
  readonly address: string
  /** Address of a proxy in front of the service, which records the protocol revision; clients use it with the token. */
  readonly url: string
  readonly token: string
  /** Returns the latest protocol revision since the previous call. */
  revision(): string
  readonly person: Person
  /** Calls the service without a client. */
  readonly direct: HttpCaller
  readonly tools: number
  /** One refused call per tool. */
  readonly refused: readonly RefusedCall[]
}
export interface RefusedCall extends ToolCall {
  /** Text of the refusal that the service sends. */
  readonly text: string
}

const COLUMNS = ['client', 'revision', 'connects', 'lists', 'writes', 'refusal kept', 'confirms', 'signs in'] as const
export type Row = Readonly<Record<(typeof COLUMNS)[number], string>>

/** Asks the service itself for the answers that clients must pass on. */
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

/** Runs a check and returns its cell of the table; a failed check is reported below the table. */
export async function cell(what: string, check: () => Promise<string> | string): Promise<string> {
  try {
    return await check()
  } catch (error) {
    lost.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    return 'lost'
  }
}

/** Prints the table. @returns whether no client lost information */
export function report(rows: readonly Row[]): boolean {
  console.log(alignColumns([[...COLUMNS], ...rows.map(row => COLUMNS.map(column => row[column]))]))
  for (const problem of lost) console.log(`\nlost: ${problem}`)
  return lost.length === 0
}

/** Finds the confirm token in a client's version of a refusal. */
export const confirmToken = (text: string): string | undefined => /cfm_[\w-]+/.exec(text)?.[0]
