import { createHash } from 'node:crypto'
import { chmod, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Environment } from '../host/config/environment.ts'
import type { Host } from '../host/host.ts'
import type { CommandResult } from '../plugin/command.ts'
import { errorBody, HostError, ToolError, type ErrorBody } from '../plugin/errors.ts'
import { runCommand } from './run-command.ts'

// An import would also load all of fetch, which a start does not need.
const { createServer, request } = process.getBuiltinModule('node:http')

/** Maximum length of a Unix socket path on all systems. */
const MAX_SOCKET_PATH = 100

/** Returns the address where the server of a data folder accepts commands: a socket that only its owner can open. */
function controlAddress(dataDir: string): string {
  const digest = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\tasuki-${digest}`
  const inside = join(resolve(dataDir), 'control.sock')
  return inside.length <= MAX_SOCKET_PATH ? inside : join(tmpdir(), `tasuki-${digest}.sock`)
}

type Answer = { readonly result: CommandResult } | { readonly error: ErrorBody }

/** Accepts commands from the command line while the server holds the embedded database, which only one process can open. */
export async function serveControl(host: Host, dataDir: string): Promise<Server> {
  const address = controlAddress(dataDir)
  // A killed process may leave its socket file. The database lock ensures that no other server is running.
  if (process.platform !== 'win32') await rm(address, { force: true })
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      void answer(host, Buffer.concat(chunks).toString('utf8')).then(body =>
        outgoing.setHeader('connection', 'close').end(JSON.stringify(body)),
      )
    })
  })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(address, done))
  if (process.platform !== 'win32') await chmod(address, 0o600)
  return server
}

async function answer(host: Host, body: string): Promise<Answer> {
  try {
    const { name, args } = JSON.parse(body) as { name: string; args: unknown }
    return { result: await runCommand(host, name, args) }
  } catch (error) {
    if (error instanceof ToolError) return { error: errorBody(error) }
    host.app.log.error({ err: error }, 'a command failed')
    return { error: errorBody(new ToolError('internal', 'The command failed; the log of the server says why.')) }
  }
}

/**
 * Sends a command to the server that holds the embedded database; null if there is none.
 * Always null on PostgreSQL, where any process can open the database.
 * @throws ToolError of the command
 */
export async function sendCommand(env: Environment, name: string, args: unknown): Promise<CommandResult | null> {
  if (env.databaseUrl !== null) return null
  const text = await exchange(controlAddress(env.dataDir), JSON.stringify({ name, args }))
  if (text === null) return null
  const reply = JSON.parse(text) as Answer
  if ('result' in reply) return reply.result
  const { code, message, ...help } = reply.error
  throw new ToolError(code, message, help)
}

/** Socket errors that mean that no server is listening. */
const NOBODY = ['ENOENT', 'ECONNREFUSED']

function exchange(socketPath: string, body: string): Promise<string | null> {
  return new Promise((done, fail) => {
    const outgoing = request({ socketPath, method: 'POST', path: '/', agent: false }, incoming => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => done(Buffer.concat(chunks).toString('utf8')))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (NOBODY.includes(error.code ?? '')) return done(null)
      if (error.code === 'ECONNRESET') return fail(new HostError('the server stopped before it answered'))
      const why = error.code === 'EACCES' ? 'run the command as the user that runs the server' : error.message
      return fail(new HostError(`the running server cannot be reached by ${socketPath}: ${why}`))
    })
    outgoing.end(body)
  })
}
