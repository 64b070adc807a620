import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'

const ITEMS = 3000

forEachEngine('among thousands of texts', engine => {
  test('a listing or a search by words that no text has looks them up in the index', async t => {
    const host = await testHost(t, { engine, only: ['search'] })
    const detail = Array.from({ length: 150 }, (_, n) => `word${n} of ${n}`).join(', ')
    await host.call('items_create', { project_key: 'INBOX', title: 'The first one', detail })
    await host.sql`insert into items.items select (jsonb_populate_record(i,
      jsonb_build_object('id', gen_random_uuid(), 'number', n))).* from items.items i, generate_series(2, ${ITEMS}::int) n`
    await host.sql`insert into search.documents select (jsonb_populate_record(d, jsonb_build_object('item_id', i.id))).*
      from search.documents d, (select id from items.items where number > 1) i`
    await host.sql`analyze items.items`
    await host.sql`analyze search.documents`
    await host.sql`select gin_clean_pending_list('search.documents_tsv')`
    const common = await fastest(host, 'tasks_list', 'first')
    const missing = await fastest(host, 'tasks_list', 'qzkwjf')
    assert.ok(missing < common * 3, `listed in ${missing.toFixed(1)} ms, a word of all in ${common.toFixed(1)} ms`)
    const [one, many] = [await fastest(host, 'query', 'qzkwjf'), await fastest(host, 'query', MISSING)]
    assert.ok(many < one * 4, `twelve words in ${many.toFixed(1)} ms, one in ${one.toFixed(1)} ms`)
  })
})

const MISSING = 'qzkwjf wqzkjf kqzwjf jqzkwf fqzkwj zqkwjf qkzwjf qzwkjf qzkjwf qzkwfj xqzkwjf qzkwjfx'

/** Returns the milliseconds of the fastest of five calls. */
async function fastest(host: TestHost, tool: string, q: string): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const began = performance.now()
    await host.call(tool, { q })
    times.push(performance.now() - began)
  }
  return Math.min(...times)
}
