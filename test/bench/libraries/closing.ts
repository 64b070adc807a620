import Fastify, { type FastifyServerOptions } from 'fastify'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeUnusedConnections } from '../../../core/http/last-connections.ts'
import type { Figure } from '../report.ts'
import { figureWithoutTarget } from './in-turn.ts'

const ANSWER_MS = 300
const MAX_MS = 5000

/** Measures how long a server with a silent connection and a pending answer takes to close, and whether that answer arrives. */
export async function measureClosing(): Promise<Figure[]> {
  const ours = await close({ forceCloseConnections: 'idle' }, true)
  const figures: Figure[] = []
  for (const forceCloseConnections of ['idle', true, false] as const) {
    const theirs = await close({ forceCloseConnections }, false)
    const name = `forceCloseConnections: ${forceCloseConnections}`
    figures.push(
      figureWithoutTarget(`time to close, at most ${MAX_MS}, against ${name}`, 'ms', ours.ms, theirs.ms),
      figureWithoutTarget(`answers under way that arrive, against ${name}`, '', ours.answers, theirs.answers),
    )
  }
  return figures
}

async function close(options: FastifyServerOptions, withOurs: boolean): Promise<{ ms: number; answers: number }> {
  const app = Fastify(options as { forceCloseConnections: 'idle' })
  if (withOurs) closeUnusedConnections(app)
  app.get('/', async () => {
    await sleep(ANSWER_MS)
    return 'farewell'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const [silent, speaking] = await Promise.all([open(port), open(port)])
  let answer = ''
  speaking.setEncoding('utf8').on('data', (text: string) => (answer += text))
  speaking.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await sleep(50)
  const began = performance.now()
  const closed = app.close()
  await Promise.race([closed, sleep(MAX_MS)])
  const ms = performance.now() - began
  // Gives the client time to read what the server sent.
  await sleep(50)
  for (const socket of [silent, speaking]) socket.destroy()
  await closed
  return { ms, answers: answer.includes('farewell') ? 1 : 0 }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}
