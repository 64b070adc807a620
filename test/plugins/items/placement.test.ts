import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { plugin } from '../../fixtures/plugins/customers.ts'
import { sharedHost, type Newcomer } from '../../shared-host.ts'

/**
 * Creates a user with two projects. The first has Acme with an office in Osaka, and Globex; the second has Acme and Osaka as separate
 * customers.
 */
async function start(newUser: () => Promise<Newcomer>): Promise<Newcomer> {
  const user = await newUser()
  for (const key of ['OLD', 'NEW']) await user.createProject(key)
  const create = (project_key: string, name: string, parent = '') =>
    user.call('customers_create', { project_key, name, parent })
  await create('OLD', ' Acme ')
  await create('OLD', 'Osaka', 'acme')
  await create('OLD', 'Globex')
  await create('NEW', 'Acme')
  await create('NEW', 'Osaka')
  return user
}

forEachEngine('a placement of a third party', engine => {
  const { newUser, statements } = sharedHost(engine, {
    config: { plugins: { project_admin: {} } },
    plugins: [plugin],
  })
  const item = async (user: Newcomer, args: object): Promise<Record<string, unknown>> =>
    (await user.call('items_create', { project_key: 'OLD', title: 'Task', ...args })).item

  test('an item is created for a customer, or for the customer of its parent', async () => {
    const user = await start(newUser)
    const parent = await item(user, { customer: 'ＡＣＭＥ / osaka' })
    assert.equal(parent['customer_path'], 'Acme/Osaka')
    assert.equal((await item(user, { customer: 'osaka' }))['customer_path'], 'Acme/Osaka')
    assert.equal((await item(user, { parent: parent['ref'] }))['customer_path'], 'Acme/Osaka')
    assert.ok(!('customer_path' in (await item(user, { parent: parent['ref'], customer: null }))))
    await assert.rejects(item(user, { customer: 'Initech' }), {
      code: 'not_found',
      message: /OLD has no customer "Initech"\./,
      field: 'customer',
      allowed: ['Acme', 'Acme/Osaka', 'Globex'],
      hint: 'customers_create makes a new customer.',
    })
    await user.call('customers_leave', { project_key: 'OLD', customer: 'Acme' })
    await assert.rejects(item(user, { customer: 'osaka' }), {
      code: 'conflict',
      message: /Acme\/Osaka is no longer a customer\./,
    })
    assert.ok(!('customer_path' in (await item(user, { parent: parent['ref'] }))), 'nothing new is inherited from it')
  })

  test('many items change their customer at once, in as many statements as two', async () => {
    const user = await start(newUser)
    for (let n = 0; n < 4; n++) await item(user, { customer: n % 2 ? 'Acme' : 'Globex' })
    const patch = (item_refs: string[], customer_id: string | null) =>
      user.confirmed('items_bulk_patch', { item_refs, customer_id })
    const preview = await user.call('items_bulk_patch_preview', { item_refs: ['#1', '#2'], customer_id: 'Acme' })
    assert.deepEqual(
      preview.results.map(({ before, after }: { before: object; after: object }) => [before, after]),
      [
        [{ customer: 'Globex' }, { customer: 'Acme' }],
        [{}, {}],
      ],
    )
    const two = await statements(() => patch(['#1', '#2'], 'Osaka'))
    const four = await statements(() => patch(['#1', '#2', '#3', '#4'], 'Globex'))
    assert.equal(four.length, two.length)
    const { results } = await patch(['#1', '#2'], null)
    assert.deepEqual(
      results.map(({ changed }: { changed: string[] }) => changed),
      [['customer'], ['customer']],
    )
    const refs = async (q: string): Promise<string[]> =>
      (await user.call('tasks_list', { q, sort: 'created' })).items.map(({ ref }: { ref: string }) => ref).toSorted()
    assert.deepEqual(await refs('customer:globex'), ['OLD#3', 'OLD#4'])
    assert.deepEqual(await refs('customer:none'), ['OLD#1', 'OLD#2'])
    assert.deepEqual(await refs('has:customer'), ['OLD#3', 'OLD#4'])
    await user.call('customers_assign', { item_ref: '#1', customer: 'Acme/Osaka' })
    for (const q of ['customer:acme', 'customer:osaka', 'customer:Acme/Osaka']) {
      assert.deepEqual(await refs(q), ['OLD#1'], q)
    }
  })

  test('an item is assigned and removed, which its history shows', async () => {
    const user = await start(newUser)
    await item(user, {})
    const assign = (customer: string | null) => user.call('customers_assign', { item_ref: '#1', customer })
    assert.deepEqual((await assign('Globex')).changed, ['customer'])
    assert.deepEqual((await assign('globex')).changed, [])
    const { item: out, changed } = await assign(null)
    assert.deepEqual([out.customer_path, changed], [null, ['customer']])
    await user.call('customers_assign', { item_ref: '#1', customer: 'Acme' })
    const deleted = await user.call('customers_delete', { project_key: 'OLD', customer: 'Acme' })
    assert.equal(deleted.items_unassigned, 1)
    const { activities } = await user.call('activities_list', { item_ref: '#1', kind: 'item.customer.changed' })
    assert.deepEqual(
      activities.map(({ from, to }: { from: unknown; to: unknown }) => [from ?? null, to ?? null]),
      [
        ['Acme', null],
        [null, 'Acme'],
        ['Globex', null],
        [null, 'Globex'],
      ],
    )
  })

  test('listings show the customer on request, reads of one item always', async () => {
    const user = await start(newUser)
    await item(user, { customer: 'Osaka' })
    const [plain] = (await user.call('tasks_list', {})).items
    const [shown] = (await user.call('tasks_list', { include_customer: true })).items
    assert.deepEqual([plain.customer_path, shown.customer_path], [undefined, 'Acme/Osaka'])
    assert.equal((await user.call('items_get', { item_ref: '#1' })).item.customer_path, 'Acme/Osaka')
  })

  test('items that move to another project go to the customer of the same path there, or to none', async () => {
    const user = await start(newUser)
    const refs: string[] = []
    for (const customer of ['Acme', 'Acme/Osaka']) refs.push(String((await item(user, { customer }))['ref']))
    const plan = await user.call('items_move_project', { item_refs: refs, to_project: 'NEW', dry_run: true })
    assert.deepEqual(
      plan.results.map(({ mapped, lost }: { mapped?: object[]; lost?: object[] }) => [mapped, lost]),
      [
        [[{ field: 'customer', from: 'Acme', to: 'Acme' }], undefined],
        [undefined, [{ field: 'customer', from: 'Acme/Osaka' }]],
      ],
    )
    await user.call('items_move_project', { item_refs: [refs[0]], to_project: 'NEW' })
    const moved = (await user.call('items_get', { item_ref: refs[0] })).item
    const [there] = (await user.call('tasks_list', { project_key: 'NEW', include_customer: true })).items
    assert.deepEqual([moved.customer_path, there.customer_id], ['Acme', moved.customer_id])
    await user.call('customers_delete', { project_key: 'OLD', customer: 'Acme' })
    assert.equal((await user.call('items_get', { item_ref: refs[0] })).item.customer_path, 'Acme')
  })
})
