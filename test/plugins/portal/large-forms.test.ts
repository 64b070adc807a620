import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { eventually } from '../../eventually.ts'

const HELD_BYTES = 290_000

test('strangers who hold long forms open fill no memory, and keep nobody from signing in or sending a long form', async t => {
  const host = await testHost(t)
  await host.call('items_create', { project_key: 'INBOX', title: 'Long' })
  const browser = await host.browser()
  await browser.get('/projects/INBOX/items/1')
  const port = Number(new URL(await host.listen()).port)
  const sockets: Socket[] = []
  t.after(() => sockets.forEach(socket => socket.destroy()))
  const post = (head: string, body: string): Socket => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write(
      `POST /sign-in HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/x-www-form-urlencoded\r\n${head}\r\n\r\n${body}`,
    )
    return socket
  }
  const statusOf = async (socket: Socket): Promise<number> => {
    const [data] = (await once(socket, 'data')) as [Buffer]
    return Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1])
  }
  const refused: Socket[] = []
  for (let n = 0; n < 120; n++) {
    const socket = post(n % 2 ? 'Transfer-Encoding: chunked' : `Content-Length: ${HELD_BYTES}`, '')
    socket.once('data', () => refused.push(socket))
  }
  await eventually(() => assert.ok(refused.length > 0, 'the last ones are refused'))
  assert.equal(await statusOf(post(`Content-Length: ${HELD_BYTES}`, '')), 503)
  assert.equal(await statusOf(post('Content-Length: 13', 'email=a%40b.c')), 403, 'a usual form is read')
  const page = await browser.send('/projects/INBOX/items/1/comments', { body: '長'.repeat(30_000), kind: 'fact' })
  assert.equal(page.status, 303, 'a long form of somebody who is signed in is read')

  for (const socket of sockets) socket.destroy()
  await eventually(async () => {
    const body = `email=a%40b.c&x=${'x'.repeat(HELD_BYTES - 16)}`
    assert.equal(await statusOf(post(`Content-Length: ${body.length}`, body)), 403, 'the memory is free again')
  })
})
