import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorOf, modernMeta, plain, rpc, send, startDemo, type Demo } from './stub.ts'
import { verifies } from '../../verifies.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.app.close())

describe('messages without an answer', () => {
  const notification = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', method, params })
  for (const [what, post] of [
    ['notifications/initialized', plain(notification('notifications/initialized'))],
    ['an unknown notification', plain(notification('notifications/nope'))],
    ['a cancellation of nothing', plain(notification('notifications/cancelled', { requestId: 9 }))],
    ['a response nobody waits for', plain('{"jsonrpc":"2.0","id":7,"result":{}}')],
    ['a modern notification', plain(notification('notifications/nope', { _meta: modernMeta() }))],
    ['a batch of notifications', plain(`[${notification('notifications/initialized')}]`)],
  ] as const) {
    verifies('endpoint.notifications', `${what} is accepted with 202 and no body`, async () => {
      const response = await send(demo.app, post)
      assert.equal(response.statusCode, 202)
      assert.equal(response.body, '')
    })
  }
})

describe('batches of 2025-03-26', () => {
  verifies(
    'revisions.batch',
    'one invalid element does not affect the others, and a single element is answered by a list',
    async () => {
      const body = `[${rpc('ping', undefined, 1)},1,${rpc('initialize', {}, 'i')},${rpc('nope', undefined, 3)}]`
      const answers = (await send(demo.app, plain(body))).json<{ id: unknown; error?: { code: number } }[]>()
      assert.deepEqual(
        answers.map(({ id, error }) => [id, error?.code]),
        [
          [1, undefined],
          [null, -32600],
          ['i', -32600],
          [3, -32601],
        ],
      )
      assert.equal((await send(demo.app, plain(`[${rpc('ping')}]`))).json<unknown[]>().length, 1)
    },
  )

  for (const [what, body] of [
    ['an empty batch', '[]'],
    ['a batch of 51', `[${Array.from({ length: 51 }, (_, id) => rpc('ping', undefined, id)).join(',')}]`],
  ] as const) {
    test(`${what} is refused`, async () => {
      const response = await send(demo.app, plain(body))
      assert.equal(response.statusCode, 400)
      assert.equal(errorOf(response).code, -32600)
    })
  }

  test('a modern request in a batch is refused at its position', async () => {
    const body = `[${rpc('tools/list', { _meta: modernMeta() })}]`
    assert.equal((await send(demo.app, plain(body))).json<{ error: { code: number } }[]>()[0]!.error.code, -32600)
  })
})
