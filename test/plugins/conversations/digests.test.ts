import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toDigest } from '../../../plugins/conversations/digest.ts'
import { codePoint } from '../../code-point.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { conversationsHost } from './conversations-host.ts'

const actor = {
  userId: '0198b000-0000-7000-8000-000000000001',
  kind: 'agent',
  scope: 'write',
  credentialId: null,
  credentialLabel: null,
  projects: null,
  client: null,
} as const
const call = {
  tool: 'items_create',
  toolClass: 'W',
  actor,
  at: new Date(),
  input: {},
  result: null,
  ok: true,
  error: null,
} as const

describe('the digest of a call', () => {
  test('contains the tool, its subject and its outcome', () => {
    const result = '{"item":{"ref":"APP#12","title":"Fix"},"changed":["title"]}'
    const { content, refs } = toDigest({ ...call, input: { project_key: 'APP', title: 'Fix\nlogin' }, result })
    assert.deepEqual([content, refs], ['items_create APP APP#12 "Fix login"', ['APP', 'APP#12']])
    const failed = toDigest({
      ...call,
      tool: 'items_get',
      toolClass: 'R',
      input: { item_ref: '#9' },
      ok: false,
      error: 'not_found',
    })
    assert.deepEqual([failed.content, failed.outcome], ['items_get #9 (not_found)', 'not_found'])
    const many = Array.from({ length: 25 }, (_, n) => `#${n}`)
    assert.equal(toDigest({ ...call, input: { item_refs: many } }).refs.length, 5)
    // The first row of a list is not the subject of the call.
    assert.deepEqual(toDigest({ ...call, toolClass: 'R', result: '{"items":[{"ref":"APP#1"}]}' }).refs, [])
  })

  verifies(
    'conversations.digest_secrets',
    'contains no bodies, searches or other arguments, whatever their names',
    () => {
      const secret = fc
        .string({
          minLength: 6,
          maxLength: 40,
          unit: fc.constantFrom(...Array.from('ABCDEFGHKLMNPQRSTUVWXYZ23456789')),
        })
        .map(text => `zz-${text}`)
      const name = fc.constantFrom(
        'body',
        'detail',
        'content_base64',
        'q',
        'pattern',
        'confirm_token',
        'api_key',
        'password',
        'custom_fields',
        'token',
        'body_ref_text',
      )
      const value = (text: string) =>
        fc.constantFrom<unknown>(text, [text], { item_ref: text }, { nested: { title: text } })
      fc.assert(
        fc.property(
          secret.chain(text => fc.tuple(fc.constant(text), fc.dictionary(name, value(text)))),
          ([text, input]) => {
            const digest = toDigest({ ...call, input, result: `{"item":{"ref":"A#1","detail":"${text}"}}` })
            assert.ok(!JSON.stringify(digest).includes(text))
          },
        ),
      )
    },
  )

  test('can be stored for any arguments', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('item_ref', 'item_refs', 'title', 'project_key'),
          fc.anything({ maxDepth: 1, maxKeys: 3 }),
        ),
        fc.string({ unit: codePoint }),
        (input, text) => {
          for (const each of [
            input,
            { title: text, item_ref: text },
            { title: `${text}\u0000\ud800`, item_refs: [text, '\u0000', '\udfff'] },
          ]) {
            const { content, refs } = toDigest({ ...call, input: each })
            for (const part of [content, ...refs])
              assert.ok(part.isWellFormed() && !part.includes('\0') && part.length < 600)
          }
        },
      ),
    )
  })
})

forEachEngine('threads of tool calls', engine => {
  const suite = conversationsHost(engine, { notes: {} })
  const { newUser, threads, as, pass, run } = suite

  verifies(
    ['conversations.digest', 'conversations.thread'],
    'each call adds a digest, also a refused one',
    async () => {
      const user = await newUser()
      const { item } = await user.call('items_create', {
        project_key: 'INBOX',
        title: 'Buy milk',
        detail: 'secret body',
      })
      await user.call('items_get', { item_ref: item.ref })
      await assert.rejects(user.call('items_get', { item_ref: '#99' }))
      await assert.rejects(user.call('items_get', { item_ref: 'a\u0000b' }))
      const [thread, ...others] = await threads(user)
      assert.deepEqual(others, [])
      assert.equal(thread!.open, true)
      assert.deepEqual(thread!.messages, [
        'items_create INBOX INBOX#1 "Buy milk"',
        'items_get INBOX#1',
        'items_get #99 (not_found)',
        'items_get (invalid_argument)',
      ])
    },
  )

  verifies(
    'conversations.thread',
    'a thread belongs to one credential and client, and ends after 30 idle minutes',
    async () => {
      const user = await newUser()
      await as(user, 'claude', 'tasks_list')
      await as(user, 'cursor', 'search_help')
      await as(user, 'claude', 'projects_list')
      await user.call('tasks_list')
      const byClient = (await threads(user)).map(({ client = '', messages }) => [client, messages] as const)
      assert.deepEqual(
        byClient.toSorted(([a], [b]) => a.localeCompare(b)),
        [
          ['', ['tasks_list']],
          ['claude', ['tasks_list', 'projects_list']],
          ['cursor', ['search_help']],
        ],
      )
      await pass(29)
      await as(user, 'claude', 'item_kinds_list')
      await pass(29)
      await as(user, 'claude', 'notifications_list')
      const [claude, ...idle] = await threads(user)
      assert.deepEqual([claude!.open, claude!.messages.length], [true, 4])
      assert.deepEqual(
        idle.map(({ open }) => open),
        [false, false],
      )
      await pass(31)
      // Holds whether or not the job has already closed the thread.
      if (engine === 'pglite') await run('close')
      await as(user, 'claude', 'tasks_list')
      const [fresh, former] = await threads(user)
      assert.deepEqual([fresh!.open, fresh!.messages], [true, ['tasks_list']])
      assert.deepEqual([former!.id, former!.open], [claude!.id, false])
    },
  )

  verifies(
    'conversations.separate',
    'nobody sees the threads of another user, and a limited credential only its own',
    async () => {
      const { host } = suite
      const [project] = await host.sql<{
        id: string
      }>`select id from projects.projects where owner_id = ${host.userId} and key = 'INBOX'`
      const limited = await host.credential({ projects: [project!.id] })
      await host.call('tasks_list')
      await limited.call('projects_list')
      const stranger = await newUser()
      const [own, ...more] = await threads(limited)
      assert.deepEqual([own!.messages, more], [['projects_list'], []])
      assert.equal((await threads(host)).length, 2)
      assert.deepEqual(await threads(stranger), [])
      for (const [method, path, body] of [
        ['GET', `/${own!.id}`, undefined],
        ['GET', `/${own!.id}/messages`, undefined],
        ['POST', `/${own!.id}/messages`, { role: 'user', content: 'mine now' }],
        ['DELETE', `/${own!.id}`, undefined],
      ] as const) {
        const answer = await suite.http(stranger, method, path, body)
        assert.deepEqual([answer.status, answer.body.error.code], [404, 'not_found'], `${method} ${path}`)
      }
      const [broad] = (await threads(host)).filter(({ id }) => id !== own!.id)
      assert.equal((await suite.http(limited, 'GET', `/${broad!.id}`)).status, 404)
    },
  )

  verifies(
    'conversations.digest',
    'a call sends no further statement, and a thousand digests are stored in four',
    async () => {
      const user = await newUser()
      assert.equal((await suite.host.statements(() => user.call('tasks_list'))).length, 1)
      await suite.host.calls.flush()
      const sent: string[] = []
      // Counted here, because `statements` flushes pending writes before it starts.
      const { subscribe, unsubscribe } = await import('node:diagnostics_channel')
      const note = (message: unknown): void => void sent.push((message as { sql: string }).sql)
      subscribe('tasuki.statement', note)
      const { onFinished } = suite.host.calls
      for (let n = 0; n < 1000; n++)
        onFinished!({
          ...call,
          actor: { ...actor, userId: user.userId, client: `client ${n % 5}` },
          input: { item_ref: `#${n}` },
        })
      await suite.host.calls.flush()
      unsubscribe('tasuki.statement', note)
      assert.deepEqual(
        sent.map(text => text.trim().split(/\s+/)[0]!.toLowerCase()),
        Array.from({ length: 4 }, () => ['begin', 'with', 'commit']).flat(),
      )
      const [{ count }] = (await suite.host.sql<{ count: number }>`
      select count(*)::int as count from conversations.messages where owner_id = ${user.userId}`) as [{ count: number }]
      assert.equal(count, 1001)
    },
  )

  verifies('conversations.keep', 'idle threads are closed, and old messages are deleted', async () => {
    const user = await newUser()
    await user.call('notes_create', { title: 'Plan', bind_as_plan_draft: true })
    const old = await suite.talk(user, 'Old', 'long ago', 'also long ago')
    await pass(179 * 24 * 60)
    await suite.http(user, 'POST', `/${old}/messages`, { role: 'user', content: 'recent' })
    await run('close')
    await run('forget')
    assert.equal((await threads(user)).flatMap(({ messages }) => messages).length, 4)
    await pass(2 * 24 * 60)
    await run('close')
    await run('forget')
    const left = await threads(user)
    assert.deepEqual(
      left.map(({ id, open, messages }) => [id, open, messages]),
      [[old, false, ['recent']]],
    )
    assert.equal((await suite.http(user, 'GET', `/${old}`)).body.thread.messages, 1)
    const rows = await suite.host.sql`select 1 from conversations.plans where owner_id = ${user.userId}`
    assert.equal(rows.length, 0)
  })
})
