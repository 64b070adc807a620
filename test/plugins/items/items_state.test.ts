import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'tasuki/plugin'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item, type ItemsUser } from './setup.ts'

forEachEngine('items_complete and items_move_state', engine => {
  const shared = itemsHost(engine)
  const { newUser, statements } = shared
  const start = async (): Promise<ItemsUser> => {
    const user = await newUser()
    await user.task('Ship it')
    return user
  }
  const move = (user: ItemsUser, state: string, args: object = {}) =>
    user.call('items_move_state', { item_ref: '#1', status_definition_id: state, ...args })
  const history = async (user: ItemsUser): Promise<Item[]> =>
    (await user.call('activities_list', { item_ref: '#1' })).activities

  verifies(
    [
      'items_complete.default_state',
      'items_complete.completed_at',
      'items_complete.reason',
      'items_complete.activity',
      'item.completed_at',
    ],
    'completing puts the item into the default completion state, with time and reason',
    async () => {
      const user = await start()
      assert.equal((await user.get('#1'))['completed_at'], null)
      const { item, changed } = await user.call('items_complete', { item_ref: '#1', reason: 'shipped' })
      assert.deepEqual([item.status, item.system_status, changed], ['Done', 'closed', ['status']])
      assert.equal(item.completed_at, item.updated_at)
      const [newest] = await history(user)
      const { kind, from, to, reason } = newest!
      assert.deepEqual([kind, from, to, reason], ['item.completed', 'Backlog', 'Done', 'shipped'])
    },
  )

  verifies('items_complete.twice', 'completing again succeeds and changes nothing', async () => {
    const user = await start()
    await user.call('items_complete', { item_ref: '#1' })
    const before = await user.get('#1')
    assert.deepEqual((await user.call('items_complete', { item_ref: '#1' })).changed, [])
    assert.deepEqual(await user.get('#1'), before)
    assert.equal((await history(user)).length, 2)
  })

  verifies(
    'items_complete.default_state',
    'an item in another closed state moves there too, and keeps its time',
    async () => {
      const user = await start()
      const { item: before } = await move(user, "Won't fix")
      const { item, changed } = await user.call('items_complete', { item_ref: '#1', reason: 'It was fixed' })
      assert.deepEqual([item.status, changed], ['Done', ['status']])
      assert.equal(item.completed_at, before.completed_at)
    },
  )

  verifies(
    ['items_move_state.target', 'items_move_state.reason', 'refs.state_name', 'results.state_in_singles'],
    'an item moves to any state of the workflow, by id or name; the answer names it, and a read returns all of it',
    async () => {
      const user = await start()
      const { states } = await user.call('workflow_states_list', { project_key: 'INBOX' })
      for (const { id, name, system_status, category, status_attribute, color_hex } of states as Item[]) {
        const { item } = await move(user, id, { reason: `to ${name}` })
        assert.deepEqual([item.status, item.system_status], [name, system_status])
        const read = await user.get('#1')
        assert.deepEqual(
          [read['status'], read['status_definition_id'], read['system_status']],
          [name, id, system_status],
        )
        assert.deepEqual(read['state'], { category, status_attribute, color_hex })
      }
      assert.equal((await history(user))[0]!['reason'], "to Won't fix")
      assert.equal((await move(user, 'ＩＮ review ')).item.status, 'In review')
      assert.deepEqual((await move(user, 'in Review')).changed, [])
    },
  )

  verifies(
    ['items_move_state.foreign_state', 'refs.state_allowed', 'errors.allowed_limit'],
    'a state of another workflow is refused by name with the existing states',
    async () => {
      const user = await start()
      await user.createProject('APP')
      await user.ownWorkflow('APP', { 'In review': 'Checking' })
      const { states } = await user.call('workflow_states_list', { project_key: 'APP' })
      const checking = states.find((state: Item) => state['name'] === 'Checking')
      const allowed = ['Backlog', 'In progress', 'In review', 'Done', 'Duplicate', "Won't fix"]
      await assert.rejects(move(user, checking.id), {
        code: 'workflow_mismatch',
        field: 'status_definition_id',
        message: 'The workflow "Standard" of INBOX#1 has no state "Checking" of the workflow "Flow of APP".',
        allowed,
      })
      await assert.rejects(move(user, 'Nowhere'), {
        message: 'The workflow "Standard" of INBOX#1 has no state "Nowhere".',
        allowed,
      })
      const stranger = await newUser()
      await stranger.task('x')
      await assert.rejects(move(stranger, checking.id), { message: new RegExp(`no state "${checking.id}"`) })
    },
  )

  verifies(
    'items_move_state.reopen',
    'moving from closed to open reopens the item; from closed to closed keeps the time',
    async () => {
      const user = await start()
      const completed = (await move(user, 'Done')).item.completed_at
      assert.equal((await move(user, 'Duplicate')).item.completed_at, completed)
      const reopened = await move(user, 'In progress', { reason: 'not yet' })
      assert.deepEqual([reopened.item.completed_at, reopened.item.system_status], [null, 'open'])
      assert.deepEqual(
        (await history(user)).map(({ kind }) => kind),
        ['item.reopened', 'item.state.changed', 'item.completed', 'item.created'],
      )
      assert.equal((await history(user))[0]!['reason'], 'not yet')
    },
  )

  verifies(
    ['items_move_state.enforced', 'items_complete.not_enforced'],
    'an enforced workflow allows only defined transitions, and always completing',
    async () => {
      const user = await start()
      await user.ownWorkflow('INBOX')
      await shared.host.command('workflow enforce', { workflow: 'Flow of INBOX', enforce: 'on', user: user.email })
      await assert.rejects(move(user, 'In review'), {
        code: 'transition_not_allowed',
        message:
          'The workflow "Flow of INBOX" has no transition from "Backlog" to "In review", and INBOX#1 is in "Backlog".',
        allowed: ['In progress', 'Duplicate', "Won't fix"],
      })
      await user.task('Another')
      const both = { item_refs: ['#1', '#2'], status_definition_id: 'Done' }
      const { results } = await user.confirmed('items_bulk_patch', both)
      assert.deepEqual(
        results.map((result: Item) => result['error'].code),
        ['transition_not_allowed', 'transition_not_allowed'],
      )
      assert.equal((await move(user, 'In progress')).item.status, 'In progress')
      assert.equal((await user.call('items_complete', { item_ref: '#2' })).item.status, 'Done')
    },
  )

  test('parallel moves of one item all succeed, one after the other', async () => {
    const user = await start()
    const states = ['In progress', 'In review', 'Done', 'Duplicate', 'Backlog', 'In progress', 'Done', 'In review']
    const moved = await Promise.all(states.map(state => move(user, state)))
    assert.deepEqual(
      moved.map(({ item }) => item.status),
      states,
    )
    const kept = (await history(user)).toReversed().slice(1)
    assert.ok(kept.length >= 2)
    for (const [n, { from }] of kept.entries()) assert.equal(from, n === 0 ? 'Backlog' : kept[n - 1]!['to'])
  })

  test('no item ends up in a concurrently deleted state', async () => {
    const user = await start()
    /** Deletes a state like an edit of its workflow, and keeps the transaction open for a while. */
    const deleting = (name: string): { done: Promise<void>; begun: Promise<void> } => {
      const { promise: begun, resolve } = Promise.withResolvers<void>()
      const done = shared.host.write(async ({ db }) => {
        await sql`update workflows.workflows set updated_at = now() where owner_id = ${user.userId}`.execute(db)
        await sql`update workflows.states set archived_at = now() where owner_id = ${user.userId} and name = ${name}`.execute(
          db,
        )
        resolve()
        await setTimeout(200)
      })
      return { done, begun }
    }
    const review = deleting('In review')
    await review.begun
    const moved = assert.rejects(move(user, 'In review'), { code: 'workflow_mismatch' })
    await review.done
    await moved
    const backlog = deleting('Backlog')
    await backlog.begun
    const born = user.call('items_create', { project_key: 'INBOX', title: 'Born' })
    const outcome = await born.then(
      ({ item }) => item.status,
      (error: Item) => error['code'],
    )
    await backlog.done
    assert.ok(['In progress', 'unavailable'].includes(outcome), outcome)
    assert.equal((await user.call('items_create', { project_key: 'INBOX', title: 'Next' })).item.status, 'In progress')
  })

  test('a state change takes five statements, and completing looks for required fields', async () => {
    const user = await start()
    assert.equal((await statements(() => move(user, 'In progress'))).length, 5)
    assert.equal((await statements(() => user.call('items_complete', { item_ref: '#1' }))).length, 6)
    assert.equal((await statements(() => user.call('items_complete', { item_ref: '#1' }))).length, 3)
  })
})
