import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'

/** A call takes some 30 milliseconds; with the joins it took from one to five seconds. */
const MOST_MS = 1000
const QUERIES = ['project:BB', 'project:NONE', 'state:done', 'state:nowhere', 'category:done', 'category:todo']

// A database that nobody has analyzed yet, as on the day of an import.
forEachEngine('filters over a thousand tasks without statistics of the planner', engine => {
  test('take no join of all tasks with all projects and states', async t => {
    const host = await testHost(t, { engine })
    for (const key of ['AA', 'BB'])
      await host.command('project create', { key, name: `Project ${key}`, user: 'owner@example.com' })
    const { item } = await host.call('items_create', { project_key: 'BB', title: 'first' })
    await host.call('discussions_create', { item_ref: item.ref, body: 'a comment' })
    await host.sql`insert into items.items select (jsonb_populate_record(i,
      jsonb_build_object('id', gen_random_uuid(), 'number', n))).* from items.items i, generate_series(2, 1000) n`
    await host.sql`insert into discussions.discussions select (jsonb_populate_record(d,
      jsonb_build_object('id', gen_random_uuid(), 'item_id', i.id))).*
      from discussions.discussions d, (select id from items.items where number between 2 and 250) i`
    for (const query of QUERIES) {
      const before = performance.now()
      const { total } = await host.call('tasks_list', { q: `has:discussion ${query}`, limit: 5, include_total: true })
      const ms = performance.now() - before
      assert.ok(ms < MOST_MS, `${query} took ${Math.round(ms)} ms`)
      assert.equal(total, ['project:BB', 'category:todo'].includes(query) ? 250 : 0, query)
    }
  })
})
