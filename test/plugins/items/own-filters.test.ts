import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { choiceFilter, dateFilter, textFilter, timestampFilter } from '../../../plugins/items/index.ts'
import { itemFilters } from '../../../plugins/items/points.ts'
import { forEachEngine } from '../../engines.ts'

forEachEngine('filters of a plugin', engine => {
  test('its columns are compared as those of built-in filters', async t => {
    const common = { summary: 'of a test', example: 'its.text:a' }
    const plugin = definePlugin({
      name: 'its',
      version: '0.1.0',
      api: 1,
      dependsOn: ['items'],
      contributes: [
        itemFilters({ ...common, key: 'its.text', type: 'text', sql: textFilter('i.title') }),
        itemFilters({
          ...common,
          key: 'its.choice',
          type: 'choice',
          values: ['task', 'note'],
          sql: choiceFilter('i.type'),
        }),
        itemFilters({ ...common, key: 'its.day', type: 'date', nullable: true, sql: dateFilter('i.due_date') }),
        itemFilters({ ...common, key: 'its.time', type: 'date', sql: timestampFilter('i.created_at') }),
      ],
    })
    const host = await testHost(t, { engine, plugins: [plugin] })
    await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk', due_date: '2026-06-10' })
    await host.call('items_create', { project_key: 'INBOX', title: 'Walk' })
    const titles = async (q: string): Promise<readonly string[]> =>
      (await host.call('tasks_list', { q })).items.map(({ title }: { title: string }) => title)
    assert.deepEqual(await titles('its.text:MIL'), ['Buy milk'])
    assert.deepEqual(await titles('its.choice:note'), [])
    assert.equal((await titles('its.choice:task')).length, 2)
    assert.deepEqual(await titles('its.day:2026-06-01..2026-06-30'), ['Buy milk'])
    assert.deepEqual(await titles('its.day:none'), ['Walk'])
    assert.equal((await titles('its.time:today')).length, 2)
    assert.deepEqual(await titles('its.time:<-1d'), [])
  })
})
