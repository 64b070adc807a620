import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost, type TestCaller } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'

const WORDS = 'conection retreive seperate recieve occured definately untill wierd adress begining beleive calender'

forEachEngine('the vocabulary of an owner', engine => {
  test('is not read as a whole for words that no text has', async t => {
    const host = await testHost(t, { engine, only: ['search'] })
    const reader = await host.user('reader@example.com')
    await host.call('items_create', { project_key: 'INBOX', title: 'The calendar of the address' })
    await reader.call('items_create', { project_key: 'INBOX', title: 'The calendar of the address' })
    await host.sql`
      insert into search.words (owner_id, word, stem)
      select ${host.userId}, word, word from (
        select distinct substr(translate(md5(n::text), '0123456789', 'ghijklmnop'), 1, 5 + n % 6) as word
        from generate_series(1, 10000) n) w`
    // Both have the same texts, so that the times differ by the vocabularies alone.
    const small = await fastest(reader)
    const large = await fastest(host)
    assert.ok(large < small * 4, `${large.toFixed(0)} ms among 10,000 words, ${small.toFixed(0)} ms among four`)
  })
})

/** Returns the milliseconds of the fastest of five searches. */
async function fastest(caller: TestCaller): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const began = performance.now()
    const { items } = await caller.call('query', { q: WORDS })
    times.push(performance.now() - began)
    assert.equal(items.length, 1)
  }
  return Math.min(...times)
}
