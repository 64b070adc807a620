import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin, defineTool, Type } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'

/** Shorter than the timeout for headers. */
const SOON_MS = 10_000

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

test('an unused connection does not delay the stop; a connection that waits for its answer gets it', async t => {
  const called = Promise.withResolvers<void>()
  const plugin = definePlugin({
    name: 'lastwords',
    version: '1.0.0',
    api: 1,
    group: 'lastwords',
    tools: [
      defineTool({
        name: 'lastwords_say',
        class: 'R',
        title: 'Say',
        summary: 'Answers while the service ends.',
        input: Type.Object({}, { additionalProperties: false }),
        output: Type.Object({ said: Type.String() }),
        async run() {
          called.resolve()
          await sleep(500)
          return { said: 'farewell' }
        },
      }),
    ],
  })
  const host = await testHost(t, { only: ['projects'], plugins: [plugin] })
  const port = Number(new URL(await host.listen()).port)
  const silent = await Promise.all([opened(port), opened(port)])
  const speaking = await opened(port)
  let answer = ''
  speaking.setEncoding('utf8').on('data', (text: string) => (answer += text))
  const params = { name: 'lastwords_say', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  speaking.write(
    [
      'POST /mcp HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${host.token}`,
      'content-type: application/json',
    ].join('\r\n') + `\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const ended = Promise.all([...silent, speaking].map(socket => once(socket, 'close')))
  await called.promise
  const began = performance.now()
  await host.app.close()
  await ended
  const took = performance.now() - began
  assert.ok(took < SOON_MS, `${took} ms`)
  assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*farewell/)
})

test('a request that is sent just as the stop begins is answered, on a new and on a kept connection', async t => {
  const host = await testHost(t, { only: ['projects'] })
  const port = Number(new URL(await host.listen()).port)
  const [kept, fresh] = await Promise.all([opened(port), opened(port)])
  const answers = [kept, fresh].map(socket => {
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => (text += part))
    return once(socket, 'close').then(() => text)
  })
  const asks = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
  kept.write(asks)
  await once(kept, 'data')
  const closed = host.app.close()
  for (const socket of [kept, fresh]) socket.write(asks)
  await closed
  const [first, second] = await Promise.all(answers)
  assert.match(first!, /^HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 [^]*connection: close/i)
  assert.match(second!, /^HTTP\/1\.1 200 [^]*connection: close/i)
})
