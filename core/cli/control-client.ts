import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Environment } from '../host/config/environment.ts'
import type { CommandResult } from '../plugin/command.ts'
import { HostError, ToolError, type ErrorBody } from '../plugin/errors.ts'
import type { CommandCall } from './run-call.ts'
import { UsageError } from './usage-error.ts'

// An import would also load all of fetch, which a start does not need.
const { request } = process.getBuiltinModule('node:http')

/** Maximum length of a Unix socket path on all systems. */
const MAX_SOCKET_PATH = 100

/** Returns the address where the server of a data folder accepts commands: a socket that only its owner can open. */
export function controlAddress(dataDir: string): string {
  const digest = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\tasuki-${digest}`
  const inside = join(resolve(dataDir), 'control.sock')
  return inside.length <= MAX_SOCKET_PATH ? inside : join(tmpdir(), `tasuki-${digest}.sock`)
}

/** A command line to read, or a command to run. */
export type Message =
  | { readonly words: readonly string[]; readonly cwd: string }
  | { readonly name: string; readonly args: unknown }

export type Answer =
  | { readonly result: CommandResult }
  | { readonly call: CommandCall | null }
  | { readonly usage: string }
  | { readonly error: ErrorBody }

/**
 * Sends a command to the server that holds the embedded database; null if there is none.
 * Always null on PostgreSQL, where any process can open the database.
 * @throws ToolError of the command
 */
export async function sendCommand(env: Environment, name: string, args: unknown): Promise<CommandResult | null> {
  if (env.databaseUrl !== null) return null
  const reply = await send(env, { name, args })
  if (reply === null || 'result' in reply) return reply && reply.result
  if (!('error' in reply)) throw new HostError('the server did not understand the command')
  const { code, message, ...help } = reply.error
  throw new ToolError(code, message, help)
}

/**
 * Lets the server that holds the embedded database read a command line, since it knows the commands of all plugins and this process does not
 * have to load them. @returns null without a server, for a command that it does not know, and from an older server
 * @throws UsageError
 */
export async function readOnServer(env: Environment, words: readonly string[]): Promise<CommandCall | null> {
  const reply = await send(env, { words, cwd: process.cwd() })
  if (reply !== null && 'usage' in reply) throw new UsageError(reply.usage)
  return reply !== null && 'call' in reply ? reply.call : null
}

async function send(env: Environment, message: Message): Promise<Answer | null> {
  const text = await exchange(controlAddress(env.dataDir), JSON.stringify(message))
  return text === null ? null : (JSON.parse(text) as Answer)
}

/** Socket errors that mean that no server is listening. */
const NOBODY = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED']

function exchange(socketPath: string, body: string): Promise<string | null> {
  return new Promise((answer, fail) => {
    const explain = (error: NodeJS.ErrnoException): void => {
      if (NOBODY.includes(error.code ?? '')) return answer(null)
      if (error.code === 'ECONNRESET') return fail(new HostError('the server stopped before it answered'))
      const why = error.code === 'EACCES' ? 'run the command as the user that runs the server' : error.message
      return fail(new HostError(`the running server cannot be reached by ${socketPath}: ${why}`))
    }
    const outgoing = request({ socketPath, method: 'POST', path: '/', agent: false }, incoming => {
      text(incoming).then(answer, explain)
    })
    outgoing.on('error', explain)
    outgoing.end(body)
  })
}
