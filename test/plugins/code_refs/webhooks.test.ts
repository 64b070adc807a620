import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { codeHost, push, request, SIGNERS } from './webhooks.ts'

type Ref = Readonly<Record<'kind' | 'id' | 'title' | 'state' | 'branch' | 'occurred_at', string>>

forEachEngine('webhooks of code hosts', engine => {
  const { host, link, item, refsOf, send } = codeHost(engine)
  const statesOn = async (ref: string) => ((await refsOf(ref)) as Ref[]).map(({ state }) => state)

  test('a late older delivery changes nothing, and a merged pull request stays merged', async () => {
    const [hook, ref, other] = [await link('github'), await item(), await item()]
    const deliver = (title: string, at: string, state: 'open' | 'merged' = 'open') =>
      send('github', hook, 'request', request('github', { title, at, state }))
    await deliver(ref, '2026-05-02T10:00:02Z')
    await deliver(other, '2026-05-02T10:00:01Z')
    assert.deepEqual([await statesOn(ref), await statesOn(other)], [['open'], []])
    await deliver(ref, '2026-05-02T10:00:03Z', 'merged')
    for (const at of ['2026-05-02T10:00:02Z', '2026-05-02T10:00:03Z', 'never'])
      assert.equal((await deliver(ref, at)).json().stored, 0, at)
    assert.deepEqual(await statesOn(ref), ['merged'])
  })

  test('a mark of direction in a commit changes no words around it on the page', async () => {
    const [hook, ref] = [await link('github'), await item()]
    const commit = { message: `\u202eFix ${ref}`, author: { name: '\u202eAnn' }, timestamp: '2026-05-01T10:00:00Z' }
    const commits = ['https://code.example/1', 'no address'].map((url, n) => ({
      ...commit,
      id: `${n}`.repeat(40),
      url,
    }))
    assert.equal((await send('github', hook, 'push', { ref: 'refs/heads/main', commits })).json().stored, 2)
    const { text } = await (await host().browser()).get(`/projects/APP/items/${ref.split('#')[1]}`)
    const isolated = text.match(/<(a|bdi|q)\b[^>]*>\s*\u202e[^<]*<\/\1>/g)!
    assert.ok(isolated.length >= 4)
    assert.equal(text.match(/\u202e/g)!.length, isolated.length)
  })

  test('a mention that moves to another item moves, and follows an item to another project', async () => {
    const [hook, from, to] = [await link('gitlab'), await item(), await item()]
    const deliver = (title: string, second: number, state: 'open' | 'merged' = 'open') =>
      send('gitlab', hook, 'request', request('gitlab', { title, state, at: `2026-05-02T10:00:0${second}Z` }))
    await deliver(`For ${from}`, 1)
    await deliver(`For ${to}`, 2)
    assert.deepEqual([await statesOn(from), await statesOn(to)], [[], ['open']])
    await deliver('For none', 3)
    assert.deepEqual(await statesOn(to), [])
    await deliver(`For ${from} and ${to}`, 4)
    await host()
      .command('project create', { key: 'WEB', name: 'Web', user: 'owner@example.com' })
      .catch(() => {})
    await host().call('items_move_project', { item_refs: [to], to_project: 'WEB' })
    await deliver(`For ${to}`, 5, 'merged')
    assert.deepEqual([await statesOn(from), await statesOn(to.replace('APP', 'WEB'))], [[], ['merged']])
  })

  verifies('code_refs_get.mentions', 'the key of a former project no longer names an item', async () => {
    const [hook, here] = [await link('github'), await item()]
    await host()
      .command('project create', { key: 'OLD', name: 'Old', user: 'owner@example.com' })
      .catch(() => {})
    const { item: made } = await host().call('items_create', { project_key: 'OLD', title: 'Comes over' })
    await host().call('items_move_project', { item_refs: [made.ref], to_project: 'APP' })
    const now = made.ref.replace('OLD', 'APP')
    const response = await send('github', hook, 'push', push('github', [`Fix ${made.ref}`, `Part of ${here}`]))
    assert.deepEqual([response.json().stored, (await refsOf(now)).length], [1, 0])
    assert.equal((await send('github', hook, 'push', push('github', [`Fix ${now}`]))).json().stored, 1)
    assert.equal((await refsOf(now)).length, 1)
  })

  test('a redelivery finds an item that was created later', async () => {
    const [hook, last] = [await link('gitea'), await item()]
    const [next, afterNext] = [1, 2].map(n => `APP#${Number(last.split('#')[1]) + n}`)
    const payload = push('gitea', [`Fix ${next}`, `Fix ${last}`])
    assert.equal((await send('gitea', hook, 'push', payload)).json().stored, 1)
    assert.equal(await item(), next)
    assert.equal((await send('gitea', hook, 'push', payload)).json().stored, 1)
    assert.equal((await refsOf(next!)).length, 1)
    assert.equal((await refsOf(last)).length, 1)
    assert.notEqual(next, afterNext)
  })

  test('all commits of a large push are processed, and a malformed commit does not affect the others', async () => {
    const [hook, ref, other] = [await link('github'), await item(), await item()]
    const messages = Array.from({ length: 2000 }, (_each, n) => `Change ${n} of many, NONE-${n} NO#${n}`)
    messages[700] += ` for ${ref}`
    messages[1999] += ` for ${ref}/${other}`
    const payload = push('github', messages)
    const commits = payload['commits'] as Record<string, unknown>[]
    commits[1] = { id: {}, message: [] }
    commits[2] = { ...commits[2], message: `${ref} \ud83d \0`, timestamp: '-000001-01-01T00:00:00Z' }
    commits[3] = { ...commits[3], message: ref, timestamp: '+012026-01-01T00:00:00Z', author: '\udc00' }
    const answer = await send('github', hook, 'push', payload)
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal((await refsOf(ref)).length, 4)
    assert.equal((await refsOf(other)).length, 1)
    const earliest = Date.parse('2026-01-01')
    for (const { occurred_at: at } of (await refsOf(ref)) as Ref[])
      assert.ok(Date.parse(at) >= earliest && Date.parse(at) <= Date.now(), at)
  })

  test('a value that the database refuses does not affect other changes of its delivery', async () => {
    const [hook, ref, other] = [await link('github'), await item(), await item()]
    const refuse = 'alter table code_refs."references" add constraint no_such check (title not like \'%refused%\')'
    await sql.raw(refuse).execute(host().database.write)
    try {
      const messages = Array.from({ length: 30 }, (_each, n) => `Change ${n} for ${ref}`)
      const payload = push('github', [...messages, `refused ${ref}`, `Last for ${other}`])
      const answer = await send('github', hook, 'push', payload)
      assert.deepEqual([answer.statusCode, answer.json().stored], [200, 31], answer.body)
      assert.equal((await refsOf(other)).length, 1)
    } finally {
      await sql`alter table code_refs."references" drop constraint no_such`.execute(host().database.write)
    }
  })

  test('the self-hosted edition of Bitbucket is read too', async () => {
    const [hook, ref] = [await link('bitbucket', 'PROJ/shop'), await item()]
    const person = { name: 'ann', emailAddress: 'ann@example.com', displayName: 'Ann' }
    const self = [{ href: 'https://git.example/projects/PROJ/repos/shop/browse' }]
    const repository = { slug: 'shop', id: 84, name: 'shop', project: { key: 'PROJ', id: 84 }, links: { self } }
    const post = (event: string, payload: object) => {
      const body = JSON.stringify({ eventKey: event, date: '2026-05-02T10:00:00+0900', actor: person, ...payload })
      const headers = { 'x-event-key': event, 'content-type': 'application/json' }
      return host().app.inject({
        method: 'POST',
        url: new URL(hook.url).pathname,
        headers: { ...headers, ...SIGNERS['bitbucket']!(body, hook.secret) },
        payload: body,
      })
    }
    const change = { ref: { id: 'refs/heads/main', displayId: 'main', type: 'BRANCH' }, type: 'UPDATE' }
    const commit = {
      id: 'ecddabb624f6f5ba43816f5926e580a5f680a932',
      author: person,
      committerTimestamp: 1_777_600_000_000,
    }
    const pushed = await post('repo:refs_changed', {
      repository,
      changes: [change],
      commits: [{ ...commit, message: `Fix ${ref}` }],
    })
    assert.deepEqual([pushed.statusCode, pushed.json().stored], [200, 1], pushed.body)
    const request = (event: string, state: string, updatedDate: number) =>
      post(event, {
        pullRequest: {
          id: 11,
          title: `A request for ${ref}`,
          state,
          createdDate: 1_777_600_000_000,
          updatedDate,
          fromRef: { id: 'refs/heads/fix', displayId: 'fix', repository },
          toRef: { id: 'refs/heads/main', displayId: 'main', repository },
          author: { user: person },
          links: { self: [{ href: 'https://git.example/projects/PROJ/repos/shop/pull-requests/11' }] },
        },
      })
    assert.equal((await request('pr:opened', 'OPEN', 1_777_600_001_000)).json().stored, 1)
    assert.equal((await request('pr:merged', 'MERGED', 1_777_600_002_000)).json().stored, 1)
    const found = (await refsOf(ref)) as (Ref & { url: string; author: string })[]
    assert.deepEqual(
      found
        .toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
        .map(({ kind, state, url, author }) => [kind, state, url, author]),
      [
        ['commit', undefined, `https://git.example/projects/PROJ/repos/shop/commits/${commit.id}`, 'ann'],
        ['pull_request', 'merged', 'https://git.example/projects/PROJ/repos/shop/pull-requests/11', 'ann'],
      ],
    )
    const wrong = await post('repo:refs_changed', {
      repository: { ...repository, id: 85, slug: 'other' },
      changes: [],
      commits: [],
    })
    assert.match(wrong.body, /about PROJ\/other/)
    assert.equal((await post('diagnostics:ping', { test: true })).statusCode, 200)
  })

  test('a body of 25 MB is accepted, and a body for an unknown link is refused before it is read', async () => {
    const [hook, ref] = [await link('github'), await item()]
    const messages = Array.from({ length: 400 }, (_each, n) => `${'x '.repeat(32_000)}${n}`)
    messages[399] += ` ${ref}`
    const payload = push('github', messages)
    assert.ok(JSON.stringify(payload).length > 25_000_000)
    const answer = await send('github', hook, 'push', payload)
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal((await refsOf(ref)).length, 1)
    const unknown = { ...hook, url: hook.url.replace(hook.id, crypto.randomUUID()) }
    const tooLong = { pad: 'x'.repeat(27_000_000) }
    assert.equal((await send('github', unknown, 'push', tooLong)).statusCode, 401)
    assert.equal((await send('github', hook, 'push', tooLong)).statusCode, 413)
  })

  test('the branch of a push and of a pull request links their commits', async () => {
    await host().command('series create', { key: 'ticket', prefix: 'TCK', user: 'owner@example.com' })
    for (const kind of ['github', 'bitbucket']) {
      const [hook, ref] = [await link(kind), await item()]
      const { numbers } = await host().call('custom_numbers_assign', { item_ref: ref, series_key: 'ticket' })
      const display = numbers?.[0]?.display_ref ?? `TCK-${kind === 'github' ? 1 : 2}`
      await send(kind, hook, 'push', push(kind, ['Two', 'commits'], `feature/${display}-fix-login`))
      assert.equal((await refsOf(ref)).length, 2)
      await send(kind, hook, 'request', request(kind, { title: 'A request', branch: `feature/${ref}-x` }))
      assert.equal((await refsOf(ref)).length, 3)
    }
  })

  test('a payload of another repository is ignored; a renamed repository is recognised', async () => {
    const repositories: Record<string, (name: string) => object> = {
      github: full_name => ({ repository: { full_name, id: 7 } }),
      gitea: full_name => ({ repository: { full_name, id: 7 } }),
      gitlab: path_with_namespace => ({ project: { path_with_namespace, id: 7 } }),
      bitbucket: full_name => ({ repository: { full_name, uuid: '{7}' } }),
    }
    for (const [kind, repository] of Object.entries(repositories)) {
      const [hook, ref] = [await link(kind, `https://code.example/Acme/${kind}.git`), await item()]
      const deliver = async (about: object) =>
        (await send(kind, hook, 'push', { ...push(kind, [`Fix ${ref}`]), ...about })).json()
      const elsewhere = await deliver({
        ...repository('acme/other'),
        ...(kind !== 'gitlab' && { repository: { full_name: 'acme/other' } }),
      })
      assert.equal(elsewhere.stored, 0)
      assert.match(elsewhere.skipped, /about acme\/other; this link is for .*Acme/)
      assert.equal((await deliver(repository(`acme/${kind}`))).stored, 1)
      assert.equal((await deliver(repository('acme/renamed'))).stored, 1)
    }
  })

  verifies(['code_refs_add.add', 'code_refs_remove.remove'], 'links are added to an item and removed', async () => {
    const { item: linked } = await host().call('items_create', { project_key: 'APP', title: 'Linked by hand' })
    const { ref } = linked
    const add = (url: string, title?: string) => host().call('code_refs_add', { item_ref: ref, url, title })
    const { code_ref: added } = await add('https://github.com/acme/shop/pull/5', 'Fix')
    assert.deepEqual(
      [added.kind, added.host, added.repository, added.id, added.title],
      ['pull_request', 'github.com', 'acme/shop', '5', 'Fix'],
    )
    const kinds = {
      'https://gitlab.example/a/b/c/-/merge_requests/7': ['pull_request', 'a/b/c', '7'],
      'https://codeberg.org/a/b/commit/4f2a9c01d7': ['commit', 'a/b', '4f2a9c01d7'],
      'https://bitbucket.org/a/b/pull-requests/9/overview': ['pull_request', 'a/b', '9'],
      'https://example.com/plan': ['link', 'example.com', 'https://example.com/plan'],
    }
    for (const [url, expected] of Object.entries(kinds)) {
      const { kind, repository, id } = (await add(url)).code_ref
      assert.deepEqual([kind, repository, id], expected)
    }
    await add('https://example.com/plan', 'The plan')
    assert.equal((await refsOf(ref)).length, 5)
    const { items } = await host().call('tasks_list', { q: 'has:code_ref "linked by hand"' })
    assert.equal(items.length, 1)
    for (const url of [
      'javascript:alert(1)',
      'ftp://example.com',
      'https://ann:secret@example.com',
      'plan',
      `https://e.com/${'ä'.repeat(1000)}`,
    ])
      await assert.rejects(add(url), { code: 'invalid_argument' })
    await host().call('code_refs_remove', { item_ref: ref, url: 'https://example.com/plan' })
    assert.equal((await refsOf(ref)).length, 4)
    await assert.rejects(host().call('code_refs_remove', { item_ref: ref, url: 'https://example.com/plan' }), {
      code: 'not_found',
    })
    for (let n = 4; n < 100; n++) await add(`https://example.com/${n}`)
    await assert.rejects(add('https://example.com/more'), { code: 'limit_exceeded' })
    await add('https://example.com/99', 'Another title')
  })

  const data = process.env['TEST_DATA_DIR']
  test(
    'real payloads of GitHub that are mutated are never answered 500',
    { skip: data ? false : 'TEST_DATA_DIR is not set' },
    async () => {
      const [ref, folder] = [await item(), join(data!, 'webhooks')]
      const payloads = readdirSync(folder)
        .filter(file => file.endsWith('.json'))
        .map(file =>
          JSON.parse(readFileSync(join(folder, file), 'utf8').replaceAll(/"(body|message)": "/g, `$&${ref} `)),
        )
      const hooks = await Promise.all(
        Object.keys({ github: 0, gitea: 0 }).map(async kind => ({
          kind,
          hook: await link(kind, 'Codertocat/Hello-World'),
        })),
      )
      const odd = fc.oneof(
        fc.anything(),
        fc.string({ unit: 'binary', maxLength: 5000 }),
        fc.constantFrom(
          '\ud83d',
          '\0',
          '+275760-09-13T00:00:00Z',
          '-271821-04-20T00:00:00Z',
          '0000-01-01T00:00:00Z',
          ref.repeat(20_000),
          1e308,
          `x`.repeat(10_000),
        ),
      )
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...payloads),
          fc.constantFrom(...hooks),
          fc.constantFrom('push' as const, 'request' as const),
          fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 6 }),
          fc.boolean(),
          async (payload, { kind, hook }, event, changes, form) => {
            const answer = await send(kind, hook, event, mutated(payload, changes), form)
            assert.equal(answer.statusCode, 200, answer.body)
          },
        ),
        { numRuns: 150 },
      )
      assert.ok((await refsOf(ref)).length > 0)
    },
  )
})

/** Replaces values at some places of the payload. */
function mutated(payload: unknown, changes: readonly (readonly [number, unknown])[]): object {
  const copy = structuredClone(payload)
  for (const [at, value] of changes) {
    const places: [Record<string, unknown>, string][] = []
    const walk = (each: unknown): void => {
      if (typeof each !== 'object' || each === null) return
      for (const key of Object.keys(each)) {
        // The service ignores payloads of other repositories.
        if (key === 'full_name') continue
        places.push([each as Record<string, unknown>, key])
        walk((each as Record<string, unknown>)[key])
      }
    }
    walk(copy)
    const [holder, key] = places[at % places.length]!
    holder[key] = jsonable(value)
  }
  return copy as object
}

function jsonable(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null')
  } catch {
    return null
  }
}
