import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testHost, type Engine, type TestCaller } from 'tasuki/testing'
import { embedJob, rebuildJob } from '../../../plugins/search/jobs.ts'
import { storeOf } from '../../../plugins/search/embedding/vector-store.repository.ts'
import { systemScope } from '../../../core/runtime/system-scope.ts'
import { ENGINES, forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { DIMS, startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts'
import { writeNotes } from './passages.ts'
import { HASHED } from './hashed-words.ts'
import { NONSENSE } from './paraphrases.ts'
import { migrateAgain } from './migrate-again.ts'
import { searchHost } from './search-host.ts'

/** Both vector stores: with the extension, if the engine has it, and without. */
const STORES: readonly (readonly [Engine, 'auto' | 'exact'])[] = [
  ...ENGINES.map(engine => [engine, 'auto'] as const),
  ['pglite', 'exact'],
]
const wanted = process.env['TEST_ENGINE'] ?? 'both'

const server: { current: EmbeddingServer } = { current: undefined as never }
before(async () => {
  server.current = await startEmbeddingServer()
  process.env['TEST_EMBEDDING_KEY'] = 'sk-test'
})
after(() => server.current.close())

/** Settings with an address that is known only once the server listens. */
const openai = (vectors: 'auto' | 'exact', more: object = {}) => ({
  provider: 'openai',
  get url() {
    return server.current.url
  },
  model: 'meaning-1',
  dims: DIMS,
  key_env: 'TEST_EMBEDDING_KEY',
  batch: 2,
  // Long enough for a machine that stalls for a moment.
  timeout_ms: 2000,
  vectors,
  ...more,
})

for (const [engine, vectors] of STORES.filter(([each]) => wanted === 'both' || wanted === each)) {
  describe(`an embedding server [${engine}, ${vectors}]`, () => {
    // Only this plugin, because other plugins also have texts to embed.
    const search = searchHost(engine, openai(vectors), { only: ['search'] })
    const { newUser, titles, write, statements } = search
    // Runs the job without a transaction, like the queue, so that others can write during it.
    const embedAll = () => {
      const { runner, authenticator, app } = search.host
      return runner.writeWithoutTransaction(systemScope(authenticator, embedJob.name, app.log), ctx =>
        embedJob.run(ctx, {}),
      )
    }
    const texts = ['a puppy for Anna', '自動車の点検', 'invoice of May', 'something else']
    const ready = async (): Promise<TestCaller> => {
      const user = await newUser()
      await write(user, texts)
      await embedAll()
      return user
    }

    verifies('query.semantic', 'finds by meaning without a common word, in any language', async () => {
      const user = await ready()
      const found = await user.call('query', { q: '犬', mode: 'semantic', limit: 1 })
      assert.equal(found.items[0].title, 'a puppy for Anna')
      assert.equal(found.provider, 'openai')
      assert.deepEqual(await titles(user, 'vehicle', { mode: 'semantic', limit: 1 }), ['自動車の点検'])
      assert.deepEqual(await titles(user, 'vehicle'), [])
      assert.deepEqual(await titles(user, '請求書', { mode: 'hybrid', limit: 1 }), ['invoice of May'])
      assert.deepEqual(await titles(user, '請求書 -may', { mode: 'semantic', limit: 1 }), [])
      assert.deepEqual(await titles(user, 'dog "Anna"', { mode: 'semantic' }), ['a puppy for Anna'])
    })

    test('words that mean nothing find nothing', async () => {
      const user = await ready()
      for (const word of NONSENSE) assert.deepEqual(await titles(user, word, { mode: 'semantic' }), [], word)
      assert.deepEqual(await titles(user, 'dog', { mode: 'semantic' }), ['a puppy for Anna'])
    })

    test('texts are sent in batches, with the key, and only once', async () => {
      server.current.requests.length = 0
      await ready()
      assert.deepEqual(
        server.current.requests.map(({ input, ...rest }) => ({ ...rest, texts: input.length })),
        [2, 2].map(count => ({ model: 'meaning-1', key: 'Bearer sk-test', texts: count })),
      )
      await embedAll()
      assert.equal(server.current.requests.length, 2)
    })

    test('vectors are stored as the engine allows', async () => {
      await ready()
      const [table] = await search.host.sql<{ name: string | null }>`select to_regclass('search.vectors')::text as name`
      const [rows] = await search.host.sql<{ codes: number; models: string[] }>`
        select count(code)::int as codes, array_agg(distinct split_part(model, ' ', 3)) as models from search.documents`
      const indexed = vectors === 'auto' && table!.name !== null
      if (engine === 'pglite') assert.equal(table!.name, 'search.vectors')
      assert.deepEqual(rows!.models, [indexed ? 'pgvector' : 'exact'])
      assert.equal(rows!.codes > 0, !indexed)
    })

    test('a read sends one statement, and a write sends no request to the server', async () => {
      const user = await ready()
      for (const mode of ['semantic', 'hybrid']) {
        assert.equal((await statements(() => user.call('query', { q: 'dog', mode }))).length, 1)
      }
      server.current.requests.length = 0
      await write(user, ['a dog'])
      assert.equal(server.current.requests.length, 0)
      const jobs = await search.host.sql<{ n: number }>`
        select count(*)::int as n from core_jobs.job where name = 'search.embed' and state = 'created'`
      assert.ok(jobs[0]!.n >= 1)
      assert.ok((await titles(user, 'a dog', { mode: 'hybrid' })).includes('a dog'))
    })

    test('a text that changes during its embedding is embedded again', async () => {
      const user = await newUser()
      const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'dog' })
      server.current.meanwhile = async () => {
        server.current.meanwhile = () => Promise.resolve()
        await user.call('items_patch', { item_ref: item.ref, title: 'rain' })
      }
      await embedAll()
      assert.equal(server.current.requests.at(-1)?.input[0], 'rain\n')
      const found = await user.call('query', { q: '天気', mode: 'semantic', limit: 1 })
      assert.ok(found.items[0].score > 0.9, String(found.items[0].score))
      assert.equal(found.items[0].title, 'rain')
    })

    test('a zero or non-finite vector of the server is not stored, and the text is sent once', async () => {
      const user = await ready()
      for (const fault of ['zero', 'huge'] as const) {
        server.current.fault = fault
        await write(user, [`a dog without ${fault} vector`])
        const found = await user.call('query', { q: 'dog', mode: 'semantic' })
        assert.match(found.warnings[0], /openai makes no vector of these words: this is full text/)
        assert.ok(!('provider' in found))
        await embedAll()
        const asked = server.current.requests.length
        await embedAll()
        assert.equal(server.current.requests.length, asked)
      }
      server.current.fault = 'none'
      assert.deepEqual(await titles(user, 'dog', { mode: 'semantic', limit: 1 }), ['a puppy for Anna'])
      assert.equal((await titles(user, 'dog', { mode: 'semantic' })).length, 1)
    })

    test('an item whose text no longer has words loses its vector', async () => {
      const user = await ready()
      const { items } = await user.call('query', { q: 'puppy' })
      server.current.fault = 'zero'
      await user.call('items_patch', { item_ref: items[0].ref, title: 'nothing' })
      await embedAll()
      server.current.fault = 'none'
      assert.ok(!(await titles(user, 'dog', { mode: 'semantic' })).includes('nothing'))
    })

    verifies(
      'query.no_provider',
      'if the server is unavailable, fails or answers nonsense, search uses full text with a warning',
      async () => {
        const user = await ready()
        for (const fault of ['error', 'hang', 'short'] as const) {
          server.current.fault = fault
          for (const mode of ['semantic', 'hybrid']) {
            const found = await user.call('query', { q: 'puppy', mode })
            assert.deepEqual(
              found.items.map((each: { title: string }) => each.title),
              [texts[0]],
            )
            assert.match(found.warnings[0], /openai does not answer/)
            assert.ok(!('provider' in found))
          }
          await write(user, [`waiting for ${fault}`])
          await assert.rejects(embedAll(), /answered 503|timeout|vector of 2 numbers/)
        }
        server.current.fault = 'none'
        await embedAll()
        const [left] = await search.host.sql<{
          n: number
        }>`select count(*)::int as n from search.documents where model is null`
        assert.equal(left!.n, 0)
      },
    )
  })
}

forEachEngine('the search index', engine => {
  const search = searchHost(engine, ...HASHED)
  const { newUser, titles, write } = search

  // Must be the first test here, because a host caches the answer.
  test('a transaction does not wait for another that looks up the vector storage', { timeout: 30_000 }, async () => {
    const { app, authenticator, runner } = search.host
    let other: Promise<unknown> | undefined
    await search.host.write(async ctx => {
      // On the embedded engine, its first statement waits for the connection of this transaction.
      other = runner.writeWithoutTransaction(systemScope(authenticator, embedJob.name, app.log), loose =>
        storeOf(loose),
      )
      assert.match(await storeOf(ctx), /^(pgvector|exact)$/)
    })
    assert.match(String(await other), /^(pgvector|exact)$/)
  })

  test('texts written while search was off are indexed later, in batches', async () => {
    const user = await newUser()
    await write(user, ['ibis', 'stork'])
    await search.host.sql`delete from search.documents`
    assert.deepEqual(await titles(user, 'ibis'), [])
    await search.host.write(ctx => rebuildJob.run(ctx, {}))
    for (const mode of ['fulltext', 'semantic', 'hybrid'])
      assert.deepEqual(await titles(user, 'ibis', { mode }), ['ibis'])
    // A title that changed without a notification.
    const since = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()
    await search.host.sql`
      update items.items set title = 'eagle', updated_at = now() + interval '1 second' where owner_id = ${user.userId} and title = 'ibis'`
    await search.host.write(ctx => rebuildJob.run(ctx, { since: since(1) }))
    assert.deepEqual(await titles(user, 'eagle'), [])
    await search.host.write(ctx => rebuildJob.run(ctx, { since: since(-1) }))
    assert.deepEqual(await titles(user, 'eagle'), ['eagle'])
  })

  test('the vector index is created before the vectors, because afterwards it exceeds the statement limit', async () => {
    await search.host.sql`
      do $$ declare index_name text; begin
        for index_name in select indexrelid::regclass from pg_index
          join pg_class c on c.oid = indexrelid join pg_am m on m.oid = c.relam where m.amname = 'hnsw'
        loop execute 'drop index ' || index_name; end loop;
      end $$`
    const store = await search.host.write(async ctx => {
      await rebuildJob.run(ctx, {})
      return storeOf(ctx)
    })
    const made = await search.host.sql`
      select from pg_class c join pg_am m on m.oid = c.relam where c.relkind = 'i' and m.amname = 'hnsw'`
    assert.equal(made.length, store === 'pgvector' ? 1 : 0)
  })

  test('the first boot queues the indexing, and so does the command', async () => {
    const queued = () =>
      search.host.sql`select 1 from core_jobs.job where name = 'search.rebuild' and state = 'created'`
    assert.equal((await queued()).length, 1)
    const { text } = await search.host.command('search rebuild')
    assert.match(text!, /vectors: (pgvector|exact)/)
  })

  test('the longest body is indexed', async () => {
    const user = await newUser()
    const letters = Array.from({ length: 99_900 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)))
    const detail = `${letters.join('')} ${'x'.repeat(90)}`
    await search.host.write(ctx => writeNotes(ctx, user.userId, [{ title: 'long', detail }]))
    assert.deepEqual(await titles(user, letters.slice(100, 110).join('')), ['long'])
  })

  test('a text without words is similar to nothing and does not affect searches by meaning', async () => {
    const user = await newUser()
    await write(user, ['water the plants', 'pay the rent'])
    await write(user, ['👍', '...', '%'])
    for (const mode of ['semantic', 'hybrid'])
      assert.deepEqual(await titles(user, 'water plants', { mode, limit: 1 }), ['water the plants'], mode)
    assert.deepEqual(await titles(user, 'water plants', { mode: 'semantic' }), ['water the plants'])
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'plants' })
    await user.call('items_patch', { item_ref: item.ref, title: '👍👍' })
    assert.deepEqual(await titles(user, 'plants', { mode: 'semantic' }), ['water the plants'])
    assert.deepEqual(await titles(user, '👍', { mode: 'semantic' }), ['👍👍', '👍'])
  })

  test('zero vectors of an earlier version are not ranked, and the migration removes them', async () => {
    const user = await newUser()
    await write(user, ['water the plants', '!!'])
    const zeros = Array.from({ length: 1024 }, () => 0).join(',')
    const [{ owner_id, item_id, project_id } = { owner_id: '', item_id: '', project_id: '' }] = await search.host.sql<
      Record<'owner_id' | 'item_id' | 'project_id', string>
    >`select owner_id, id as item_id, project_id from items.items where owner_id = ${user.userId} and title = '!!'`
    const store = await search.host.write(ctx => storeOf(ctx))
    const spoil = () =>
      store === 'pgvector'
        ? search.host.sql`
          insert into search.vectors (owner_id, item_id, project_id, model, dims, embedding)
          select ${owner_id}, ${item_id}, ${project_id}, d.model, 1024, ${`[${zeros}]`}::vector
          from search.documents d where d.owner_id = ${owner_id} and d.item_id = ${item_id}`
        : search.host.sql`
          update search.documents set code = repeat('0', 1024)::bit varying, vector = ${`{${'NaN,'.repeat(1023)}NaN}`}::real[]
          where owner_id = ${owner_id} and item_id = ${item_id}`
    const spoiled = async (): Promise<number> => {
      const rows =
        store === 'pgvector'
          ? await search.host.sql`select from search.vectors where vector_norm(embedding) = 0`
          : await search.host.sql`select from search.documents where vector is not null and item_id = ${item_id}`
      return rows.length
    }
    await spoil()
    assert.equal(await spoiled(), 1)
    assert.deepEqual(await titles(user, 'water', { mode: 'semantic' }), ['water the plants'])
    assert.deepEqual(await titles(user, 'water', { mode: 'hybrid' }), ['water the plants'])
    await migrateAgain(search.host, 'search/0002_no_empty_vectors')
    assert.equal(await spoiled(), 0)
  })

  test('a deleted item leaves nothing behind', async () => {
    const user = await newUser()
    await write(user, ['dodo'])
    await search.host.sql`delete from items.items where owner_id = ${user.userId}`
    const left = await search.host.sql`select 1 from search.documents where owner_id = ${user.userId}`
    assert.equal(left.length, 0)
  })
})

test('a model server needs one setting, without the length of its vectors', async t => {
  for (const name of ['ollama', 'openai']) {
    const settings = { provider: `${name}:meaning-1`, url: server.current.url, batch: 2 }
    const host = await testHost(t, { config: { plugins: { search: settings } } })
    const state = async () => {
      const { settings: all } = await host.call('settings_list', { prefix: 'model.embeddings' })
      return Object.fromEntries(all.map(({ key, value }: { key: string; value: string }) => [key, value]))
    }
    assert.deepEqual(await state(), {
      'model.embeddings': `${name}:meaning-1`,
      'model.embeddings_model': 'meaning-1',
      'model.embeddings_state': 'not asked yet',
    })
    await host.call('items_create', { project_key: 'INBOX', title: 'a puppy for Anna' })
    const { runner, authenticator, app } = host
    const scope = systemScope(authenticator, embedJob.name, app.log)
    await runner.writeWithoutTransaction(scope, ctx => embedJob.run(ctx, {}))
    const found = await host.call('query', { q: '犬', mode: 'semantic' })
    assert.deepEqual([found.provider, found.items[0].title], [name, 'a puppy for Anna'])
    const { 'model.embeddings_model': model, 'model.embeddings_state': said } = await state()
    assert.deepEqual([model, said], [`meaning-1/${DIMS}`, `answers, ${DIMS} dimensions`])
    server.current.fault = 'error'
    await host.call('query', { q: '犬', mode: 'semantic' })
    server.current.fault = 'none'
    assert.match((await state())['model.embeddings_state'], /^does not answer/)
  }
})

test('a provider that is unknown or lacks a setting stops the boot', async t => {
  for (const [settings, message] of [
    [{ provider: 'word2vec' }, /no provider "word2vec"; known are built-in, ollama, openai, local, none/],
    [{ provider: 'openai', url: 'http://localhost:1' }, /needs model; "openai:<model>" names it/],
  ] as const) {
    await assert.rejects(testHost(t, { config: { plugins: { search: settings } } }), message)
  }
})
