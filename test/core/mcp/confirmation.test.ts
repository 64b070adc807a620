import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { startStoredDemo, type StoredDemo } from './database.ts'
import { errorOf, resultOf, toolResult, callModern, call, NOW, type ToolResult } from './stub.ts'
import { verifies } from '../../verifies.ts'

let demo: StoredDemo
before(async () => {
  demo = await startStoredDemo()
})
after(() => demo.close())
beforeEach(() => {
  demo.world.now = NOW
  demo.world.title = ''
  demo.world.ran.length = 0
})

const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000)
const tokenOf = (result: ToolResult): string => result.payload.error!.details!.confirm_token!
const codeOf = (result: ToolResult): string | undefined => result.payload.error?.code

describe('a client that cannot be asked confirms by token', () => {
  test('the first call changes nothing and describes the effect, the second runs', async () => {
    const first = await call(demo.app, 'note_delete', { id: 7 })
    assert.equal(codeOf(first), 'confirmation_required')
    assert.match(first.payload.error!.message, /Delete note 7/)
    assert.deepEqual(demo.world.ran, [])
    const second = await call(demo.app, 'note_delete', { confirm_token: tokenOf(first), id: 7 })
    assert.deepEqual(second.payload, { deleted: true, id: 7 })
  })

  test('the token is stored as a hash only', async () => {
    const token = tokenOf(await call(demo.app, 'note_delete', { id: 8 }))
    const { rows } = await sql<{ all: string }>`select row_to_json(c)::text as all from core.confirmations c`.execute(
      demo.database.write,
    )
    assert.ok(rows.length > 0)
    assert.ok(rows.every(row => !row.all.includes(token)))
  })

  verifies('confirm.token_once', 'a token works once', async () => {
    const confirm_token = tokenOf(await call(demo.app, 'note_delete', { id: 7 }))
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, confirm_token })), undefined)
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, confirm_token })), 'confirmation_invalid')
    assert.deepEqual(demo.world.ran, ['note_delete'])
  })

  verifies('confirm.token_once', 'a token works only for its arguments and credential, within 10 minutes', async () => {
    const confirm_token = tokenOf(await call(demo.app, 'note_delete', { id: 7 }))
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 8, confirm_token })), 'confirmation_invalid')
    const headers = { authorization: 'Bearer other' }
    assert.equal(
      codeOf(await call(demo.app, 'note_delete', { id: 7, confirm_token }, { headers })),
      'confirmation_invalid',
    )
    demo.world.now = minutes(10)
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, confirm_token })), 'confirmation_invalid')
    demo.world.now = minutes(9)
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, confirm_token })), undefined)
  })

  test('a token is no agreement to another effect', async () => {
    const confirm_token = tokenOf(await call(demo.app, 'note_delete', { id: 7 }))
    demo.world.title = ' called Plan'
    const refused = await call(demo.app, 'note_delete', { id: 7, confirm_token })
    assert.equal(codeOf(refused), 'confirmation_invalid')
    assert.match(refused.payload.error!.message, /Delete note 7 called Plan$/)
    assert.deepEqual(demo.world.ran, [])
    const again = tokenOf(await call(demo.app, 'note_delete', { id: 7 }))
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, confirm_token: again })), undefined)
  })

  test('a made-up token is refused', async () => {
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, confirm_token: 'cfm_x' })), 'confirmation_invalid')
    assert.deepEqual(demo.world.ran, [])
  })

  test('a failed write does not use up its token', async () => {
    const confirm_token = tokenOf(await call(demo.app, 'note_delete', { id: 7, fail: true }))
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, fail: true, confirm_token })), 'conflict')
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 7, fail: true, confirm_token })), undefined)
  })

  test('a call that cannot succeed is refused without asking', async () => {
    assert.equal(codeOf(await call(demo.app, 'note_delete', { id: 404 })), 'not_found')
  })

  test('expired tokens are deleted when new ones are created', async () => {
    await call(demo.app, 'note_delete', { id: 1 })
    demo.world.now = minutes(60)
    await call(demo.app, 'note_delete', { id: 2 })
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from core.confirmations`.execute(
      demo.database.write,
    )
    assert.equal(rows[0]!.n, 1)
  })
})

describe('a client of 2026-07-28 that shows forms is asked', () => {
  interface Question {
    readonly resultType: string
    readonly requestState: string
    readonly inputRequests: {
      readonly confirm: { readonly method: string; readonly params: { readonly message: string } }
    }
  }
  const ELICITATION = { elicitation: {} }
  const ask = async (args: Readonly<Record<string, unknown>> = { id: 7 }) =>
    resultOf<Question>(await callModern(demo.app, 'note_delete', args, ELICITATION))
  const answer = (requestState: string, reply: object, args: Readonly<Record<string, unknown>> = { id: 7 }) =>
    callModern(demo.app, 'note_delete', args, ELICITATION, { requestState, inputResponses: { confirm: reply } })
  const YES = { action: 'accept', content: { confirm: true } }

  verifies(
    'confirm.input_required',
    'with the effect, and the call runs when it is sent again with consent',
    async () => {
      const question = await ask()
      assert.equal(question.resultType, 'input_required')
      assert.equal(question.inputRequests.confirm.method, 'elicitation/create')
      assert.match(question.inputRequests.confirm.params.message, /Delete note 7/)
      assert.deepEqual(demo.world.ran, [])
      demo.world.title = ' called Plan'
      assert.equal(codeOf(toolResult(await answer(question.requestState, YES))), 'confirmation_invalid')
      demo.world.title = ''
      const done = toolResult(await answer(question.requestState, YES))
      assert.deepEqual(done.payload, { deleted: true, id: 7 })
    },
  )

  for (const reply of [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { confirm: false } },
  ]) {
    test(`and nothing happens after ${JSON.stringify(reply)}`, async () => {
      const { requestState } = await ask()
      const { payload } = toolResult(await answer(requestState, reply))
      assert.equal(payload.error!.code, 'confirmation_required')
      assert.equal(payload.error!.details!['declined'], true)
      assert.deepEqual(demo.world.ran, [])
    })
  }

  for (const reply of [
    {},
    { action: 'accept' },
    { action: 'accept', content: { confirm: 'yes' } },
    { action: 'ACCEPT' },
  ]) {
    test(`and asked again after ${JSON.stringify(reply)}, which is not an answer`, async () => {
      const { requestState } = await ask()
      assert.equal(resultOf<Question>(await answer(requestState, reply)).resultType, 'input_required')
      assert.deepEqual(demo.world.ran, [])
    })
  }

  test('consent is valid for the same arguments, credential and tool, unchanged, within 10 minutes', async () => {
    const { requestState } = await ask()
    const refused = async (response: ReturnType<typeof answer>) => assert.equal(errorOf(await response).code, -32602)
    await refused(answer(requestState, YES, { id: 8 }))
    await refused(answer(`${requestState.slice(0, -2)}xx`, YES))
    await refused(answer('', YES))
    const [body, signature] = requestState.split('.')
    await refused(
      answer(
        `${Buffer.from(Buffer.from(body!, 'base64url').toString().replace('false', 'true')).toString('base64url')}.${signature}`,
        YES,
      ),
    )
    demo.world.now = minutes(10)
    await refused(answer(requestState, YES))
    assert.deepEqual(demo.world.ran, [])
  })

  test('answers without the signed state are ignored', async () => {
    const more = { inputResponses: { confirm: YES } }
    const response = await callModern(demo.app, 'note_delete', { id: 7 }, ELICITATION, more)
    assert.equal(resultOf<Question>(response).resultType, 'input_required')
    assert.deepEqual(demo.world.ran, [])
  })

  for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
    test(`a client with the capabilities ${JSON.stringify(capabilities)} gets a token instead`, async () => {
      const result = toolResult(await callModern(demo.app, 'note_delete', { id: 7 }, capabilities))
      assert.equal(codeOf(result), 'confirmation_required')
      const args = { id: 7, confirm_token: tokenOf(result) }
      assert.equal(codeOf(toolResult(await callModern(demo.app, 'note_delete', args, capabilities))), undefined)
    })
  }
})

describe('config', () => {
  verifies('confirm.modes', '"token" never asks, "off" confirms nothing', async () => {
    for (const [confirm, expected] of [
      ['token', 'confirmation_required'],
      ['off', undefined],
    ] as const) {
      const other = await startStoredDemo({ confirm })
      try {
        const result = toolResult(await callModern(other.app, 'note_delete', { id: 7 }, { elicitation: {} }))
        assert.equal(codeOf(result), expected)
      } finally {
        await other.close()
      }
    }
  })
})
