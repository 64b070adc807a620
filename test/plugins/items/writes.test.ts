import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActorKind } from 'tasuki/plugin'
import { testHost, type TestCaller } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item } from './setup.ts'

forEachEngine('writes of items', engine => {
  const shared = itemsHost(engine)
  const { newUser } = shared
  const create = { project_key: 'INBOX', title: 'Once' }

  verifies(
    [
      'idempotency.meta_key',
      'idempotency.header',
      'idempotency.replay',
      'idempotency.conflict',
      'idempotency.per_credential',
    ],
    'a call with an idempotency key runs once: repeated it returns the first result, changed it is refused',
    async () => {
      const [user, other] = [await newUser(), await newUser()]
      const ways = [{ meta: { idempotencyKey: 'k1' } }, { headers: { 'idempotency-key': 'k2' } }]
      for (const [n, options] of ways.entries()) {
        const first = await user.call('items_create', create, options)
        const { replayed, ...again } = await user.call('items_create', create, options)
        assert.deepEqual([again, replayed, 'replayed' in first], [first, true, false])
        assert.equal((await user.refs()).length, n + 1)
        await assert.rejects(user.call('items_create', { ...create, title: 'Other' }, options), {
          code: 'idempotency_conflict',
        })
        await assert.rejects(user.call('items_patch', { item_ref: '#1', title: 'Other' }, options), {
          code: 'idempotency_conflict',
        })
        assert.ok(!('replayed' in (await other.call('items_create', create, options))))
      }
      assert.deepEqual([(await user.refs()).length, (await other.refs()).length], [2, 2])
    },
  )

  verifies('idempotency.concurrent', 'ten equal parallel calls with one idempotency key create one item', async () => {
    const user = await newUser()
    const options = { meta: { idempotencyKey: 'same' } }
    const made = await Promise.all(Array.from({ length: 10 }, () => user.call('items_create', create, options)))
    assert.deepEqual(new Set(made.map(({ item }) => item.ref)), new Set(['INBOX#1']))
    assert.equal(made.filter(({ replayed }) => replayed === true).length, 9)
    assert.equal((await user.refs()).length, 1)
  })

  test('a refused call does not use up its key, and a confirmed bulk change is replayed without asking again', async () => {
    const user = await newUser()
    const options = { meta: { idempotencyKey: 'k' } }
    await assert.rejects(user.call('items_create', { ...create, due_time: '10:00' }, options), {
      code: 'invalid_argument',
    })
    assert.ok(!('replayed' in (await user.call('items_create', create, options))))
    await user.task('Another')
    const bulk = { item_refs: ['#1', '#2'], priority: 'high' }
    const marked = { meta: { idempotencyKey: 'bulk' } }
    const done = await user.confirmed('items_bulk_patch', bulk, marked)
    const { replayed, ...again } = await user.call('items_bulk_patch', bulk, marked)
    assert.deepEqual([again, replayed], [done, true])
  })

  verifies(
    'stale_write.condition',
    'a write of an item that changed since it was read is refused with the current values',
    async () => {
      const user = await newUser()
      await user.task({ title: 'Ship it', detail: 'Body', due_date: '2026-05-01' })
      const { updated_at: read } = await user.get('#1')
      const since = (ifUpdatedAt: string) => ({ meta: { ifUpdatedAt } })
      const first = await user.call('items_patch', { item_ref: '#1', priority: 'high' }, since(read))
      const calls: [tool: string, args: object][] = [
        ['items_patch', { title: 'Lost' }],
        ['items_complete', {}],
        ['items_move_state', { status_definition_id: 'Done' }],
        ['items_rewrite_detail', { new_detail: 'Lost' }],
      ]
      for (const [tool, args] of calls) {
        await assert.rejects(user.call(tool, { item_ref: '#1', ...args }, since(read)), (error: unknown) => {
          const { code, field, details } = error as Item
          assert.deepEqual([code, field], ['stale_write', '_meta.ifUpdatedAt'], tool)
          const { updated_at, title, detail, due_date, priority, status } = details.current
          assert.deepEqual(
            [updated_at, title, detail, due_date, priority, status],
            [first.item.updated_at, 'Ship it', 'Body', '2026-05-01', 'high', 'Backlog'],
          )
          return true
        })
      }
      await user.task('Another')
      const { results } = await user.confirmed(
        'items_bulk_patch',
        { item_refs: ['#1', '#2'], kind: 'bug' },
        since(first.item.updated_at),
      )
      assert.deepEqual(
        results.map(({ error }: Item) => error?.code),
        [undefined, 'stale_write'],
      )
      const { item } = await user.call('items_patch', { item_ref: '#1', title: 'Kept' }, since('2999-01-01T00:00:00Z'))
      assert.equal(item.title, 'Kept')
      await assert.rejects(user.call('items_patch', { item_ref: '#1', title: 'x' }, since('yesterday')), {
        code: 'invalid_argument',
        field: '_meta.ifUpdatedAt',
      })
    },
  )

  test('one of ten parallel conditional patches succeeds, and every change moves updated_at', async () => {
    const user = await newUser()
    await user.task('Ship it')
    const { updated_at } = await user.get('#1')
    const options = { meta: { ifUpdatedAt: updated_at } }
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => user.call('items_patch', { item_ref: '#1', title: `Title ${n}` }, options)),
    )
    const lost = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    assert.deepEqual(
      lost,
      Array.from({ length: 9 }, () => 'stale_write'),
    )
    const times = new Set<string>()
    const patches = Array.from({ length: 10 }, (_, n) =>
      user.call('items_patch', { item_ref: '#1', title: `Again ${n}` }),
    )
    for (const { item } of await Promise.all(patches)) times.add(item.updated_at)
    assert.equal(times.size, 10)
  })

  verifies('stale_write.named_columns', 'parallel patches of different fields all persist', async () => {
    const user = await newUser()
    await user.task({ title: 'Ship it', detail: 'a' })
    const changes = [
      { title: 'New' },
      { due_date: '2026-05-01', due_time: '10:00' },
      { start_date: '2026-04-01' },
      { priority: 'high' },
      { labels: ['x'] },
      { detail_append: 'b' },
      { detail_append: 'b' },
    ]
    await Promise.all([
      ...changes.map(change => user.call('items_patch', { item_ref: '#1', ...change })),
      user.call('items_move_state', { item_ref: '#1', status_definition_id: 'In review' }),
    ])
    const { title, due_date, due_time, start_date, priority, labels, detail, status } = await user.get('#1')
    assert.deepEqual(
      [title, due_date, due_time, start_date, priority, labels, detail, status],
      ['New', '2026-05-01', '10:00', '2026-04-01', 'high', ['x'], 'abb', 'In review'],
    )
  })

  verifies(
    ['actors.last_activity', 'actors.kinds', 'actors.kept', 'items_bulk_patch.last_activity'],
    'last_activity_at moves for people and for assistants on one item, never for bulk tools, agents and the system',
    async t => {
      let now = new Date('2026-05-01T00:00:00Z')
      const host = await testHost(t, { engine, now: () => now })
      const human = await host.credential({ kind: 'human' })
      await host.call('items_create', { project_key: 'INBOX', title: 'One' })
      await host.call('items_create', { project_key: 'INBOX', title: 'Two' })
      const moves = async (work: () => Promise<unknown>): Promise<boolean> => {
        now = new Date(now.getTime() + 60_000)
        const before = (await host.call('items_get', { item_ref: '#1' })).item
        await work()
        const { item } = await host.call('items_get', { item_ref: '#1' })
        assert.ok(item.updated_at > before.updated_at)
        if (item.last_activity_at !== before.last_activity_at) assert.equal(item.last_activity_at, item.updated_at)
        return item.last_activity_at !== before.last_activity_at
      }
      let title = 0
      const patch = (caller: TestCaller) => () =>
        caller.call('items_patch', { item_ref: '#1', title: `Title ${++title}` })
      const as = (kind: ActorKind) => async (): Promise<unknown> => {
        const found = (await host.authenticator.authenticate(human.token))!
        const principal = { ...found, actor: { ...found.actor, kind } }
        const line = {
          capabilities: {},
          progress: () => {},
          log: () => {},
          ask: () => Promise.reject(new Error('nobody')),
          requireAgreed: () => undefined,
        }
        const call = {
          name: 'items_patch',
          requestId: 'r',
          ifUpdatedAt: null,
          clientName: null,
          cancellation: new AbortController(),
        }
        const { tool } = host.registry.tools.get('items_patch')!
        return host.runner.write({ ...call, principal, log: host.app.log, client: line }, ctx =>
          tool.run(ctx, { item_ref: '#1', title: `Title ${++title}` } as never),
        )
      }
      assert.equal(await moves(patch(human)), true)
      assert.equal(
        await moves(() => human.call('items_move_state', { item_ref: '#1', status_definition_id: 'Done' })),
        true,
      )
      assert.equal(await moves(as('assistant')), true)
      assert.equal(await moves(patch(host)), false)
      assert.equal(await moves(as('system')), false)
      const bulk = { item_refs: ['#1', '#2'], priority: 'high' }
      assert.equal(await moves(() => human.confirmed('items_bulk_patch', bulk)), false)
      const { activities } = await host.call('activities_list', { item_ref: '#1' })
      assert.deepEqual(
        activities.map(({ actor_kind }: Item) => actor_kind),
        ['human', 'system', 'agent', 'assistant', 'human', 'human', 'agent'],
      )
      const [, , , , , byHuman, created] = activities
      assert.deepEqual([byHuman.credential, created.credential], ['human token', 'token of owner@example.com'])
    },
  )
})
