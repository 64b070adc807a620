import assert from 'node:assert/strict'
import { titlesOf, type EverydayTask } from './task.ts'

type Item = Readonly<Record<string, unknown>> & { readonly ref: string }
const refsOf = (items: readonly Item[]): string[] => items.map(({ ref }) => ref)

export const items: readonly EverydayTask[] = [
  {
    ask: 'What is on my plate today?',
    async run({ person, agent }) {
      await person.items('INBOX', ['Call the bank'], { due_date: '2020-01-01' })
      const { me, open_tasks } = await agent.call('me_overview')
      assert.match(me.today, /^\d{4}-\d{2}-\d{2}$/)
      assert.deepEqual([open_tasks[0].title, open_tasks[0].overdue], ['Call the bank', true])
    },
  },
  {
    ask: 'Move everything overdue to Monday',
    async run({ person, agent }) {
      await person.items('INBOX', titlesOf(8, 'Late'), { due_date: '2020-01-01', due_time: '10:00' })
      const { items: overdue } = await agent.call('tasks_list', { q: 'is:overdue', limit: 100, include_detail: false })
      await agent.confirmed('items_bulk_patch', { item_refs: refsOf(overdue), due_date: '2030-01-07' })
      const { item } = await person.call('items_get', { item_ref: 'INBOX#1' })
      assert.deepEqual([item.due_date, item.due_time], ['2030-01-07', '10:00'])
    },
  },
  {
    ask: 'Who changed the due date of this one, and why?',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Pay the rent', { due_date: '2030-01-01' })
      await person.call('items_patch', { item_ref: ref, due_date: '2030-02-01' })
      await person.call('items_complete', { item_ref: ref, reason: 'The landlord agreed' })
      const { activities } = await agent.call('activities_list', { item_ref: ref })
      assert.ok(activities.some((each: Item) => each['kind'] === 'item.due_date.changed'))
      assert.ok(JSON.stringify(activities).includes('The landlord agreed'))
    },
  },
  {
    ask: 'Put the label "q3" on these 60, and leave their other labels',
    mostCalls: 8,
    async run({ person, agent }) {
      await person.items('INBOX', titlesOf(60, 'Task'), { labels: ['kept'] })
      const refs = Array.from({ length: 60 }, (_, n) => `#${n + 1}`)
      for (const [from, to] of [
        [0, 25],
        [25, 50],
        [50, 60],
      ] as const) {
        await agent.confirmed('items_bulk_patch', { item_refs: refs.slice(from, to), labels: ['+q3'] })
      }
      const { total } = await person.call('tasks_list', { q: 'label:q3 label:kept', include_total: true })
      assert.equal(total, 60)
    },
  },
  {
    ask: 'Are there duplicates of "Login fails"? Close them as such',
    async run({ person, agent }) {
      const [first, second] = await person.items('INBOX', ['Login fails on Safari', 'Login fails in Safari 17'])
      const { items: found } = await agent.call('query', { q: 'login fails safari' })
      assert.deepEqual(refsOf(found).toSorted(), [first, second])
      await agent.call('relations_create', {
        source_item_ref: second,
        target_item_ref: first,
        relation_type: 'duplicate',
      })
      const { item } = await agent.call('items_move_state', { item_ref: second, status_definition_id: 'Duplicate' })
      assert.equal(item.system_status, 'closed')
    },
  },
  {
    ask: 'Delete that comment (the client cannot ask me)',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Choose a database')
      await person.call('discussions_create', { item_ref: ref, body: 'Wrong place' })
      const { discussions } = await agent.call('discussions_list', { item_ref: ref })
      const { deleted } = await agent.confirmed('discussions_delete', { discussion_id: discussions[0].id })
      assert.equal(deleted, true)
    },
  },
  {
    ask: 'File this 40 KB bug report',
    async run({ person, agent }) {
      const report = `${'A line of the log, with some words in it.\n'.repeat(1000)}The end.`
      const { item } = await agent.call('items_create', {
        project_key: 'INBOX',
        title: 'Crash',
        detail: report.slice(0, 32_000),
        kind: 'bug',
      })
      await agent.call('items_patch', { item_ref: item.ref, detail_append: report.slice(32_000) })
      assert.equal((await person.call('items_get', { item_ref: item.ref })).item.detail, report)
    },
  },
  {
    ask: 'Rewrite the description; no, take that back',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Announce', { detail: '# Plan\n\nThe old words.\n' })
      const { revision_id } = await agent.call('items_rewrite_detail', { item_ref: ref, new_detail: 'Short.' })
      await agent.call('items_restore_revision', { item_ref: ref, revision_id })
      assert.equal((await person.call('items_get', { item_ref: ref })).item.detail, '# Plan\n\nThe old words.\n')
    },
  },
  {
    ask: 'Break this story into three steps with owners of their own',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Checkout', { kind: 'story' })
      for (const title of ['Cart', 'Payment', 'Receipt']) {
        await agent.call('items_create', { project_key: 'INBOX', title, parent: ref })
      }
      const { relations } = await person.call('relations_list', { item_ref: ref })
      assert.equal(relations.length, 3)
    },
  },
  {
    ask: 'Add a checklist to the release and tick the first step',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Release')
      const { checklist_item } = await agent.call('checklist_add', { item_ref: ref, content: 'Tag' })
      await agent.call('checklist_add', { item_ref: ref, content: 'Publish' })
      const toggled = await agent.call('checklist_toggle', { checklist_item_id: checklist_item.id, done: true })
      assert.equal(toggled.checklist_item.done, true)
    },
  },
  {
    ask: 'Archive what was finished long ago',
    async run({ person, agent }) {
      for (const item_ref of await person.items('INBOX', titlesOf(5, 'Done')))
        await person.call('items_complete', { item_ref })
      const { items: done } = await agent.call('tasks_list', {
        q: 'is:closed completed:<=today',
        limit: 100,
        include_detail: false,
      })
      const { succeeded } = await agent.confirmed('items_bulk_patch', {
        item_refs: refsOf(done),
        archived_at: '2030-01-01T00:00:00Z',
      })
      assert.equal(succeeded, 5)
    },
  },
  {
    ask: 'Change the title, unless somebody else changed it since I looked',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Draft')
      const { item } = await agent.call('items_get', { item_ref: ref })
      await person.call('items_patch', { item_ref: ref, title: 'Draft by Bob' })
      const { code } = await agent.refused(
        'items_patch',
        { item_ref: ref, title: 'Final' },
        { ifUpdatedAt: item.updated_at },
      )
      assert.equal(code, 'stale_write')
      const now = await agent.call('items_get', { item_ref: ref })
      await agent.call('items_patch', { item_ref: ref, title: 'Final by Bob' }, { ifUpdatedAt: now.item.updated_at })
      assert.equal((await person.call('items_get', { item_ref: ref })).item.title, 'Final by Bob')
    },
  },
  {
    ask: 'Everything about the login, with the discussion of the first hit',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Login with passkeys', { detail: 'Passwords go.' })
      await person.call('discussions_create', { item_ref: ref, body: 'We chose WebAuthn', kind: 'decision' })
      const { items: found } = await agent.call('query', { q: 'login' })
      const context = await agent.call('items_context_get', { item_ref: found[0].ref, include: ['discussions'] })
      assert.ok(JSON.stringify(context).includes('We chose WebAuthn'))
    },
  },
]
