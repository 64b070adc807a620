import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'

forEachEngine('recent changes in the overview', engine => {
  test('read a few entries, also of a project beside one with a long history', async t => {
    const host = await testHost(t, { engine, only: ['workspace'] })
    await host.command('project create', { key: 'APP', name: 'App' })
    await host.call('items_create', { project_key: 'APP', title: 'Changed often' })
    await host.sql`
      insert into workspace.activities
      select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid()))).*
      from workspace.activities a, generate_series(1, 20000) where a.kind = 'item.created'`
    await host.sql`analyze`
    const countRead = async (): Promise<number> => {
      await host.sql`select pg_stat_force_next_flush()`
      const [{ read }] = (await host.sql<{ read: number }>`
        select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relid = 'workspace.activities'::regclass`) as [
        { read: number },
      ]
      return read
    }
    const before = await countRead()
    const { recent_activity } = await host.call('me_overview', {})
    assert.equal(recent_activity[0].item_ref, 'APP#1')
    const read = (await countRead()) - before
    assert.ok(read > 0 && read <= 40, `${read} entries were read`)
  })
})
