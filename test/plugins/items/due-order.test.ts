import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'

forEachEngine('the order by due date', engine => {
  test('comes from an index, also among thousands of items without a date', async t => {
    const host = await testHost(t, { engine, only: ['items'] })
    for (const table of ['items_due', 'items_project_due']) {
      const [index] = await host.sql<{ definition: string }>`
        select pg_get_indexdef(${`items.${table}`}::regclass) as definition`
      assert.match(index!.definition, /type, due_date, due_time NULLS FIRST, number\) WHERE \(archived_at IS NULL\)/)
    }
    const plan = await host.sql<Record<'QUERY PLAN', string>>`
      explain select id from items.items i where owner_id = ${host.userId} and type = 'task' and archived_at is null
      order by i.due_date, i.due_time nulls first, i.number limit 10`
    assert.doesNotMatch(plan.map(row => row['QUERY PLAN']).join('\n'), /Sort/)
  })
})
