import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { sweep } from '../../../plugins/transfer/run-import.ts'
import { forEachEngine } from '../../engines.ts'
import { eventually } from '../../eventually.ts'
import { beginImport, ITEMS, SECRET } from './stuck.ts'

forEachEngine('instances that start together', engine => {
  test('import nothing twice', async t => {
    const first = await testHost(t, { engine, secret: SECRET })
    const id = (await beginImport(first)).split('/').at(-1)!
    // The embedded database has one process; there the import is queued three times.
    const others =
      engine === 'pglite'
        ? []
        : await Promise.all([1, 2].map(() => testHost(t, { database: first.databaseOptions, secret: SECRET })))
    const hosts = [first, ...others]
    await Promise.all(hosts.map(host => host.queue.start(host.runner)))
    if (engine === 'pglite') await Promise.all([1, 2, 3].map(() => first.write(ctx => sweep.run(ctx, { all: true }))))
    await eventually(async () => {
      const [upload] = await first.sql<{ state: string; created: number; known: number }>`
        select state, (position ->> 'created')::int as created, (position ->> 'known')::int as known
        from transfer.uploads where id = ${id}`
      assert.deepEqual(upload, { state: 'done', created: ITEMS, known: 0 })
    })
    const [items] = await first.sql<{ all: number; different: number }>`
      select count(*)::int as all, count(distinct title)::int as different from items.items`
    assert.deepEqual(items, { all: ITEMS, different: ITEMS })
    const finished = await first.sql`select from core.audit where action = 'items.imported'`
    assert.equal(finished.length, 1)
  })
})
