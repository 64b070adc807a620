import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findNames } from '../../../plugins/code_refs/names.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { codeHost, push, request, SIGNERS, type Link } from './webhooks.ts'

test('mentions are KEY#n and PREFIX-n, never a bare number or a part of a word', () => {
  const inText = (text: string): string[] => findNames({ texts: [text], branch: null })
  assert.deepEqual(inText('Fix app#12, closes APP#13; see #14 and INV-7 (foo#1)'), [
    'APP#12',
    'APP#13',
    'FOO#1',
    'INV-7',
  ])
  assert.deepEqual(inText('APP#3/APP#4/APP#5, not acme/app#6'), ['APP#3', 'APP#4', 'APP#5'])
  assert.deepEqual(inText("Merge branch 'feature/TCK-1-fix-login'"), ['TCK-1'])
  for (const none of ['#1 x#', 'https://example.com/app#12', 'v1-2-3', 'UTF-8x', 'a.b-1'])
    assert.deepEqual(inText(none), [], none)
})

test('usual names of branches are mentions', () => {
  const inBranch = (branch: string): string[] => findNames({ texts: [], branch })
  for (const [branch, names] of Object.entries({
    'feature/TCK-1-fix-login': ['TCK-1'],
    'TCK-1_fix': ['TCK-1'],
    'feature/APP#5-x': ['APP#5'],
    'app#5/tck-6': ['APP#5', 'TCK-6'],
    'fix-TCK-1': ['TCK-1'],
    ann_TCK_1: [],
    'ann_TCK-1': ['ANN_TCK-1', 'TCK-1'],
    'TCK-1a': [],
    'xTCK#1x': [],
    main: [],
  }))
    assert.deepEqual(inBranch(branch), names, branch)
})

forEachEngine('code references', engine => {
  const { host, link, item, refsOf, post, send } = codeHost(engine)

  for (const kind of Object.keys(SIGNERS)) {
    verifies(
      ['code_refs.signed', 'code_refs_get.mentions', 'code_refs.once', 'code_refs.no_bare'],
      `signed webhooks of ${kind} are accepted once each, others are refused`,
      async () => {
        const [hook, ref] = [await link(kind), await item()]
        const number = ref.split('#')[1]
        const commit = push(kind, [`Fix ${ref.toLowerCase()}\n\nalso #${number}`])
        assert.equal((await send(kind, hook, 'push', commit)).json().stored, 1)
        assert.equal((await send(kind, hook, 'push', commit, true)).json().stored, 0)
        assert.equal((await send(kind, hook, 'push', push(kind, [`only #${number}`]))).json().stored, 0)
        const states = [['open'], ['draft', true], ['merged']] as const
        for (const [n, [state, form]] of states.entries()) {
          const requestPayload = request(kind, { title: `Better ${ref}`, state, at: `2026-05-02T10:00:0${n}Z` })
          assert.equal((await send(kind, hook, 'request', requestPayload, form)).json().stored, 1)
          assert.equal((await refsOf(ref))[0].state, state)
        }
        const [newest, oldest, ...more] = await refsOf(ref)
        assert.deepEqual(more, [])
        assert.deepEqual(
          [newest.kind, newest.id, newest.state, newest.author, newest.branch],
          ['pull_request', '5', 'merged', 'ann', 'fix'],
        )
        assert.deepEqual(
          [oldest.kind, oldest.title, oldest.branch, oldest.occurred_at],
          ['commit', `Fix ${ref.toLowerCase()}`, 'main', '2026-05-01T01:00:00.000Z'],
        )
        const { activities } = await host().call('activities_list', { item_ref: ref, kind: 'code_ref.added' })
        assert.equal(activities.length, 2)
        for (const wrong of [
          { secret: 'wrong' },
          { url: hook.url.replace(hook.id, randomUUID()) },
          { url: `${hook.url}x` },
        ]) {
          const refused = await send(kind, { ...hook, ...wrong }, 'push', push(kind, [`Fix ${ref}`]))
          assert.equal(refused.statusCode, 401)
        }
        assert.equal((await refsOf(ref)).length, 2)
        assert.equal((await host().statements(() => refsOf(ref))).length, 1)
      },
    )
  }

  verifies(
    ['code_refs_get.empty', 'code_refs.signed'],
    'an item without mentions has no references, and bodies that are not JSON are refused',
    async () => {
      const [hook, ref] = [await link('github'), await item()]
      assert.deepEqual(await refsOf(ref), [])
      const body = '{"commits": ['
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        const headers = { 'content-type': type, 'x-github-event': 'push', ...SIGNERS['github']!(body, hook.secret) }
        assert.equal((await post(hook, headers, body)).statusCode, 400)
      }
      for (const odd of [
        { commits: 'x' },
        { commits: [null, { id: 1 }, { id: 'a', message: null }] },
        [],
        { commits: [{ id: 'z', message: `${ref}\u0000`, url: 'u', timestamp: 'never' }] },
      ]) {
        assert.equal((await send('github', hook, 'push', odd)).statusCode, 200)
      }
      assert.equal((await refsOf(ref)).length, 1)
    },
  )

  verifies('code_refs_get.mentions', 'a display reference of a numbering series is a mention', async () => {
    const [hook, ref] = [await link('github'), await item()]
    await host().command('series create', { key: 'ticket', prefix: 'TCK', user: 'owner@example.com' })
    await host().call('custom_numbers_assign', { item_ref: ref, series_key: 'ticket' })
    assert.equal((await send('github', hook, 'push', push('github', ['Done: TCK-1, not TCK-2']))).json().stored, 1)
    assert.equal((await refsOf(ref)).length, 1)
  })

  verifies('code_refs_get.mentions', 'webhook secrets are not readable in the database', async () => {
    const { secret } = await link('gitlab')
    const rows = await host().sql<{ secret: string }>`select secret from code_refs.links`
    assert.ok(rows.every(row => !row.secret.includes(secret)))
  })

  test('long texts and incomplete characters lose no push, and texts are cut between characters', async () => {
    const [hook, ref] = [await link('github'), await item()]
    const emoji = (units: number): string => 'x'.repeat(units - 1) + '👍'.repeat(200)
    const pushPayload = push('github', [`${emoji(299)} ${ref}`], emoji(300))
    const [first] = pushPayload['commits'] as object[]
    Object.assign(first!, { author: { username: emoji(199) } })
    // Ids with the same stored prefix count as equal.
    pushPayload['commits'] = [first, { ...first, id: `${emoji(200)}a` }, { ...first, id: `${emoji(200)}b` }]
    const answer = await send('github', hook, 'push', pushPayload)
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal(answer.json().stored, 2)
    const half = push('github', [`half a character \ud83d in ${ref}`])
    assert.equal((await send('github', hook, 'push', half)).statusCode, 200)
    const found = (await refsOf(ref)) as { title: string; author: string }[]
    assert.equal(found.length, 3)
    assert.ok(found.every(each => JSON.stringify(each).isWellFormed() && Array.from(each.title).length <= 300))
    assert.ok(found.some(each => each.title.endsWith('👍…') && each.author.endsWith('👍…')))
    const { activities } = await host().call('activities_list', { item_ref: ref })
    assert.equal(activities.filter((each: { kind: string }) => each.kind === 'code_ref.added').length, 3)
  })

  test('addresses that are no web pages are left out', async () => {
    const [hook, ref] = [await link('github'), await item()]
    const payload = push('github', [`Fix ${ref}`])
    const [commit] = payload['commits'] as object[]
    const urls = ['javascript:alert(1)', ' java\tscript:alert(1)', 'ms-msdt:/id', 'https://example.com/c/1']
    payload['commits'] = urls.map((url, n) => ({ ...commit, id: `${n}`.repeat(40), url }))
    assert.equal((await send('github', hook, 'push', payload)).json().stored, 4)
    const found = (await refsOf(ref)) as { url: string }[]
    assert.deepEqual(found.map(({ url }) => url).toSorted(), ['', '', '', 'https://example.com/c/1'])
  })

  const data = process.env['TEST_DATA_DIR']
  verifies(
    'code_refs.signed',
    'real payloads of GitHub are accepted',
    { skip: data ? false : 'TEST_DATA_DIR is not set' },
    async () => {
      const ref = await item()
      const folder = join(data!, 'webhooks')
      const files = (await readdir(folder)).filter(file => file.endsWith('.json'))
      assert.ok(files.length >= 12)
      let commits = 0
      const hooks = new Map<string, Link>()
      for (const file of files) {
        const payload = JSON.parse(await readFile(join(folder, file), 'utf8')) as {
          commits?: { message: string }[]
          pull_request?: { body: string }
          repository: { full_name: string }
        }
        const hook = hooks.get(payload.repository.full_name) ?? (await link('github', payload.repository.full_name))
        hooks.set(payload.repository.full_name, hook)
        const event = payload.pull_request ? 'request' : 'push'
        assert.equal((await send('github', hook, event, payload)).statusCode, 200)
        // The payloads mention no item; with a mention the same payloads must be found.
        for (const commit of payload.commits ?? []) {
          commit.message += ` ${ref}`
          commits++
        }
        if (payload.pull_request) payload.pull_request.body = `For ${ref}`
        assert.equal((await send('github', hook, event, payload)).statusCode, 200)
      }
      const found = await refsOf(ref)
      assert.ok(commits > 0 && found.some((each: { kind: string }) => each.kind === 'commit'))
      assert.ok(
        found.some(
          (each: { kind: string; repository: string }) => each.kind === 'pull_request' && hooks.has(each.repository),
        ),
      )
    },
  )
})
