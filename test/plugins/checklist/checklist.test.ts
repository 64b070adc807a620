import assert from 'node:assert/strict'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'

interface Step {
  readonly id: string
  readonly content: string
  readonly done: boolean
}

forEachEngine('checklists', engine => {
  const { newUser, statements } = sharedHost(engine, { config: { plugins: { checklist: {} } } })

  verifies(
    ['checklist_add.add', 'checklist_list.order', 'checklist_toggle.toggle'],
    'steps are added at the end, listed in order, completed and reopened, with a history',
    async () => {
      const user = await newUser()
      const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Release' })
      for (const content of ['Write notes', 'タグを打つ', 'Tell people']) {
        await user.call('checklist_add', { item_ref: item.ref, content })
      }
      const list = async (): Promise<Step[]> => (await user.call('checklist_list', { item_ref: item.ref })).checklist
      const steps = await list()
      assert.deepEqual(
        steps.map(step => step.content),
        ['Write notes', 'タグを打つ', 'Tell people'],
      )
      const done = await user.call('checklist_toggle', { checklist_item_id: steps[1]!.id, done: true })
      assert.deepEqual(done.changed, ['done'])
      assert.equal(done.item_ref, item.ref)
      assert.deepEqual(
        (await user.call('checklist_toggle', { checklist_item_id: steps[1]!.id, done: true })).changed,
        [],
      )
      assert.deepEqual(
        (await list()).map(step => step.done),
        [false, true, false],
      )
      await user.call('checklist_toggle', { checklist_item_id: steps[1]!.id, done: false })
      assert.deepEqual(
        (await list()).map(step => step.done),
        [false, false, false],
      )
      const { activities } = await user.call('activities_list', { item_ref: item.ref, kind: 'checklist.*' })
      assert.deepEqual(
        activities.map((activity: { kind: string }) => activity.kind),
        ['checklist.reopened', 'checklist.completed', 'checklist.added', 'checklist.added', 'checklist.added'],
      )
      assert.equal((await user.call('tasks_list', { q: 'has:checklist' })).items.length, 1)
      assert.equal((await user.call('tasks_list', { q: 'no:checklist' })).items.length, 0)
    },
  )

  verifies(
    'checklist_add.add',
    'an item has at most 200 steps, and others can neither see nor change them',
    async () => {
      const [user, other] = [await newUser(), await newUser()]
      const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Long' })
      const { checklist_item: step } = await user.call('checklist_add', { item_ref: item.ref, content: 'first' })
      await assert.rejects(other.call('checklist_list', { item_ref: item.ref }), { code: 'not_found' })
      await assert.rejects(other.call('checklist_toggle', { checklist_item_id: step.id, done: true }), {
        code: 'not_found',
      })
      for (let n = 1; n < 200; n++) await user.call('checklist_add', { item_ref: item.ref, content: `step ${n}` })
      await assert.rejects(user.call('checklist_add', { item_ref: item.ref, content: 'one too many' }), {
        code: 'limit_exceeded',
      })
    },
  )

  verifies('checklist_toggle.toggle', 'each call sends a fixed number of statements', async () => {
    const user = await newUser()
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Counted' })
    const { checklist_item: step } = await user.call('checklist_add', { item_ref: item.ref, content: 'first' })
    assert.equal((await statements(() => user.call('checklist_list', { item_ref: item.ref }))).length, 1)
    assert.equal((await statements(() => user.call('checklist_add', { item_ref: item.ref, content: 'x' }))).length, 4)
    assert.equal(
      (await statements(() => user.call('checklist_toggle', { checklist_item_id: step.id, done: true }))).length,
      4,
    )
  })
})
