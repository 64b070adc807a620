import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import defaults from '../../config/default.json' with { type: 'json' }
import { createTestDatabase, type NewDatabase } from '../../core/testing/database.ts'
import { forEachEngine } from '../engines.ts'
import { httpCaller } from '../http-caller.ts'
import { run, serve, shownToken, succeed, TASUKI, type Ended, type Serving } from '../processes.ts'
import { verifies } from '../verifies.ts'
import { inProcess } from './in-process.ts'
import { migratedDatabase, migratedFolder } from './migrated-folder.ts'

const SLOW = join(import.meta.dirname, '../fixtures/plugins/slow.ts')

/** Returns plugin settings that turn off all plugins of the default config except these. */
function allOffBut(...kept: readonly string[]): Record<string, false> {
  const names = Object.keys(defaults.plugins).filter(name => !kept.includes(name))
  return Object.fromEntries(names.map(name => [name, false]))
}

forEachEngine('the command line', engine => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-cli-'))
  let dropDatabase: (() => Promise<void>) | undefined
  const env: Record<string, string> = { DATA_DIR: join(folder, 'data') }
  const tasuki = (args: readonly string[], more: Record<string, string> = {}): Promise<Ended> =>
    inProcess(args, { ...env, ...more })
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await tasuki(args)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const doneAsProcess = (...args: string[]): Promise<string> => succeed(TASUKI, args, { cwd: folder, env })
  const serving = (more: Record<string, string> = {}): Promise<Serving> =>
    serve(TASUKI, { cwd: folder, env: { ...env, ...more } })
  /** Writes a config file with these plugins. */
  const configured = (name: string, plugins: object): { CONFIG: string } => {
    writeFileSync(join(folder, name), JSON.stringify({ plugins }))
    return { CONFIG: join(folder, name) }
  }

  before(async () => {
    dropDatabase = await migratedDatabase(engine, env)
  })
  after(async () => {
    await dropDatabase?.()
    rmSync(folder, { recursive: true, force: true })
  })

  describe('without a server', () => {
    test('creates users, tokens and projects, and lists them', async () => {
      assert.match(
        await doneAsProcess('user', 'create', 'Ann@Example.com', '--time-zone', 'Europe/Berlin'),
        /ann@example\.com/,
      )
      assert.match(
        await done('user', 'create', 'zone@example.com', '--time-zone', 'asia/tokyo'),
        /time zone Asia\/Tokyo/,
      )
      await done('user', 'delete', 'zone@example.com', '--yes')
      for (const zone of ['+09:00', 'Mars/Olympus'])
        assert.match((await tasuki(['user', 'create', 'bo@example.com', '--time-zone', zone])).stderr, /IANA time zone/)
      assert.match(await done('project', 'create', 'APP', 'The app'), /Created APP \("The app"\) of ann@example\.com/)
      assert.deepEqual(
        JSON.parse(await done('project', 'list', '--json')).map((row: { key: string }) => row.key),
        ['INBOX', 'APP'],
      )
      const value = (await done('token', 'create', 'laptop', '--scope', 'read', '--expires-in-days', '30')).split(
        '\n',
      )[0]
      assert.match(value!, /^svc_pat_[0-9A-Za-z]{32,}$/)
      const [row] = JSON.parse(await done('token', 'list', '--json'))
      assert.deepEqual([row.name, row.scope, row.hint], ['laptop', 'read', `…${value!.slice(-4)}`])
      assert.ok(!JSON.stringify(row).includes(value!))
      assert.match(await done('token', 'revoke', row.id), /Revoked "laptop"/)
      assert.equal((await tasuki(['token', 'revoke', row.id])).code, 1)
    })

    test('doctor finds nothing wrong and names the engine', async () => {
      const { code, stdout } = await tasuki(['doctor'])
      assert.equal(code, 0)
      assert.match(
        stdout,
        engine === 'pglite' ? /^ok +embedded database in .*PGlite/m : /^ok +PostgreSQL: PostgreSQL \d/m,
      )
    })

    test('doctor reports an owner whose address is still the default of the first start', async () => {
      await done('user', 'set-email', 'ann@example.com', 'owner@localhost')
      const command = /^note +the owner is still owner@localhost.*tasuki user set-email owner@localhost <address>$/m
      assert.match((await tasuki(['doctor'])).stdout, command)
      await done('user', 'set-email', 'owner@localhost', 'ann@example.com')
      assert.doesNotMatch((await tasuki(['doctor'])).stdout, command)
    })

    test('a second user makes the e-mail address necessary', async () => {
      await done('user', 'create', 'bob@example.com')
      const { code, stderr } = await tasuki(['token', 'create', 'x'])
      assert.equal(code, 1)
      assert.match(stderr, /several users.*--user <email>/)
    })
  })

  describe('while the server runs', () => {
    let server: Serving
    before(async () => {
      server = await serving(configured('slow.json', { [SLOW]: {} }))
    })
    after(() => server.stop())

    verifies('auth.bearer_pat', 'a new token works at once, and a revoked one no longer', async () => {
      const token = (await done('token', 'create', 'phone', '--user', 'ann@example.com')).split('\n')[0]!
      const { toolNames } = httpCaller(server.origin, token)
      assert.ok((await toolNames()).includes('items_create'))
      const rows = JSON.parse(await done('token', 'list', '--user', 'ann@example.com', '--json'))
      await done('token', 'revoke', rows.find((row: { name: string }) => row.name === 'phone').id)
      await assert.rejects(toolNames(), { status: 401 })
    })

    test('a new project is visible at once', async () => {
      const created = JSON.parse(await done('token', 'create', 'desk', '--user', 'ann@example.com', '--json'))
      const { token } = created
      assert.deepEqual(Object.keys(created), ['id', 'token', 'user', 'scope', 'expires_at'])
      await done('project', 'create', 'NEW', 'Brand new', '--user', 'ann@example.com')
      const { item } = await httpCaller(server.origin, token).call('items_create', {
        project_key: 'NEW',
        title: 'First',
      })
      assert.match(item.ref, /^NEW#\d+$/)
    })

    test('a second server says whether the port or the embedded database is in use', async () => {
      const { port } = new URL(server.origin)
      const { code, stderr } = await tasuki([], engine === 'postgres' ? { PORT: port } : {})
      assert.equal(code, 1)
      const taken =
        engine === 'postgres' ? `port ${port} is in use by another program; set PORT` : '.*is in use by another tasuki'
      assert.match(stderr, new RegExp(`^tasuki: ${taken}`))
    })

    test('a server whose port is in use migrates nothing', async t => {
      const { port } = new URL(server.origin)
      const other: Record<string, string> = { DATA_DIR: join(folder, 'other') }
      if (engine === 'postgres') {
        const empty = await createTestDatabase({ empty: true })
        t.after(empty.drop)
        other['DATABASE_URL'] = empty.url
      }
      const start = await tasuki([], { ...other, PORT: port })
      assert.match(start.stderr, new RegExp(`^tasuki: port ${port} is in use by another program; set PORT`))
      assert.match((await tasuki(['doctor'], other)).stdout, /the next start runs \d+ migrations/)
    })

    test('doctor and errors work through the server', async () => {
      assert.equal((await tasuki(['doctor'])).code, 0)
      const { code, stderr } = await tasuki(['project', 'create', 'NEW', 'Again', '--user', 'ann@example.com'])
      assert.equal(code, 1)
      assert.match(stderr, /NEW/)
      assert.doesNotMatch(stderr, / {4}at /)
      assert.match((await tasuki(['user', 'create', 'bob@example.com'])).stderr, /already a user bob@example\.com/)
      assert.match(await done('user', 'list'), /^\S+ +ann@example\.com +ann +Europe\/Berlin/m)
    })

    test('relative paths start from the folder of the caller, also where the server reads the command line', async () => {
      const caller = mkdtempSync(join(folder, 'caller-'))
      const backup = await run(TASUKI, ['backup', 'mine.tar.gz'], { cwd: caller, env })
      assert.equal(backup.code, 0, backup.stderr)
      assert.ok(existsSync(join(caller, 'mine.tar.gz')))
      const exported = ['export', 'items', 'NEW', '--user', 'ann@example.com', '--output', 'items.csv']
      assert.equal((await run(TASUKI, exported, { cwd: caller, env })).code, 0)
      assert.match(readFileSync(join(caller, 'items.csv'), 'utf8'), /First/)
      assert.equal(statSync(join(caller, 'items.csv')).mode & 0o077, 0)
    })

    test('a wrong command line has the same answer as without a server', async () => {
      for (const [words, expected] of [
        [['user', 'disable'], /^tasuki: <email> is missing\nUsage: tasuki user disable <email>/],
        [['token', 'list', '--bogus'], /^tasuki: Unknown option '--bogus'\nUsage: tasuki token list/],
        [['user', 'lits'], /^tasuki: tasuki user continues with /],
        [['toke', 'list'], /did you mean "token list"/],
      ] as const) {
        const { code, stderr } = await tasuki(words)
        assert.equal(code, 2)
        assert.match(stderr, expected)
      }
      assert.match(await done('token', 'list', '--help'), /^List tokens/)
    })

    test('a copy to a database that cannot be used says why', async () => {
      // On PostgreSQL the command runs in this process, and needs the plugins of the server.
      const config = configured('slow.json', { [SLOW]: {} })
      const { code, stderr } = await tasuki(['copy', '--to', 'postgres://nobody@127.0.0.1:1/none'], config)
      assert.equal(code, 1)
      assert.match(stderr, /^tasuki: the database of --to cannot be used: no PostgreSQL listens there/)
    })

    verifies('http.readyz', 'SIGTERM finishes requests under way, turns /readyz off, and exits with 0', async () => {
      const readiness = async (): Promise<[number, string]> => {
        const response = await fetch(`${server.origin}/readyz`)
        return [response.status, ((await response.json()) as { status: string }).status]
      }
      const token = (await done('token', 'create', 'stopper', '--user', 'ann@example.com')).split('\n')[0]!
      assert.deepEqual(await readiness(), [200, 'ready'])
      const caller = httpCaller(server.origin, token)
      // The first call opens the connection and loads code, so that the next call starts quickly.
      await caller.call('slow_wait', { ms: 0 })
      const call = caller.call('slow_wait', { ms: 6000 })
      await sleep(1000)
      const ended = server.stop()
      // systemd signals every process of the service, and a wrapper hands the signal on.
      const again = sleep(500).then(() => server.stop())
      // The signal takes a moment, and the embedded database answers nothing else during a write. If the service never drains, this fails
      // when it stops.
      let [status, reason] = await readiness()
      while (reason !== 'draining') [status, reason] = await readiness()
      assert.equal(status, 503)
      assert.deepEqual(await call, { waited: 6000 })
      assert.deepEqual(await Promise.all([ended, again]), [0, 0])
      await assert.rejects(readiness())
    })

    test('a client that does not finish its request does not keep the service from stopping as it should', async () => {
      const { origin, output, stop } = await serving()
      const client = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => undefined)
      const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9'
      client.write(`POST /oauth/token HTTP/1.1\r\nHost: localhost\r\n${form}\r\n\r\na`)
      await sleep(500)
      assert.equal(await stop(), 0, output.stdout)
      client.destroy()
      assert.match(output.stdout, /requests were still under way when their time to end ran out/)
    })
  })

  describe('purge', () => {
    const off = { areas: false }
    /** PostgreSQL may have other instances: a plugin counts as off once a writing process has started without it. */
    const startedWith = async (config: { CONFIG: string } | undefined): Promise<void> => {
      if (engine === 'postgres') await tasuki(['token', 'revoke', '00000000-0000-4000-8000-000000000000'], config)
    }

    test('refuses what is on, what is unknown and what others refer to', async () => {
      assert.match((await tasuki(['purge', 'areas', '--yes'])).stderr, /areas is on in the config/)
      assert.match((await tasuki(['purge', 'nothing', '--yes'])).stderr, /nothing has no data here/)
      const bare = configured('bare.json', allOffBut('projects', 'workflows'))
      if (engine === 'postgres') {
        const { stderr } = await tasuki(['purge', 'items', '--yes'], bare)
        assert.match(stderr, /items was on when the service last started/)
      }
      await startedWith(bare)
      const { code, stdout, stderr } = await tasuki(['purge', 'items', '--yes'], bare)
      assert.equal(code, 1)
      assert.match(stdout, /^items\.items +1$/m)
      assert.match(stderr, /the tables of .*areas.*labels.* refer to those of items/)
      await startedWith(undefined)
    })

    test('says what it would delete, and deletes it with --yes', async () => {
      const more = configured('off.json', off)
      await startedWith(more)
      const { code, stdout } = await tasuki(['purge', 'areas'], more)
      assert.equal(code, 0)
      assert.match(stdout, /^areas\.areas +0$/m)
      assert.match(stdout, /tasuki purge areas --yes/)
      assert.match((await tasuki(['purge', 'areas', '--yes'], more)).stdout, /Deleted areas/)
      assert.match((await tasuki(['purge', 'areas'], more)).stderr, /areas has no data here/)
      const back = await serving()
      assert.match(back.output.stdout, /"migrated":\["areas\/0001_init"/)
      assert.equal(await back.stop(), 0)
    })

    test(
      'does not disturb a running server',
      { skip: engine === 'postgres' && 'any process can open that engine' },
      async () => {
        const server = await serving(configured('off.json', off))
        const { code, stderr } = await tasuki(['purge', 'areas', '--yes'], configured('off.json', off))
        assert.equal(await server.stop(), 0)
        assert.equal(code, 1)
        assert.match(stderr, /the service is running on this database; stop it/)
      },
    )
  })

  describe('stopping', () => {
    test('after a kill the next server starts, and stops at once on request', async () => {
      const killed = await serving()
      assert.equal(await killed.stop('SIGKILL'), null)
      assert.match(await done('user', 'list'), /ann@example\.com/)
      const next = await serving()
      const began = performance.now()
      assert.equal(await next.stop('SIGINT'), 0)
      assert.ok(performance.now() - began < 15_000)
    })
  })
})

/** Finds the client config that a first start prints: the line after its heading. */
function shownJson({ output }: Serving, client: string): unknown {
  const json = new RegExp(`^${client}.*:\\n(.*)$`, 'm').exec(output.stdout)?.[1]
  assert.ok(json, output.stdout)
  return JSON.parse(json)
}

forEachEngine('the first start', engine => {
  const start = async (
    how: NewDatabase,
    env: Record<string, string>,
    use: (server: Serving, env: Record<string, string>) => Promise<void>,
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-cli-'))
    const database = engine === 'postgres' ? await createTestDatabase(how) : undefined
    const all = { DATA_DIR: join(folder, 'data'), ...(database && { DATABASE_URL: database.url }), ...env }
    if (engine === 'pglite' && !how.empty) await migratedFolder(all.DATA_DIR)
    try {
      const server = await serve(TASUKI, { cwd: folder, env: all })
      try {
        await use(server, all)
      } finally {
        await server.stop()
      }
    } finally {
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  }

  test('on a loopback address it creates an owner and shows a working token; the next start shows none', async () => {
    await start({ empty: true }, {}, async (server, env) => {
      assert.ok((await httpCaller(server.origin, shownToken(server)).toolNames()).length > 0)
      assert.match(server.output.stdout, /claude mcp add --transport http tasuki http:\/\/localhost:\d+\/mcp/)
      const url = /claude mcp add .* (http:\S+) /.exec(server.output.stdout)?.[1]
      const headers = { Authorization: `Bearer ${shownToken(server)}` }
      assert.deepEqual(shownJson(server, 'VS Code'), { servers: { tasuki: { type: 'http', url, headers } } })
      assert.deepEqual(shownJson(server, 'Cursor'), { mcpServers: { tasuki: { url, headers } } })
      assert.equal(await server.stop(), 0)
      const again = await serve(TASUKI, { cwd: tmpdir(), env })
      assert.equal(await again.stop(), 0)
      assert.throws(() => shownToken(again))
    })
  })

  /** The output of a start depends only on its environment; `first-start.test.ts` covers its effects on both databases. */
  const once = { skip: engine === 'pglite' && process.env['TEST_ENGINE'] !== 'pglite' && 'done on the other engine' }
  test('on another address it shows a set-up link with that address, which works', once, async () => {
    // All of 127.0.0.0/8 is loopback, but nothing else listens on these addresses.
    await start({}, { HOST: '127.0.0.2' }, async server => {
      const link = /http:\/\/\S+\/setup\S*/.exec(server.output.stdout)?.[0]
      assert.ok(link, server.output.stdout)
      const { origin } = new URL(link)
      assert.equal(origin, server.origin)
      assert.ok(server.output.stdout.includes(`tools at ${origin}/mcp`))
      assert.equal((await fetch(link)).status, 200)
      const metadata = await (await fetch(`${origin}/.well-known/oauth-protected-resource`)).json()
      assert.deepEqual(metadata, {
        ...(metadata as object),
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
      })
      assert.equal(server.output.stdout.includes('svc_pat_'), false)
    })
  })

  const value = `svc_pat_${'a1'.repeat(16)}`
  verifies(
    'auth.bootstrap',
    'BOOTSTRAP_EMAIL and BOOTSTRAP_TOKEN create the owner with that token, which is not shown',
    once,
    async () => {
      await start(
        {},
        { BOOTSTRAP_EMAIL: 'chief@example.com', BOOTSTRAP_TOKEN: value, HOST: '0.0.0.0' },
        async server => {
          const { call, toolNames } = httpCaller(server.origin.replace('0.0.0.0', 'localhost'), value)
          assert.ok((await toolNames()).includes('items_create'))
          assert.equal((await call('items_create', { project_key: 'INBOX', title: 'x' })).item.ref, 'INBOX#1')
          assert.ok(!server.output.stdout.includes(value))
        },
      )
    },
  )
})
