import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { plugin } from '../../fixtures/plugins/conformance.ts'
import { listen, post } from './events.ts'
import { errorOf, legacyHeaders, resultOf, rpc, send, startDemo, toolResult, callModern, readTool } from './stub.ts'
import type { Demo } from './stub.ts'
import { verifies } from '../../verifies.ts'

let demo: Demo
let url: string
before(async () => {
  demo = await startDemo({ plugins: [plugin.spec], listChanged: true })
  void plugin.spec.routes?.(demo.app, {} as never)
  url = await listen(demo.app)
})
after(() => demo.app.close())
beforeEach(() => {
  demo.world.ran.length = 0
})

describe('sessions of the 2025 revisions', () => {
  const open = async (capabilities: object, protocolVersion = '2025-11-25'): Promise<string | undefined> => {
    const params = { protocolVersion, capabilities, clientInfo: { name: 'former', version: '1' } }
    const response = await send(demo.app, { body: rpc('initialize', params), headers: legacyHeaders(protocolVersion) })
    const id = response.headers['mcp-session-id']
    return id === undefined ? undefined : String(id)
  }
  const answer = (session: string, id: unknown, result: object) =>
    send(demo.app, {
      body: JSON.stringify({ jsonrpc: '2.0', id, result }),
      headers: { ...legacyHeaders('2025-11-25'), 'mcp-session-id': session },
    })
  const callIn = (session: string, name: string, args: Readonly<Record<string, unknown>> = {}) =>
    post(url, rpc('tools/call', { name, arguments: args }), {
      ...legacyHeaders('2025-11-25'),
      'mcp-session-id': session,
    })

  test('are created only for clients that can be asked', async () => {
    assert.equal(await open({}), undefined)
    assert.equal(await open({ tasks: {} }), undefined)
    assert.equal(await open({ elicitation: {} }, '2025-03-26'), undefined)
    for (const capability of ['elicitation', 'sampling', 'roots'])
      assert.match((await open({ [capability]: {} }))!, /^[0-9a-f-]{36}$/)
  })

  test('of 2025-03-26 are not asked by elicitation, which it does not have', async () => {
    const session = (await open({ elicitation: {}, roots: {} }, '2025-03-26'))!
    const stream = await post(url, rpc('tools/call', { name: 'note_delete', arguments: { id: 7 } }), {
      ...legacyHeaders('2025-03-26'),
      'mcp-session-id': session,
    })
    assert.match(stream.contentType, /^application\/json/)
    stream.drop()
  })

  test('can be switched off', async () => {
    const stateless = await startDemo({ sessions: false })
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } }
    const response = await send(stateless.app, { body: rpc('initialize', params) })
    assert.equal(response.headers['mcp-session-id'], undefined)
    await stateless.app.close()
  })

  test('end by DELETE; then their id is 404', async () => {
    const session = (await open({ elicitation: {} }))!
    const headers = { host: 'localhost', ...legacyHeaders('2025-11-25'), 'mcp-session-id': session }
    const ping = () => send(demo.app, { body: rpc('ping'), headers })
    assert.equal((await ping()).statusCode, 200)
    const stranger = await demo.app.inject({
      method: 'DELETE',
      url: '/mcp',
      headers: { ...headers, authorization: 'Bearer other' },
    })
    assert.equal(stranger.statusCode, 404)
    assert.equal((await demo.app.inject({ method: 'DELETE', url: '/mcp', headers })).statusCode, 204)
    assert.equal((await ping()).statusCode, 404)
  })

  test('belong to their credential', async () => {
    const session = (await open({ elicitation: {} }))!
    const headers = { ...legacyHeaders('2025-11-25'), authorization: 'Bearer other', 'mcp-session-id': session }
    assert.equal((await send(demo.app, { body: rpc('ping'), headers })).statusCode, 404)
  })

  verifies('confirm.elicitation', 'a destructive call asks on its own stream and runs after consent', async () => {
    const session = (await open({ elicitation: {} }))!
    const stream = await callIn(session, 'note_delete', { id: 7 })
    const question = (await stream.next())!
    assert.equal(question.method, 'elicitation/create')
    assert.match(String(question.params!['message']), /Delete note 7/)
    assert.deepEqual(demo.world.ran, [])
    const accepted = await answer(session, question.id, { action: 'accept', content: { confirm: true } })
    assert.equal(accepted.statusCode, 202)
    const [done] = await stream.rest()
    assert.deepEqual(readTool(done!.result).payload, { deleted: true, id: 7 })
  })

  verifies('confirm.declined', 'a destructive call does nothing after a refusal', async () => {
    const session = (await open({ elicitation: {} }))!
    const stream = await callIn(session, 'note_delete', { id: 7 })
    await answer(session, (await stream.next())!.id, { action: 'decline' })
    const [done] = await stream.rest()
    const { error } = readTool(done!.result).payload
    assert.deepEqual([error!.code, error!.details!['declined']], ['confirmation_required', true])
    assert.deepEqual(demo.world.ran, [])
  })

  test('an answer on another session does not count', async () => {
    const [session, other] = [(await open({ elicitation: {} }))!, (await open({ elicitation: {} }))!]
    const stream = await callIn(session, 'note_delete', { id: 7 })
    const { id } = (await stream.next())!
    await answer(other, id, { action: 'accept', content: { confirm: true } })
    assert.deepEqual(demo.world.ran, [])
    await answer(session, id, { action: 'decline' })
    await stream.rest()
  })

  test('a handler gets its answers and its state back', async () => {
    const session = (await open({ elicitation: {} }))!
    const stream = await callIn(session, 'ask_get')
    await answer(session, (await stream.next())!.id, { action: 'accept', content: { name: 'Ann' } })
    const [done] = await stream.rest()
    assert.deepEqual(readTool(done!.result).payload, { name: 'Ann', state: { kept: 1 } })
  })

  test('a handler that asks a client without a session is refused', async () => {
    const { payload } = toolResult(
      await send(demo.app, { body: rpc('tools/call', { name: 'ask_get' }), headers: legacyHeaders('2025-11-25') }),
    )
    assert.equal(payload.error!.code, 'unavailable')
  })

  test('an error or an invalid answer ends the call', async () => {
    const session = (await open({ elicitation: {} }))!
    const stream = await callIn(session, 'ask_get')
    await answer(session, (await stream.next())!.id, { action: 'accept', content: { name: 5 } })
    const [done] = await stream.rest()
    assert.equal(readTool(done!.result).payload.error!.code, 'unavailable')
  })

  test('calls carry the name of the client', async () => {
    await open({})
    const response = await send(demo.app, {
      body: rpc('tools/call', { name: 'note_create', arguments: { title: 'client' } }),
      headers: legacyHeaders('2025-11-25'),
    })
    assert.equal(toolResult(response).payload['title'], 'former')
    const modern = await callModern(demo.app, 'note_create', { title: 'client' })
    assert.equal(toolResult(modern).payload['title'], 'probe')
  })
})

describe('questions of handlers in 2026-07-28', () => {
  interface Question {
    readonly resultType: string
    readonly requestState?: string
    readonly inputRequests: Readonly<Record<string, unknown>>
  }
  const FORMS = { elicitation: {} }

  test('a capability that the client lacks is -32021 with HTTP 400', async () => {
    const response = await callModern(demo.app, 'ask_get', {})
    assert.equal(response.statusCode, 400)
    assert.deepEqual(errorOf(response).data, { requiredCapabilities: { elicitation: {} } })
    assert.equal(errorOf(response).code, -32021)
  })

  test('the call returns the question and runs again with the answer and the state', async () => {
    const question = resultOf<Question>(await callModern(demo.app, 'ask_get', {}, FORMS))
    assert.deepEqual([question.resultType, Object.keys(question.inputRequests)], ['input_required', ['who']])
    const inputResponses = { who: { action: 'accept', content: { name: 'Ann' } }, extra: 1 }
    const more = { inputResponses, requestState: question.requestState }
    const done = toolResult(await callModern(demo.app, 'ask_get', {}, FORMS, more))
    assert.deepEqual(done.payload, { name: 'Ann', state: { kept: 1 } })
  })

  test('the state contains the answers of earlier rounds', async () => {
    const name = 'test_input_required_result_multi_round'
    const accept = (content: object) => ({ action: 'accept', content })
    const first = resultOf<Question>(await callModern(demo.app, name, {}, FORMS))
    const second = resultOf<Question>(
      await callModern(demo.app, name, {}, FORMS, {
        requestState: first.requestState,
        inputResponses: { step1: accept({ name: 'Ann' }) },
      }),
    )
    assert.deepEqual(Object.keys(second.inputRequests), ['step2'])
    const done = toolResult(
      await callModern(demo.app, name, {}, FORMS, {
        requestState: second.requestState,
        inputResponses: { step2: accept({ color: 'red' }) },
      }),
    )
    assert.equal(done.content[0]!.text, 'Multi-round complete: Ann likes red')
  })

  for (const [what, inputResponses] of [
    ['no answer', {}],
    ['an answer to something else', { other: { action: 'accept', content: { name: 'x' } } }],
    ['an answer of the wrong type', { who: { action: 'accept', content: { name: 5 } } }],
    ['an answer without its field', { who: { action: 'accept', content: {} } }],
  ] as const) {
    test(`${what} is asked for again`, async () => {
      const { requestState } = resultOf<Question>(await callModern(demo.app, 'ask_get', {}, FORMS))
      const again = await callModern(demo.app, 'ask_get', {}, FORMS, { requestState, inputResponses })
      assert.equal(resultOf<Question>(again).resultType, 'input_required')
    })
  }

  test('answers that are not an object, or nested too deeply, are refused', async () => {
    assert.equal(errorOf(await callModern(demo.app, 'ask_get', {}, FORMS, { inputResponses: [] })).code, -32602)
    const deep = JSON.parse('['.repeat(70) + ']'.repeat(70)) as unknown
    const result = toolResult(await callModern(demo.app, 'ask_get', {}, FORMS, { inputResponses: { who: deep } }))
    assert.equal(result.payload.error!.code, 'invalid_argument')
  })

  test('a state of another tool is refused', async () => {
    const { requestState } = resultOf<Question>(await callModern(demo.app, 'ask_get', {}, FORMS))
    const name = 'test_input_required_result_request_state'
    assert.equal(errorOf(await callModern(demo.app, name, {}, FORMS, { requestState })).code, -32602)
  })
})
