import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'tasuki/plugin'
import { forEachEngine } from './engines.ts'
import { newTeam } from './plugins/sprints/team.ts'
import { emptiedHost, sharedHost, type Newcomer } from './shared-host.ts'
import { verifies } from './verifies.ts'

type Caller = Pick<Newcomer, 'rpc'>

const address = (kind: string, ...parts: readonly string[]): string =>
  `tasuki://${kind}/${parts.map(encodeURIComponent).join('/')}`

async function read(caller: Caller, uri: string, query?: string): Promise<string> {
  const { body } = await caller.rpc('resources/read', { uri }, query === undefined ? {} : { query })
  if (body.error) throw Object.assign(new Error(body.error.message), { code: body.error.code, data: body.error.data })
  return body.result.contents[0].text
}

async function listed(caller: Caller, query?: string): Promise<string[]> {
  const { body } = await caller.rpc('resources/list', {}, query === undefined ? {} : { query })
  return body.result.resources.map(({ uri }: { uri: string }) => uri)
}

async function complete(
  caller: Caller,
  uri: string,
  name: string,
  value: string,
  contextArguments = {},
): Promise<string[]> {
  const { body } = await caller.rpc('completion/complete', {
    ref: { type: 'ref/resource', uri },
    argument: { name, value },
    context: { arguments: contextArguments },
  })
  assert.ok(body.result, JSON.stringify(body))
  return body.result.completion.values
}

const NOT_FOUND = { code: -32002 }

forEachEngine('resources', engine => {
  const host = sharedHost(engine)
  const fresh = emptiedHost(engine)
  const team = () => newTeam(host)

  verifies('resources.read', 'items, notes and sprints have the content of the tools, in one statement', async () => {
    const app = await team()
    const ref = await app.item('Harbour', { detail: 'Long text', labels: ['bug'] })
    const { item: note } = await app.call('notes_create', { project_key: 'APP', title: 'Minutes', body: '- one\n' })
    await app.sprint('2026', { status: 'active', goal: 'Ship' })
    await app.sprint('Week 1', { parent: '2026', status: 'active' })
    let text = ''
    const reading = async (uri: string): Promise<void> => {
      assert.equal((await host.statements(async () => void (text = await read(app, uri)))).length, 1)
    }
    await reading(address('item', ref))
    assert.deepEqual(JSON.parse(text), (await app.call('items_get', { item_ref: ref })).item)
    await reading(address('note', note.ref))
    assert.equal(text, '# Minutes\n\n- one\n')
    await reading(address('sprint', 'app', '2026/week 1'))
    const { sprints } = await app.call('sprints_list', { project_key: 'APP' })
    assert.deepEqual(
      JSON.parse(text),
      sprints.find((each: { path: string }) => each.path === '2026/Week 1'),
    )
    await reading(address('sprint', 'APP', JSON.parse(text).id))
    assert.equal(JSON.parse(text).name, 'Week 1')
    await assert.rejects(read(app, address('note', ref)), NOT_FOUND)
    await assert.rejects(read(app, address('sprint', 'APP', 'Week 1')), NOT_FOUND)
  })

  verifies('resources.visible', 'a record that the caller may not see is neither found nor reported', async () => {
    const app = await team()
    const ref = await app.item('Secret harbour')
    const { item: note } = await app.call('notes_create', { project_key: 'APP', title: 'Secret minutes' })
    await app.sprint('Secret sprint', { status: 'active' })
    const uris = [address('item', ref), address('note', note.ref), address('sprint', 'APP', 'Secret sprint')]
    assert.deepEqual(new Set(await listed(app)), new Set(uris))
    const stranger = await host.newUser()
    for (const uri of uris) await assert.rejects(read(stranger, uri), NOT_FOUND)
    assert.deepEqual(await listed(stranger), [])
    for (const [template, name] of TEMPLATE_PARTS) assert.deepEqual(await complete(stranger, template, name, 'S'), [])
    await app.share('APP', stranger.email, 'viewer')
    for (const uri of uris) assert.match(await read(stranger, uri), /Secret/)
    assert.deepEqual(new Set(await listed(stranger)), new Set(uris))
  })

  verifies('ownership.own_first', "a bare key in the URI of a sprint means the caller's own project", async () => {
    const app = await team()
    await app.sprint('Theirs', { status: 'active' })
    const member = await host.newUser()
    await member.createProject('APP')
    await app.share('APP', member.email, 'editor')
    await assert.rejects(read(member, address('sprint', 'APP', 'Theirs')), NOT_FOUND)
    const shared = `${app.email}/APP`
    assert.match(await read(member, address('sprint', shared, 'Theirs')), /Theirs/)
    const sprintsOf = (project: string) =>
      complete(member, 'tasuki://sprint/{project}/{sprint}', 'sprint', '', { project })
    assert.deepEqual(await sprintsOf('APP'), [])
    assert.deepEqual(await sprintsOf(shared), ['Theirs'])
  })

  verifies('resources.visible', 'a credential that is limited to projects finds nothing outside them', async () => {
    const one = await fresh()
    await one.command('project create', { key: 'APP', name: 'App' })
    const { item } = await one.call('items_create', { project_key: 'APP', title: 'Secret' })
    const { item: own } = await one.call('items_create', { project_key: 'INBOX', title: 'In the Inbox' })
    await one.call('sprints_create', { project_key: 'APP', name: 'One', status: 'active' })
    const [inbox] = await one.sql<{ id: string }>`select id from projects.projects where is_inbox`
    const limited = await one.credential({ scope: 'read', projects: [inbox!.id] })
    for (const uri of [address('item', item.ref), address('sprint', 'APP', 'One')])
      await assert.rejects(read(limited, uri), NOT_FOUND)
    assert.deepEqual(await listed(limited), [address('item', own.ref)])
    for (const [template, name] of TEMPLATE_PARTS)
      assert.deepEqual(
        (await complete(limited, template, name, '')).filter(value => /APP|One/.test(value)),
        [],
      )
  })

  verifies('resources.visible', 'a sprint is not found while sprints are off in its project', async () => {
    const app = await team()
    await app.sprint('One', { status: 'active' })
    await host.write(ctx =>
      sql`
      update projects.projects set features = '{"sprints": false}' where owner_id = ${app.userId} and key = 'APP'`.execute(
        ctx.db,
      ),
    )
    await host.write(async ctx => ctx.claimsChanged([app.userId]))
    await assert.rejects(read(app, address('sprint', 'APP', 'One')), NOT_FOUND)
    assert.deepEqual(await listed(app), [])
  })

  verifies('resources.view', 'a connection has the resources of its tools', async () => {
    const app = await team()
    const ref = await app.item('Harbour')
    await app.sprint('One', { status: 'active' })
    assert.deepEqual(await listed(app, 'exclude=items_get'), [address('sprint', 'APP', 'One')])
    await assert.rejects(read(app, address('item', ref), 'exclude=items_get'), NOT_FOUND)
    await assert.rejects(read(app, address('item', 'APP#99'), 'exclude=tasks_list'), ({ code, data }) => {
      assert.equal(code, NOT_FOUND.code)
      assert.equal(data.code, 'not_found')
      assert.doesNotMatch(JSON.stringify(data), /tasks_list/)
      return true
    })
    const { body } = await app.rpc('resources/templates/list', {}, { query: 'tools=items_get' })
    assert.deepEqual(
      body.result.resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate),
      ['tasuki://item/{item}', 'tasuki://note/{note}'],
    )
    const initialize = (query: string) =>
      app.rpc(
        'initialize',
        { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
        { query },
      )
    assert.ok((await initialize('tools=items_get')).body.result.capabilities.resources)
    assert.equal((await initialize('tools=me_overview')).body.result.capabilities.resources, undefined)
  })

  verifies('resources.never_500', 'every listed address can be read, and any other is not found', async () => {
    const app = await team()
    for (let n = 0; n < 25; n++) await app.item(`Task ${n}`)
    await app.call('notes_create', { project_key: 'APP', title: 'Minutes' })
    for (const name of ['One %2F', 'Zwei ü?#']) await app.sprint(name, { status: 'planning' })
    await app.call('sprints_update', { project_key: 'APP', sprint: 'Zwei ü?#', status: 'active' })
    const uris = await listed(app)
    assert.equal(uris.length, 20 + 1 + 1)
    for (const uri of uris) assert.ok((await read(app, uri)).length > 0, uri)
    for (const text of ODD) {
      for (const uri of [
        address('item', text),
        address('note', text),
        address('sprint', text, 'One'),
        address('sprint', 'APP', text),
        `tasuki://item/${text}`,
        text,
      ]) {
        const { status, body } = await app.rpc('resources/read', { uri })
        assert.equal(status, 200, uri)
        assert.ok(body.result || [-32002, -32602].includes(body.error.code), `${uri}: ${JSON.stringify(body)}`)
      }
      for (const [template, name] of TEMPLATE_PARTS) {
        const { body } = await app.rpc('completion/complete', {
          ref: { type: 'ref/resource', uri: template },
          argument: { name, value: text },
          context: { arguments: { project: text } },
        })
        assert.ok(body.result || body.error.code === -32602, `${template} ${name} ${JSON.stringify(body)}`)
      }
    }
  })

  verifies('completion.names', 'references and names are completed as they are typed, in one statement', async () => {
    const app = await team()
    await app.createProject('WEB')
    const harbour = await app.item('Build the harbour')
    const bridge = await app.item('Paint the bridge', { labels: ['bug'] })
    const { item: elsewhere } = await app.call('items_create', { project_key: 'WEB', title: 'Harbour pages' })
    const { item: note } = await app.call('notes_create', { project_key: 'APP', title: 'Harbour minutes' })
    await app.sprint('2026', { status: 'active' })
    await app.sprint('Week 1', { parent: '2026' })
    const item = (value: string) => complete(app, 'tasuki://item/{item}', 'item', value)
    assert.deepEqual(await item('APP#'), [bridge, harbour])
    const theirs = `${app.email}/`
    assert.deepEqual(await item(`${theirs}app#`), [`${theirs}${bridge}`, `${theirs}${harbour}`])
    assert.deepEqual(await item(`${theirs}AP`), [`${theirs}${bridge}`, `${theirs}${harbour}`])
    assert.deepEqual(await item('nobody@example.com/APP#'), [])
    assert.deepEqual(await item(harbour), [harbour])
    assert.deepEqual(await item('harbour buil'), [harbour])
    assert.deepEqual(await item('HARBOUR'), [elsewhere.ref, harbour])
    assert.deepEqual(await item(''), [elsewhere.ref, bridge, harbour])
    assert.deepEqual(await item('100%'), [])
    assert.deepEqual(await complete(app, 'tasuki://note/{note}', 'note', 'min'), [note.ref])
    const sprint = 'tasuki://sprint/{project}/{sprint}'
    assert.deepEqual(await complete(app, sprint, 'project', 'w'), ['WEB'])
    assert.deepEqual(await complete(app, sprint, 'sprint', 'week', { project: 'APP' }), ['2026/Week 1'])
    assert.deepEqual(await complete(app, sprint, 'sprint', '', { project: 'APP' }), ['2026', '2026/Week 1'])
    assert.deepEqual(await complete(app, sprint, 'sprint', '', { project: 'WEB' }), [])
    assert.equal((await host.statements(() => item('harbour'))).length, 1)
  })

  test('an unknown variable of a template is refused with the known variables', async () => {
    const app = await team()
    const { body } = await app.rpc('completion/complete', {
      ref: { type: 'ref/resource', uri: 'tasuki://sprint/{project}/{sprint}' },
      argument: { name: 'sprnt', value: '' },
    })
    assert.deepEqual(body.error, { code: -32602, message: 'Unknown argument: sprnt; there are project, sprint' })
  })
})

const ODD = [
  '',
  ' ',
  '%',
  '%2',
  '_',
  "'",
  '"',
  '\\',
  '#',
  'APP#',
  '#1',
  '#0',
  '#99999999999',
  'REQ-1',
  'app-1',
  '@active',
  '@next',
  '..',
  '../..',
  '//',
  '?',
  'a?b',
  '{item}',
  '*',
  '(',
  '＃１',
  '𝒳',
  '\u0000',
  '\u0001',
  'x'.repeat(5000),
  'constructor',
  '__proto__',
]

const TEMPLATE_PARTS = [
  ['tasuki://item/{item}', 'item'],
  ['tasuki://note/{note}', 'note'],
  ['tasuki://sprint/{project}/{sprint}', 'project'],
  ['tasuki://sprint/{project}/{sprint}', 'sprint'],
] as const
