import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  defineJob,
  definePlugin,
  definePoint,
  sql,
  ToolError,
  Type,
  type HostServices,
  type RouteCall,
} from 'tasuki/plugin'
import { testHost, type TestHostOptions } from 'tasuki/testing'

const now = new Date('2026-05-01T12:00:00Z')

test('routes of a plugin act for a user like tools', async t => {
  let services: HostServices | undefined
  const plugin = definePlugin({
    name: 'lent',
    version: '0.1.0',
    api: 1,
    group: 'lent',
    routes(app, hostServices) {
      services = hostServices
      app.get('/lent', async request => {
        const actor = await hostServices.authenticate(String(request.headers.authorization))
        if (!actor) return { user: null }
        const call = { userId: actor.userId, actor, name: 'lent.read', requestId: request.id }
        return hostServices.read(call, async ctx => ({
          user: ctx.actor.userId,
          kind: ctx.actor.kind,
          name: ctx.call.name,
        }))
      })
    },
  })
  const host = await testHost(t, { plugins: [plugin], now: () => now })
  const lent = services!
  const ask = (token: string) => host.app.inject({ url: '/lent', headers: { authorization: token } })
  assert.deepEqual((await ask(host.token)).json(), { user: host.userId, kind: 'agent', name: 'lent.read' })
  assert.deepEqual((await ask('nonsense')).json(), { user: null })

  const call: RouteCall = { userId: host.userId, actor: { kind: 'human' }, name: 'lent.write', requestId: '1' }
  const result = await lent.write(call, async ctx => {
    await sql`update core.users set name = 'Changed' where id = ${ctx.actor.userId}`.execute(ctx.db)
    return { kind: ctx.actor.kind, scope: ctx.actor.scope, now: ctx.now }
  })
  assert.deepEqual(result, { kind: 'human', scope: 'write', now })
  await assert.rejects(
    lent.write(call, async ctx => {
      await sql`update core.users set name = 'Undone' where id = ${ctx.actor.userId}`.execute(ctx.db)
      throw new ToolError('conflict', 'no')
    }),
    { code: 'conflict' },
  )
  assert.deepEqual(await host.sql`select name from core.users where id = ${host.userId}`, [{ name: 'Changed' }])
  assert.equal(await lent.read({ ...call, userId: null, actor: {} }, async ctx => ctx.actor.kind), 'system')

  await host.sql`update core.users set disabled_at = now() where id = ${host.userId}`
  await assert.rejects(
    lent.read(call, async () => 1),
    { code: 'forbidden' },
  )
  await assert.rejects(
    lent.read({ ...call, userId: '0190f2a0-0000-7000-8000-000000000001' }, async () => 1),
    {
      code: 'forbidden',
    },
  )
})

test('tools and routes share one deployment, with a key per purpose', async t => {
  let services: HostServices | undefined
  const plugin = definePlugin({
    name: 'lent',
    version: '0.1.0',
    api: 1,
    group: 'lent',
    routes: (_app, hostServices) => void (services = hostServices),
  })
  const host = await testHost(t, { plugins: [plugin], now: () => now })
  const { deployment } = await host.write(async ctx => ctx)
  assert.equal(services!.dataDir, deployment.dataDir)
  assert.equal(deployment.dataDir, host.dataDir)
  assert.equal(deployment.baseUrl(), 'http://localhost:3000')
  assert.deepEqual(services!.now(), now)
  assert.deepEqual(services!.key('lent a'), deployment.key('lent a'))
  assert.equal(deployment.key('lent a').length, 32)
  assert.notDeepEqual(deployment.key('lent a'), deployment.key('lent b'))
  const sealed = deployment.sealer('lent a').seal('text', 'place')
  assert.equal(services!.sealer('lent a').open(sealed, 'place'), 'text')
  assert.equal(services!.sealer('lent b').open(sealed, 'place'), null)
})

test('a route that opens a context before the host is up gets an error that says so', async t => {
  let early: Promise<unknown> | undefined
  const plugin = definePlugin({
    name: 'lent',
    version: '0.1.0',
    api: 1,
    group: 'lent',
    routes(_app, services) {
      early = services.read({ userId: null, name: 'lent', requestId: '1' }, async () => 1)
      early.catch(() => undefined)
    },
  })
  await testHost(t, { plugins: [plugin] })
  await assert.rejects(early!, /not up yet/)
})

test('routes see the contributions of all plugins, including later plugins, and the size of profiles', async t => {
  const words = definePoint<string>('lent.words')
  let seen: readonly string[] = []
  let services: HostServices | undefined
  const common = { version: '0.1.0', api: 1, group: 'lent' }
  const lent = definePlugin({
    ...common,
    name: 'lent',
    points: [words],
    routes(_app, hostServices) {
      services = hostServices
      seen = hostServices.all(words)
    },
  })
  const later = definePlugin({ ...common, name: 'later', dependsOn: ['lent'], contributes: [words('hello')] })
  const host = await testHost(t, { plugins: [lent, later] })
  assert.deepEqual(seen, ['hello'])
  const sizes = services!.profiles()
  assert.deepEqual(
    sizes.map(({ name }) => name),
    host.registry.profiles,
  )
  const [full] = sizes
  const reader = await host.reader()
  assert.equal(full!.tools, (await host.listTools()).length)
  assert.equal(full!.readingTools, (await reader.listTools()).length)
  const shown = (await host.listTools()).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
  assert.equal(
    full!.characters,
    shown.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0),
  )
})

test('a test answers what a plugin asks of the public internet', async t => {
  const answers: string[] = []
  const job = defineJob({
    name: 'rates.load',
    payload: Type.Object({ from: Type.String() }),
    transaction: false,
    async run({ deployment }, { from }) {
      const { status, body } = await deployment.fetchPublic(from, { mostBytes: 1024, timeoutMs: 2000 })
      answers.push(`${status} ${body.toString()}`)
    },
  })
  let services: HostServices | undefined
  const plugin = definePlugin({
    name: 'rates',
    version: '0.1.0',
    api: 1,
    jobs: [job],
    routes: (_app, given) => void (services = given),
  })
  const fetchPublic: TestHostOptions['fetchPublic'] = async (address, { method = 'GET' }) => {
    if (address.endsWith('/down')) throw new Error('rates.example cannot be resolved')
    return { status: 200, headers: {}, body: Buffer.from(`${method} ${address}`) }
  }
  const host = await testHost(t, { only: [], plugins: [plugin], fetchPublic })
  await host.write(ctx => job.run(ctx, { from: 'https://rates.example/today' }))
  assert.deepEqual(answers, ['200 GET https://rates.example/today'])
  await assert.rejects(
    host.write(ctx => job.run(ctx, { from: 'https://rates.example/down' })),
    /cannot be resolved/,
  )
  const limits = { method: 'POST', mostBytes: 1024, timeoutMs: 2000 } as const
  const { body } = await services!.fetchPublic('https://rates.example/in', limits)
  assert.equal(body.toString(), 'POST https://rates.example/in')
})
