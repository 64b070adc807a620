import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { namesIn } from '../../../plugins/code_refs/mentions.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'

test('mentions are KEY#n and PREFIX-n, never a bare number or a part of a word', () => {
  assert.deepEqual(namesIn({ texts: ['Fix app#12, closes APP#13; see #14 and INV-7 (foo#1)'] }), [
    'APP#12',
    'APP#13',
    'FOO#1',
    'INV-7',
  ])
  assert.deepEqual(namesIn({ texts: ['#1 x#', 'https://example.com/app#12', 'v1-2-3', 'UTF-8x', 'a.b-1'] }), [])
})

interface Link {
  readonly id: string
  readonly url: string
  readonly secret: string
}
type Signer = (body: string, secret: string) => Record<string, string>
const hmac = (body: string, secret: string): string => createHmac('sha256', secret).update(body).digest('hex')
const SIGNERS: Record<string, Signer> = {
  github: (body, secret) => ({ 'x-hub-signature-256': `sha256=${hmac(body, secret)}` }),
  gitea: (body, secret) => ({ 'x-gitea-signature': hmac(body, secret) }),
  gitlab: (_body, secret) => ({ 'x-gitlab-token': secret }),
}
const EVENTS: Record<string, { push: Record<string, string>; request: Record<string, string>; delivery: string }> = {
  github: {
    push: { 'x-github-event': 'push' },
    request: { 'x-github-event': 'pull_request' },
    delivery: 'x-github-delivery',
  },
  gitea: {
    push: { 'x-gitea-event': 'push' },
    request: { 'x-gitea-event': 'pull_request' },
    delivery: 'x-gitea-delivery',
  },
  gitlab: {
    push: { 'x-gitlab-event': 'Push Hook' },
    request: { 'x-gitlab-event': 'Merge Request Hook' },
    delivery: 'x-gitlab-event-uuid',
  },
}

const push = (message: string, id = randomUUID().replaceAll('-', '')) => ({
  ref: 'refs/heads/main',
  commits: [
    { id, message, url: `https://code.example/${id}`, author: { name: 'Ann' }, timestamp: '2026-05-01T10:00:00+09:00' },
  ],
})
const request = (host: string, title: string, merged = false) =>
  host === 'gitlab'
    ? {
        user: { username: 'ann' },
        object_attributes: {
          iid: 5,
          title,
          description: '',
          url: 'https://code.example/5',
          state: merged ? 'merged' : 'opened',
          source_branch: 'fix',
          updated_at: '2026-05-02 10:00:00 UTC',
        },
      }
    : {
        pull_request: {
          number: 5,
          title,
          body: null,
          html_url: 'https://code.example/5',
          user: { login: 'ann' },
          state: merged ? 'closed' : 'open',
          merged,
          head: { ref: 'fix' },
          updated_at: '2026-05-02T10:00:00Z',
        },
      }

forEachEngine('code references', engine => {
  const cleanups: (() => Promise<void> | void)[] = []
  let host: TestHost
  let repositories = 0
  before(async () => {
    host = await testHost(
      { after: work => void cleanups.unshift(work) },
      { engine, config: { plugins: { code_refs: {}, numbering: {} } } },
    )
    await host.command('project create', { key: 'APP', name: 'App', user: 'owner@example.com' })
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
  const link = async (kind: string): Promise<Link> => {
    const { rows } = await host.command('code link', {
      project_key: 'APP',
      host: kind,
      repository: `acme/${++repositories}`,
      user: 'owner@example.com',
    })
    return rows![0] as unknown as Link
  }
  const item = async (): Promise<string> =>
    (await host.call('items_create', { project_key: 'APP', title: 'Fix it' })).item.ref
  const refsOf = async (ref: string) => (await host.call('code_refs_get', { item_ref: ref })).code_refs
  const send = (
    kind: string,
    { url, secret }: Link,
    event: 'push' | 'request',
    payload: object,
    more: Record<string, string> = {},
  ) => {
    const body = JSON.stringify(payload)
    const { delivery, ...events } = EVENTS[kind]!
    return host.app.inject({
      method: 'POST',
      url: new URL(url).pathname,
      headers: {
        'content-type': 'application/json',
        [delivery]: randomUUID(),
        ...events[event],
        ...SIGNERS[kind]!(body, secret),
        ...more,
      },
      payload: body,
    })
  }

  for (const kind of Object.keys(SIGNERS)) {
    verifies(
      ['code_refs.signed', 'code_refs_get.mentions', 'code_refs.once', 'code_refs.no_bare'],
      `signed webhooks of ${kind} are accepted once each, others are refused`,
      async () => {
        const [hook, ref] = [await link(kind), await item()]
        const number = ref.split('#')[1]
        const delivery = { [EVENTS[kind]!.delivery]: randomUUID() }
        const commit = push(`Fix ${ref.toLowerCase()}\n\nalso #${number}`)
        assert.equal((await send(kind, hook, 'push', commit, delivery)).json().stored, 1)
        assert.equal((await send(kind, hook, 'push', commit, delivery)).json().stored, 0)
        assert.equal((await send(kind, hook, 'push', push(`only #${number}`))).json().stored, 0)
        assert.equal((await send(kind, hook, 'request', request(kind, `Better ${ref}`))).json().stored, 1)
        assert.equal((await send(kind, hook, 'request', request(kind, `Better ${ref}`, true))).json().stored, 1)
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
        const { activities } = await host.call('activities_list', { item_ref: ref, kind: 'code_ref.added' })
        assert.equal(activities.length, 2)
        for (const wrong of [
          { secret: 'wrong' },
          { url: hook.url.replace(hook.id, randomUUID()) },
          { url: `${hook.url}x` },
        ]) {
          const refused = await send(kind, { ...hook, ...wrong }, 'push', push(`Fix ${ref}`))
          assert.equal(refused.statusCode, 401)
        }
        assert.equal((await refsOf(ref)).length, 2)
        assert.equal((await host.statements(() => refsOf(ref))).length, 1)
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
      const answer = await host.app.inject({
        method: 'POST',
        url: new URL(hook.url).pathname,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'push',
          'x-github-delivery': 'd',
          ...SIGNERS['github']!(body, hook.secret),
        },
        payload: body,
      })
      assert.equal(answer.statusCode, 400)
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
    await host.command('series create', { key: 'ticket', prefix: 'TCK', user: 'owner@example.com' })
    await host.call('custom_numbers_assign', { item_ref: ref, series_key: 'ticket' })
    assert.equal((await send('github', hook, 'push', push('Done: TCK-1, not TCK-2'))).json().stored, 1)
    assert.equal((await refsOf(ref)).length, 1)
  })

  verifies('code_refs_get.mentions', 'webhook secrets are not readable in the database', async () => {
    const { secret } = await link('gitlab')
    const rows = await host.sql<{ secret: string }>`select secret from code_refs.links`
    assert.ok(rows.every(row => !row.secret.includes(secret)))
  })

  test('long texts and incomplete characters lose no push, and texts are cut between characters', async () => {
    const [hook, ref] = [await link('github'), await item()]
    const emoji = (units: number): string => 'x'.repeat(units - 1) + '👍'.repeat(200)
    const named = push(`${emoji(299)} ${ref}`)
    Object.assign(named.commits[0]!, { author: { username: emoji(199) } })
    named.ref = `refs/heads/${emoji(300)}`
    // Ids that are equal as far as they are kept are one.
    named.commits.push({ ...named.commits[0]!, id: `${emoji(200)}a` }, { ...named.commits[0]!, id: `${emoji(200)}b` })
    const answer = await send('github', hook, 'push', named)
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal(answer.json().stored, 2)
    const half = push(`half a character \ud83d in ${ref}`)
    assert.equal((await send('github', hook, 'push', half)).statusCode, 200)
    const found = (await refsOf(ref)) as { title: string; author: string }[]
    assert.equal(found.length, 3)
    assert.ok(found.every(each => JSON.stringify(each).isWellFormed() && Array.from(each.title).length <= 300))
    assert.ok(found.some(each => each.title.endsWith('👍…') && each.author.endsWith('👍…')))
    const { activities } = await host.call('activities_list', { item_ref: ref })
    assert.equal(activities.filter((each: { kind: string }) => each.kind === 'code_ref.added').length, 3)
  })

  const data = process.env['TEST_DATA_DIR']
  verifies(
    'code_refs.signed',
    'real payloads of GitHub are accepted',
    { skip: data ? false : 'TEST_DATA_DIR is not set' },
    async () => {
      const [hook, ref] = [await link('github'), await item()]
      const folder = join(data!, 'webhooks')
      const files = (await readdir(folder)).filter(file => file.endsWith('.json'))
      assert.ok(files.length >= 12)
      let commits = 0
      for (const file of files) {
        const payload = JSON.parse(await readFile(join(folder, file), 'utf8')) as {
          commits?: { message: string }[]
          pull_request?: { body: string }
        }
        const event = payload.pull_request ? 'request' : 'push'
        assert.equal((await send('github', hook, event, payload)).statusCode, 200)
        // The payloads mention no item of ours: the same ones with a mention are found.
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
          (each: { kind: string; repository: string }) =>
            each.kind === 'pull_request' && each.repository.startsWith('acme/'),
        ),
      )
    },
  )
})
