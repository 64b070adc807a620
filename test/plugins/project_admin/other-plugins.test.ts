import assert from 'node:assert/strict'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { adminHost } from './admin.ts'

forEachEngine('project_admin for other plugins', engine => {
  const empty = adminHost(engine)

  verifies(
    'versions_list.list',
    'planned versions come first, by target date, then released and archived ones',
    async () => {
      const host = await empty()
      for (const [name, target_date, status] of [
        ['1.0', '2027-01-01', 'released'],
        ['3.0', '2027-09-01', 'planning'],
        ['2.0', '2027-05-01', 'planning'],
        ['0.1', '2026-01-01', 'archived'],
      ]) {
        await host.call('versions_create', { project_key: 'INBOX', name, target_date, status })
      }
      await host.call('items_create', { project_key: 'INBOX', title: 'x', version: '2.0' })
      const { versions } = await host.call('versions_list', { project_key: 'inbox' })
      const sent = await host.statements(() => host.call('versions_list', { project_key: 'inbox' }))
      assert.equal(sent.length, 1)
      assert.deepEqual(
        versions.map(({ name, item_count }: { name: string; item_count: number }) => [name, item_count]),
        [
          ['2.0', 1],
          ['3.0', 0],
          ['1.0', 0],
          ['0.1', 0],
        ],
      )
      await host.call('project_features_set', { features: { roadmap: false } })
      await assert.rejects(host.call('versions_list', { project_key: 'INBOX' }), { code: 'feature_disabled' })
      await assert.rejects((await host.user('b@example.com')).call('versions_list', { project_key: 'APP' }), {
        code: 'not_found',
      })
    },
  )

  verifies(
    ['custom_sequences_create.create', 'custom_sequences_update.freeze'],
    'a series is created with its start, renamed, frozen and unfrozen',
    async () => {
      const host = await empty()
      const create = (args: object) =>
        host.call('custom_sequences_create', { series_key: 'bill', prefix: 'B', ...args })
      assert.deepEqual((await create({ name: 'Bills', start: 7 })).sequence, {
        series_key: 'bill',
        name: 'Bills',
        prefix: 'B',
        next_number: 7,
        next_preview: 'B-7',
        freeze_level: 'none',
      })
      await assert.rejects(create({}), { code: 'conflict', field: 'series_key' })
      await assert.rejects(create({ prefix: 'b' }), { code: 'invalid_argument', field: 'prefix' })
      const update = (args: object) => host.call('custom_sequences_update', { series_key: 'BILL', ...args })
      const frozen = await update({ name: 'Invoices', freeze_level: 'no_new' })
      assert.deepEqual([frozen.sequence.name, frozen.changed], ['Invoices', ['name', 'freeze_level']])
      await host.call('items_create', { project_key: 'INBOX', title: 'x' })
      const assign = () => host.call('custom_numbers_assign', { item_ref: '#1', series_key: 'bill' })
      await assert.rejects(assign(), { code: 'frozen' })
      assert.deepEqual((await update({ freeze_level: 'none' })).changed, ['freeze_level'])
      await assign()
      assert.equal((await host.call('items_get', { item_ref: 'B-7' })).item.ref, 'INBOX#1')
      await assert.rejects(update({}), { code: 'missing_argument' })
      await assert.rejects(host.call('custom_sequences_update', { series_key: 'none', name: 'x' }), {
        code: 'not_found',
        allowed: ['bill'],
      })
    },
  )

  verifies(
    'events_create.create',
    'an event is created on its day and listed, unless the calendar is off',
    async () => {
      const host = await empty()
      const event = { project_key: 'INBOX', title: 'Party', due_date: '2027-03-01' }
      const { item } = await host.call('events_create', {
        ...event,
        due_time: '18:30',
        detail: 'Bring cake',
        labels: ['fun'],
      })
      assert.deepEqual(
        [item.type, item.due_date, item.due_time, item.labels],
        ['event', '2027-03-01', '18:30', ['fun']],
      )
      assert.equal((await host.call('events_create', event)).item.due_time, undefined)
      assert.equal((await host.call('events_list', {})).items.length, 2)
      assert.equal((await host.call('tasks_list', {})).items.length, 0)
      await assert.rejects(host.call('events_create', { ...event, due_date: '2027-02-30' }), {
        code: 'invalid_argument',
      })
      await host.call('project_features_set', { features: { calendar: false } })
      await assert.rejects(host.call('events_create', event), { code: 'feature_disabled' })
    },
  )

  verifies('plugins.off', 'tools that need another plugin are absent without it', async t => {
    const off = { versions: false, numbering: false, events: false }
    const host = await testHost(t, { engine, config: { plugins: { project_admin: {}, ...off } } })
    const names = (await host.listTools()).map(({ name }) => name)
    for (const name of ['versions_list', 'custom_sequences_create', 'custom_sequences_update', 'events_create'])
      assert.ok(!names.includes(name), name)
    assert.ok(names.includes('projects_create'))
  })
})
