import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testHost, type TestCaller, type TestHost } from 'tasuki/testing'
import { systemScope } from '../../../core/runtime/system-scope.ts'
import { reindexTexts } from '../../../plugins/conversations/indexing.ts'
import { embedJob } from '../../../plugins/search/jobs.ts'
import { MEANINGLESS, ORDINARY } from '../../../plugins/search/embedding/floor.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { HASHED } from '../search/hashed-words.ts'
import { migrateAgain } from '../search/migrate-again.ts'
import { DIMS, startEmbeddingServer, type EmbeddingServer } from '../search/embedding-server.ts'
import { conversationsHost } from './conversations-host.ts'

forEachEngine('searching conversations', engine => {
  const suite = conversationsHost(engine, { search: HASHED[0] }, HASHED[1])
  const { newUser, talk } = suite
  const snippets = async (user: TestCaller, q: string, kind: 'thread' | 'thread_message', more: object = {}) => {
    const found = await user.call('query', { q, kinds: [kind], ...more })
    return found[`${kind}s`].map(({ snippet }: { snippet: string }) => snippet)
  }

  verifies('query.threads', 'messages are found by words in English and Japanese, best first, with marks', async () => {
    const user = await newUser()
    const id = await talk(
      user,
      'Trip',
      'We could fly to Kyoto in spring, or take the night train.',
      '京都の桜を見に行く計画を立てましょう。',
      'The budget for the trip is 2000 euros, and the budget must not grow.',
      'Budget?',
      'Nothing else to say.',
    )
    assert.deepEqual(await snippets(user, 'night trains', 'thread_message'), [
      'We could fly to Kyoto in spring, or take the «night» «train».',
    ])
    assert.deepEqual(await snippets(user, '桜', 'thread_message'), ['京都の«桜»を見に行く計画を立てましょう。'])
    assert.deepEqual(await snippets(user, '計画', 'thread_message'), ['京都の桜を見に行く«計画»を立てましょう。'])
    assert.equal((await snippets(user, 'budget', 'thread_message')).length, 2)
    assert.equal((await snippets(user, 'budget', 'thread_message', { limit: 1 })).length, 1)
    assert.deepEqual(await snippets(user, 'bicycle', 'thread_message'), [])
    const { thread_messages: hits } = await user.call('query', { q: 'euros', kinds: ['thread_message'] })
    const { thread_id, thread_title, role, score } = hits[0]
    assert.deepEqual([thread_id, thread_title, role, score > 0], [id, 'Trip', 'user', true])
  })

  verifies('query.threads', 'texts of an earlier analyzer are found until a job indexes them again', async () => {
    const user = await newUser()
    const { sql } = suite.host
    const id = await talk(user, 'Cluster deployments', 'The valves were tightened.')
    const titleOf = async (q: string) =>
      (await user.call('query', { q, kinds: ['thread'] })).threads.map((row: { id: string }) => row.id)
    const found = async (): Promise<void> => {
      for (const q of ['deployments', 'tightened', 'cluster']) assert.deepEqual(await titleOf(q), [id], q)
    }
    // Rows of an older instance: words without stems.
    await sql`update conversations.threads set analyzer = default, tsv = $$'cluster':1A 'deployments':2A$$ where id = ${id}`
    await sql`update conversations.messages set analyzer = default, tsv = $$'the':1 'valves':2 'were':3 'tightened':4$$ where thread_id = ${id}`
    await found()
    await suite.host.write(ctx => reindexTexts.run(ctx, {}))
    const rows = await sql`
      select analyzer, tsv @@ 'deploy' or tsv @@ 'tighten' as stems from conversations.threads where id = ${id}
      union all select analyzer, tsv @@ 'tighten' from conversations.messages where thread_id = ${id} and role = 'user'`
    assert.deepEqual(rows, [
      { analyzer: 3, stems: true },
      { analyzer: 3, stems: true },
    ])
    await found()
    const { former } = (
      await sql<{ former: number }>`select count(*)::int as former from conversations.messages where analyzer < 3`
    )[0]!
    assert.equal(former, 0)
  })

  verifies('query.threads', 'a thread is found once, by its title or by the best of its messages', async () => {
    const user = await newUser()
    const trip = await talk(
      user,
      'Trip to Kyoto',
      'Hotels are booked.',
      'Hotels near the station, hotels near the park.',
    )
    const work = await talk(user, undefined, 'The hotel of the conference is full.')
    const found = async (q: string) => (await user.call('query', { q, kinds: ['thread'] })).threads
    const byTitle = await found('kyoto')
    assert.deepEqual(
      byTitle.map(({ id, title, snippet, messages }: Record<string, unknown>) => [id, title, snippet, messages]),
      [[trip, 'Trip to Kyoto', 'Trip to «Kyoto»', 2]],
    )
    assert.deepEqual(new Set((await found('hotel')).map(({ id }: { id: string }) => id)), new Set([trip, work]))
    assert.equal((await found('hotel')).length, 2)
  })

  verifies(
    'query.kinds',
    'kinds are searched side by side, each up to the limit, and filters are for items',
    async () => {
      const user = await newUser()
      await user.call('items_create', { project_key: 'INBOX', title: 'Migrate the wiki' })
      await suite.host.calls.flush()
      await talk(user, undefined, 'How do we migrate the wiki?')
      const kinds = ['item', 'thread', 'thread_message']
      const found = await user.call('query', { q: 'migrate wiki', kinds })
      assert.deepEqual([found.items.length, found.threads.length, found.thread_messages.length], [1, 2, 2])
      const one = await user.call('query', { q: 'migrate wiki is:open', kinds, limit: 1 })
      assert.deepEqual([one.items.length, one.threads.length, one.thread_messages.length], [1, 1, 1])
      assert.deepEqual(one.warnings, ['Filters apply to items only.'])
      assert.equal(one.next_cursor, null)
      const nothing = await user.call('query', { q: 'is:open', kinds: ['thread', 'thread_message'] })
      assert.deepEqual([nothing.threads, nothing.thread_messages], [[], []])
      assert.deepEqual(Object.keys(await user.call('query', { q: 'wiki' })).sort(), ['items', 'next_cursor'])
      await assert.rejects(user.call('query', { q: 'wiki', kinds: ['chat'] }), { code: 'invalid_argument' })
    },
  )

  verifies(
    'conversations.separate',
    "a search finds only the user's threads, and a limited credential only its own",
    async () => {
      const { host } = suite
      const [stranger, other] = [await newUser(), await newUser()]
      await talk(other, 'Xylophone', 'xylophone lessons')
      for (const kind of ['thread', 'thread_message'] as const)
        assert.deepEqual(await snippets(stranger, 'xylophone', kind), [])
      const [project] = await host.sql<{ id: string }>`
      select id from projects.projects where owner_id = ${host.userId} and key = 'INBOX'`
      const limited = await host.credential({ projects: [project!.id] })
      await talk(host, 'Marimba', 'marimba lessons')
      await talk(limited, 'Marimba again', 'marimba concert')
      assert.equal((await snippets(host, 'marimba', 'thread')).length, 2)
      assert.deepEqual(await snippets(limited, 'marimba', 'thread_message'), ['«marimba» concert'])
      assert.equal((await snippets(limited, 'marimba', 'thread')).length, 1)
    },
  )

  test('each kind is one statement, however many threads there are', async () => {
    const user = await newUser()
    for (let n = 0; n < 5; n++) await talk(user, `Thread ${n}`, 'apples and pears')
    for (const mode of ['fulltext', 'semantic', 'hybrid'])
      for (const kind of ['thread', 'thread_message']) {
        const sent = await suite.host.statements(() => user.call('query', { q: 'apples', mode, kinds: [kind] }))
        assert.equal(sent.length, 1, `${mode} ${kind}`)
      }
  })

  test('vectors are created with new messages, and later for existing messages', async () => {
    const user = await newUser()
    await talk(user, 'Garden party', 'The tomatoes are ripe, and the beans.', 'The lawn mower is broken.')
    const search = { q: 'beans and tomato plants, tomatoes', mode: 'semantic', kinds: ['thread', 'thread_message'] }
    const found = await user.call('query', search)
    assert.equal(found.provider, 'hashed')
    assert.deepEqual(found.thread_messages.length, 1)
    assert.match(found.thread_messages[0].snippet, /ripe/)
    assert.deepEqual([found.threads.length, found.threads[0].title], [1, 'Garden party'])
    await suite.host.sql`update conversations.messages set model = null, code = null, vector = null`
    assert.deepEqual((await user.call('query', search)).thread_messages, [])
    await embedAll(suite.host)
    assert.deepEqual((await user.call('query', search)).thread_messages, found.thread_messages)
  })

  test('messages and titles without words have no vector, also if an earlier version stored one', async () => {
    const user = await newUser()
    await talk(user, '!!', '%', 'The tomatoes are ripe.', '...')
    const search = { q: 'tomatoes', mode: 'semantic', kinds: ['thread', 'thread_message'] }
    const vectors = async (): Promise<number> => {
      const rows = await suite.host.sql`
        select from (select owner_id, vector from conversations.messages union all select owner_id, vector from conversations.threads) t
        where owner_id = ${user.userId} and vector is not null`
      return rows.length
    }
    assert.equal(await vectors(), 1)
    await embedAll(suite.host)
    assert.equal(await vectors(), 1)
    const empty = `{${Array.from({ length: 1024 }, () => 'NaN').join(',')}}`
    await suite.host
      .sql`update conversations.threads set vector = ${empty}::real[], code = repeat('0', 1024)::bit varying where title = '!!'`
    await suite.host
      .sql`update conversations.messages set vector = ${empty}::real[], code = repeat('0', 1024)::bit varying where vector is null`
    const found = await user.call('query', search)
    assert.deepEqual([found.thread_messages.length, found.threads.length], [1, 1])
    await migrateAgain(suite.host, 'conversations/0004_no_empty_vectors')
    assert.equal(await vectors(), 1)
  })
})

forEachEngine('search of conversations by meaning', engine => {
  let server: EmbeddingServer
  before(async () => {
    server = await startEmbeddingServer()
  })
  after(() => server.close())
  const suite = conversationsHost(engine, {
    search: {
      provider: 'openai',
      get url() {
        return server.url
      },
      model: 'meaning-1',
      dims: DIMS,
      batch: 2,
    },
  })
  const { newUser, talk } = suite

  verifies('query.threads', 'messages, titles and subjects of tool calls are found by meaning', async () => {
    const user = await newUser()
    await talk(user, 'A car for Anna')
    await talk(user, undefined, 'The puppy sleeps.', 'Nothing else.', 'Nor this.')
    await user.call('items_create', { project_key: 'INBOX', title: '請求書を送る', detail: 'the dog ate it' })
    await user.call('tasks_list', {})
    await suite.host.calls.flush()
    server.requests.length = 0
    await embedAll(suite.host)
    const sent = server.requests.flatMap(({ input }) => input)
    assert.deepEqual(
      sent.toSorted(),
      [
        'A car for Anna',
        'Nor this.',
        'Nothing else.',
        'The puppy sleeps.',
        '請求書を送る',
        '請求書を送る\nthe dog ate it',
      ].toSorted(),
    )
    assert.ok(server.requests.every(({ input }) => input.length <= 2))
    const best = async (q: string, kind: string, mode: string) => {
      const found = await user.call('query', { q, mode, kinds: [kind], limit: 1 })
      assert.equal(found.provider, 'openai')
      return found[`${kind}s`][0]
    }
    for (const mode of ['semantic', 'hybrid']) {
      assert.match((await best('犬', 'thread_message', mode)).snippet, /puppy/)
      assert.match((await best('money', 'thread_message', mode)).snippet, /^items_create .*請求書/)
      assert.equal((await best('vehicle', 'thread', mode)).title, 'A car for Anna')
      assert.match((await best('dog', 'thread', mode)).snippet, /puppy/)
    }
    await embedAll(suite.host)
    assert.equal(
      server.requests.flatMap(({ input }) => input).length,
      sent.length + 8 + ORDINARY.length + MEANINGLESS.length,
    )
  })

  verifies('query.no_provider', 'if the provider does not answer, threads are found by words', async () => {
    const user = await newUser()
    await talk(user, undefined, 'The puppy sleeps.')
    server.fault = 'error'
    try {
      const found = await user.call('query', { q: 'puppy', mode: 'semantic', kinds: ['thread_message'] })
      assert.match(found.warnings[0], /openai does not answer/)
      assert.equal(found.thread_messages.length, 1)
    } finally {
      server.fault = 'none'
    }
  })
})

test('conversations work without search, without vectors', async t => {
  const host = await testHost(t, { config: { plugins: { search: false } } })
  await host.call('items_create', { project_key: 'INBOX', title: 'Feed the dog' })
  await host.calls.flush()
  const rows = await host.sql`select model from conversations.messages where title = 'Feed the dog'`
  assert.deepEqual(rows, [{ model: null }])
})

/** Runs the job like the queue. */
function embedAll({ runner, authenticator, app }: TestHost): Promise<void> {
  return runner.writeWithoutTransaction(systemScope(authenticator, embedJob.name, app.log), ctx =>
    embedJob.run(ctx, {}),
  )
}
