import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '../../core/testing/database.ts'
import { noPostgres } from '../engines.ts'
import { httpCaller } from '../http-caller.ts'
import { OFFICIAL_CLIENTS } from '../official-clients.ts'
import { PASSWORD } from '../plugins/portal/portal-host.ts'
import { serve, succeed, TASUKI, TASUKI_ITSELF, type Serving } from '../processes.ts'
import { networkBrowser } from './network-browser.ts'
import { freePort, PROXIES, startProxy, type Proxy } from './proxies.ts'

const TOKEN = `svc_pat_${'R0llingOne'.repeat(4)}`
const CALLERS = 6
/** Time until a proxy has seen that an instance is down or up. */
const SEEN_MS = 3000

const [nginx] = PROXIES

/** Starts two instances on one database behind a proxy, for the time of a test. */
async function startInstances(t: TestContext, proxy: Proxy) {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-rolling-'))
  const { url, drop } = await createTestDatabase()
  const instances: Serving[] = []
  let child: ChildProcess | undefined
  t.after(async () => {
    if (child?.kill('SIGTERM')) await once(child, 'exit')
    await Promise.all(instances.map(instance => instance.stop()))
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const [port, ...services] = [await freePort(), await freePort(), await freePort()]
  const origin = `http://localhost:${port}`
  const config = join(folder, 'tasuki.json')
  writeFileSync(config, JSON.stringify({ trusted_proxies: ['loopback'], limits: { writes_per_minute: 0 } }))
  const env = {
    DATABASE_URL: url,
    DATA_DIR: join(folder, 'data'),
    CONFIG: config,
    BASE_URL: origin,
    SECRET_KEY: randomBytes(32).toString('hex'),
    BOOTSTRAP_EMAIL: 'o@example.com',
    BOOTSTRAP_TOKEN: TOKEN,
  }
  const start = (service: number): Promise<Serving> =>
    serve(TASUKI_ITSELF, { cwd: folder, env: { ...env, PORT: String(service) } })
  for (const service of services) instances.push(await start(service))
  child = await startProxy(proxy, { config: proxy.config(port, services), folder, origin })
  return { origin, folder, env, instances, services, start }
}

for (const proxy of PROXIES)
  test(
    `a form that is sent twice at once to two instances behind ${proxy.name} runs once`,
    { skip: noPostgres || (proxy.file === null && `${proxy.name} is not installed`) },
    async t => {
      const { origin, folder, env } = await startInstances(t, proxy)
      const browser = networkBrowser(origin)
      const link = await succeed(TASUKI, ['portal', 'setup-link', 'o@example.com'], { cwd: folder, env })
      await browser.get('/setup')
      await browser.send('/setup', { code: /\/setup#(\S+)/.exec(link)![1]!, password: PASSWORD, again: PASSWORD })
      for (let n = 0; n < 5; n++) {
        await browser.get('/projects/INBOX/add')
        const click = () => browser.send('/projects/INBOX/add', { line: `Task ${n}` })
        const answers = await Promise.all([click(), click()])
        assert.equal(answers[0].location, answers[1].location)
      }
      const { call } = httpCaller(origin, TOKEN)
      assert.equal((await call('tasks_list', { project_key: 'INBOX', include_total: true })).total, 5)
    },
  )

for (const proxy of PROXIES)
  test(
    `behind ${proxy.name}, clients are asked by the instance that has their session, and all are served if one is down`,
    { skip: noPostgres || (proxy.file === null && `${proxy.name} is not installed`) },
    async t => {
      const { origin, instances, services, start } = await startInstances(t, proxy)
      const refs: string[] = []
      for (const title of ['One', 'Two']) {
        const { item } = await httpCaller(origin, TOKEN).call('items_create', { project_key: 'INBOX', title })
        refs.push(item.ref)
      }
      for (let n = 0; n < 3; n++) {
        const client = await OFFICIAL_CLIENTS['SDK 1.x']({ url: `${origin}/mcp`, token: TOKEN, declines: true })
        const answer = await client.ask('items_bulk_patch', { item_refs: refs, title: 'Same' })
        await client.close()
        assert.match(answer.text, /declined/)
      }
      await instances[0]!.stop()
      for (let n = 0; n < 8; n++) {
        const page = await fetch(`${origin}/sign-in`, { headers: { cookie: `browser=${n}` } })
        assert.equal(page.status, 200)
      }
      // Whichever instance is down, a call does not make the proxy take the other one for down too.
      const { call } = httpCaller(origin, TOKEN)
      instances[0] = await start(services[0])
      await instances[1]!.stop()
      for (const n of [1, 0]) {
        await sleep(SEEN_MS)
        for (let m = 0; m < 20; m++) await call('items_create', { project_key: 'INBOX', title: `${n} is down` })
        if (n === 0) break
        instances[1] = await start(services[1])
        await sleep(SEEN_MS)
        await instances[0].stop()
      }
      const { total } = await call('tasks_list', { project_key: 'INBOX', limit: 1, include_total: true })
      assert.equal(total, refs.length + 40)
    },
  )

// Caddy up to 2.11.1 does not repeat a call with a body if an instance refuses the connection.
test(
  'two instances behind nginx are restarted one after the other, and every call is answered once',
  { skip: noPostgres || (nginx.file === null && 'nginx is not installed') },
  async t => {
    const { origin, instances, services, start } = await startInstances(t, nginx)
    const { call, rpc } = httpCaller(origin, TOKEN)
    const [answered, failed]: [string[], string[]] = [[], []]
    const work = new AbortController()
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = 0; !work.signal.aborted; n++) {
        const title = `${caller}-${n}`
        const answer = await rpc('tools/call', {
          name: 'items_create',
          arguments: { project_key: 'INBOX', title },
        }).catch((error: unknown) => String(error))
        if (answer.structuredContent) answered.push(title)
        else failed.push(`${title}: ${JSON.stringify(answer)}`)
      }
    })
    for (const [at, service] of services.entries()) {
      await sleep(500)
      assert.equal(await instances[at]!.stop(), 0)
      await sleep(500)
      instances[at] = await start(service)
    }
    await sleep(500)
    work.abort()
    await Promise.all(callers)
    assert.deepEqual(failed, [])
    assert.ok(answered.length > 50, `${answered.length} calls`)
    const { total } = await call('tasks_list', { project_key: 'INBOX', limit: 1, include_total: true })
    assert.equal(total, answered.length)
  },
)
