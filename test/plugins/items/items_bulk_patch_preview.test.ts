import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { patch, preview, userWithTasks, userWithTwoWorkflows } from './bulk.ts'
import { itemsHost, type Item } from './setup.ts'

forEachEngine('items_bulk_patch_preview', engine => {
  const shared = itemsHost(engine)
  const { newUser } = shared

  verifies(
    [
      'items_bulk_patch.state_per_item',
      'items_bulk_patch.state_rejected',
      'items_bulk_patch_preview.flags',
      'items_bulk_patch_preview.state_name',
    ],
    'a state is resolved in the workflow of each item; items whose workflow lacks it are reported',
    async () => {
      const user = await userWithTwoWorkflows(shared)
      const { states } = await user.call('workflow_states_list', { project_key: 'APP' })
      const checking = states.find((state: Item) => state['name'] === 'Checking')
      for (const state of ['checking', checking.id]) {
        const shown = await preview(user, ['#1', '#2'], { status_definition_id: state })
        const [standard, own] = shown.results
        assert.deepEqual(
          [standard!.ok, standard!.before, standard!.after],
          [false, { status: 'Backlog' }, { status: 'Backlog' }],
        )
        assert.equal(standard!.error?.code, 'workflow_mismatch')
        assert.equal(
          standard!.error.message,
          'The workflow "Standard" of INBOX#1 has no state "Checking" of the workflow "Flow of APP".',
        )
        const same = await preview(user, ['#2', '#9'], { status_definition_id: state })
        assert.deepEqual(same.results[0]!.ok, true)
        assert.deepEqual([own!.ok, own!.before, own!.after], [true, { status: 'Backlog' }, { status: 'Checking' }])
        assert.deepEqual(own!.changed, ['status'])
      }
      const { results } = await patch(user, ['#1', '#2'], { status_definition_id: checking.id })
      assert.deepEqual(
        results.map(({ error, changed }) => error?.code ?? changed),
        ['workflow_mismatch', ['status']],
      )
      const both = await patch(user, ['#1', '#2'], { status_definition_id: 'done' })
      assert.equal(both.succeeded, 2)
      assert.deepEqual([(await user.get('#1'))['status'], (await user.get('#2'))['status']], ['Done', 'Done'])
    },
  )

  verifies(
    'items_bulk_patch_preview.values',
    'the preview shows value before, value after and changed fields, and the beginning of a body',
    async () => {
      const user = await newUser()
      await user.task({
        title: 'a',
        due_date: '2026-05-01',
        due_time: '10:00',
        priority: 'low',
        detail: '😀'.repeat(300),
      })
      await user.task({ title: 'b', labels: ['y', 'x'] })
      const change = { due_date: '2026-06-01', priority: 'low', labels: ['x'], detail: 'd'.repeat(281), kind: null }
      const { results, succeeded, failed } = await preview(user, ['#1', '#2', '#3'], change)
      assert.deepEqual([succeeded, failed], [2, 1])
      assert.deepEqual(results[0], {
        item_ref: '#1',
        ok: true,
        changed: ['detail', 'due_date', 'labels'],
        before: {
          detail: `${'😀'.repeat(280)}…`,
          due_date: '2026-05-01',
          priority: 'low',
          kind: 'task',
          labels: [],
        },
        after: {
          detail: `${'d'.repeat(280)}…`,
          due_date: '2026-06-01',
          priority: 'low',
          kind: 'task',
          labels: ['x'],
        },
      })
      assert.deepEqual(results[1]!.changed, ['detail', 'due_date', 'priority', 'labels'])
      assert.deepEqual([results[2]!.changed, results[2]!.error?.code], [[], 'not_found'])
    },
  )

  test('the preview warns of what the change warns of', async () => {
    const user = await userWithTasks(shared, 2)
    const change = { title: 'Same', labels: ['-nolabel'], due_date: '2026-05-01', start_date: '2026-06-01' }
    const { warnings } = await preview(user, ['#1', '#2'], change)
    assert.deepEqual(warnings, [
      '2 items get the same title.',
      'start_date 2026-06-01 is after due_date 2026-05-01; change one of them if that is not meant.',
      'INBOX has no label "nolabel".',
    ])
    assert.deepEqual((await patch(user, ['#1', '#2'], change)).warnings, warnings)
    assert.equal((await preview(user, ['#1', '#2'], { priority: 'low' })).warnings, undefined)
  })

  verifies(
    'items_bulk_patch_preview.free_priority',
    'any priority can be previewed, and an unknown priority is reported',
    async () => {
      const user = await userWithTasks(shared, 2)
      const { results, failed } = await preview(user, ['#1', '#2'], { priority: 'asap', due_date: '2026-05-01' })
      assert.equal(failed, 2)
      assert.equal(results[0]!.error?.message, '"asap" is not a priority.')
      assert.deepEqual([results[0]!.changed, results[0]!.after], [[], { due_date: null, priority: null }])
    },
  )

  verifies(
    ['items_bulk_patch_preview.truthful', 'items_bulk_patch_preview.writes_nothing'],
    'the change matches its preview, and the preview changes nothing',
    async () => {
      const user = await userWithTwoWorkflows(shared)
      const reader = await newUser()
      await user.share('APP', reader.email, 'viewer')
      await user.task({ due_date: '2026-05-01', due_time: '10:00', labels: ['a'], priority: 'low' })
      const refs = ['#1', 'APP#2', '#3', '#4', 'x', '#1']
      const change = fc.record(
        {
          title: fc.constantFrom('Standard', 'Other'),
          due_date: fc.constantFrom(null, '', '2026-05-01', '2026-06-01'),
          due_time: fc.constantFrom(null, '10:00', '11:00'),
          start_date: fc.constantFrom('', '2026-05-01'),
          priority: fc.constantFrom('low', 'high'),
          labels: fc.subarray(['a', 'b']),
          archived_at: fc.constantFrom(null, '2026-05-01T00:00:00Z'),
          kind: fc.constantFrom(null, 'bug', 'task'),
          detail: fc.constantFrom('', 'body'),
          status_definition_id: fc.constantFrom('Checking', 'In review', 'Done', 'Backlog'),
        },
        { requiredKeys: [] },
      )
      const state = () => Promise.all(['#1', '#2', '#3'].map(ref => user.get(ref)))
      await fc.assert(
        fc.asyncProperty(change, async fields => {
          if (Object.keys(fields).length === 0) return
          const before = await state()
          const shown = await preview(user, refs, fields)
          assert.deepEqual(await state(), before)
          const asked = await user.call('items_bulk_patch', { item_refs: refs, ...fields }).then(
            () => false,
            (refused: Item) => refused['code'] === 'confirmation_required',
          )
          const real = shown.results.filter(({ ok, changed }) => ok && changed!.length > 0)
          assert.equal(asked, real.length > 0, 'nobody is asked about a call that changes nothing')
          const done = await patch(user, refs, fields)
          assert.deepEqual(
            done.results.map(({ item_ref, ok, changed, error }) => [item_ref, ok, ok ? changed : error]),
            shown.results.map(({ item_ref, ok, changed, error }) => [item_ref, ok, ok ? changed : error]),
          )
          const after = await state()
          for (const [n, { ok, changed = [], before: current, after: announced = {} }] of shown.results.entries()) {
            if (!ok) assert.deepEqual([after[n], changed, announced], [before[n], [], current])
            for (const field of ok ? changed : []) {
              const now = after[n]![field === 'kind' ? 'agile_kind' : field]
              assert.deepEqual(now ?? (field === 'labels' ? [] : null), announced[field], field)
            }
          }
        }),
        { numRuns: 40 },
      )
      const { results } = await preview(reader, ['APP#2', '#1'], { title: 'x' })
      assert.deepEqual(
        results.map(({ error }) => error?.code),
        ['forbidden', 'not_found'],
      )
      const readonly = await shared.host.reader()
      assert.equal((await readonly.call('items_bulk_patch_preview', { item_refs: ['#1', '#2'], title: 'x' })).failed, 2)
    },
  )
})
