import { chmod, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { fullDisk } from '../db/file-problem.ts'
import type { Host } from '../host/host.ts'
import { errorBody, ToolError } from '../plugin/errors.ts'
import { readCall } from './call-command.ts'
import { controlAddress, type Answer, type Message } from './control-client.ts'
import { folderProblem, outageProblem } from './format-error.ts'
import { commandsOf, findCommand, runCommand } from './run-command.ts'
import { UsageError } from './usage-error.ts'

const { createServer } = process.getBuiltinModule('node:http')

/** Accepts commands from the command line while the server holds the embedded database, which only one process can open. */
export async function serveControl(host: Host, dataDir: string): Promise<Server> {
  const address = controlAddress(dataDir)
  // A killed process may leave its socket file. The database lock ensures that no other server is running.
  if (process.platform !== 'win32') await rm(address, { force: true })
  const server = createServer((incoming, outgoing) => {
    void text(incoming)
      .then(body => answer(host, body))
      .then(body => outgoing.setHeader('connection', 'close').end(JSON.stringify(body)))
      // The command line was stopped before it had sent all.
      .catch(() => outgoing.destroy())
  })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(address, done))
  if (process.platform !== 'win32') await chmod(address, 0o600)
  return server
}

async function answer(host: Host, body: string): Promise<Answer> {
  try {
    const message = JSON.parse(body) as Message
    if ('name' in message) return { result: await runCommand(host, message.name, message.args) }
    const { words, cwd } = message
    const command = findCommand(commandsOf(host.registry), words)
    return { call: command ? readCall(command, words, cwd) : null }
  } catch (error) {
    if (error instanceof UsageError) return { usage: error.message }
    if (error instanceof ToolError) return { error: errorBody(error) }
    host.app.log.error({ err: error }, 'a command failed')
    const outage = outageProblem(error)
    if (outage !== null) return { error: errorBody(new ToolError('unavailable', outage)) }
    const full = await fullDisk(host.options.dataDir)
    const why = folderProblem(error) ?? (full && `DATA_DIR: ${full}`) ?? 'the log of the server says why'
    return { error: errorBody(new ToolError('internal', `The command failed; ${why}.`)) }
  }
}
