import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import defaults from '../../config/default.json' with { type: 'json' }
import { main } from '../../core/cli/main.ts'
import { createTestDatabase, type TestDatabase } from '../../core/testing/database.ts'
import { forEachEngine } from '../engines.ts'
import { httpCaller } from '../http-caller.ts'
import { run, serve, shownToken, succeed, TASUKI, type Ended, type Serving } from '../processes.ts'
import { verifies } from '../verifies.ts'

const SLOW = join(import.meta.dirname, '../fixtures/plugins/slow.ts')

/** The plugins of the default config, switched off but for some. */
function allOffBut(...kept: readonly string[]): Record<string, false> {
  const names = Object.keys(defaults.plugins).filter(name => !kept.includes(name))
  return Object.fromEntries(names.map(name => [name, false]))
}

forEachEngine('the command line', engine => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-cli-'))
  let database: TestDatabase | undefined
  const env: Record<string, string> = { DATA_DIR: join(folder, 'data') }
  const tasuki = (args: readonly string[], more: Record<string, string> = {}): Promise<Ended> =>
    run(TASUKI, args, { cwd: folder, env: { ...env, ...more } })
  const done = (...args: string[]): Promise<string> => succeed(TASUKI, args, { cwd: folder, env })
  const serving = (more: Record<string, string> = {}): Promise<Serving> =>
    serve(TASUKI, { cwd: folder, env: { ...env, ...more } })
  /** A config file with these plugins over the default ones. */
  const configured = (name: string, plugins: object): { CONFIG: string } => {
    writeFileSync(join(folder, name), JSON.stringify({ plugins }))
    return { CONFIG: join(folder, name) }
  }

  before(async () => {
    if (engine === 'pglite') return
    database = await createTestDatabase()
    env['DATABASE_URL'] = database.url
  })
  after(async () => {
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  describe('without a server', () => {
    test('creates users, tokens and projects, and lists them', async () => {
      assert.match(await done('user', 'create', 'Ann@Example.com', '--time-zone', 'Europe/Berlin'), /ann@example\.com/)
      assert.match(await done('project', 'create', 'APP', 'The app'), /Created APP \(The app\) of ann@example\.com/)
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
      assert.match(await done('token', 'revoke', row.id), /Revoked laptop/)
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

    verifies('auth.bearer_pat', 'a new token is good at once, and a revoked one no longer', async () => {
      const token = (await done('token', 'create', 'phone', '--user', 'ann@example.com')).split('\n')[0]!
      const { toolNames } = httpCaller(server.origin, token)
      assert.ok((await toolNames()).includes('items_create'))
      const rows = JSON.parse(await done('token', 'list', '--user', 'ann@example.com', '--json'))
      await done('token', 'revoke', rows.find((row: { name: string }) => row.name === 'phone').id)
      await assert.rejects(toolNames(), { status: 401 })
    })

    test('a new project is there at once', async () => {
      const token = (await done('token', 'create', 'desk', '--user', 'ann@example.com')).split('\n')[0]!
      await done('project', 'create', 'NEW', 'Brand new', '--user', 'ann@example.com')
      const { item } = await httpCaller(server.origin, token).call('items_create', {
        project_key: 'NEW',
        title: 'First',
      })
      assert.match(item.ref, /^NEW#\d+$/)
    })

    test('a second server on its port, or on its embedded database, says which of them is taken', async () => {
      const { port } = new URL(server.origin)
      const { code, stderr } = await tasuki([], engine === 'postgres' ? { PORT: port } : {})
      assert.equal(code, 1)
      const taken =
        engine === 'postgres' ? `port ${port} is in use by another program; set PORT` : '.*is in use by another tasuki'
      assert.match(stderr, new RegExp(`^tasuki: ${taken}`))
    })

    test('doctor and refusals work through it', async () => {
      assert.equal((await tasuki(['doctor'])).code, 0)
      const { code, stderr } = await tasuki(['project', 'create', 'NEW', 'Again', '--user', 'ann@example.com'])
      assert.equal(code, 1)
      assert.match(stderr, /NEW/)
      assert.doesNotMatch(stderr, / {4}at /)
      assert.match((await tasuki(['user', 'create', 'bob@example.com'])).stderr, /already a user bob@example\.com/)
      assert.match(await done('user', 'list'), /^\S+ +ann@example\.com +ann +Europe\/Berlin/m)
    })

    verifies('http.readyz', 'SIGTERM finishes what is under way, tells load balancers, and exits 0', async () => {
      const readiness = async (): Promise<[number, string]> => {
        const response = await fetch(`${server.origin}/readyz`)
        return [response.status, ((await response.json()) as { status: string }).status]
      }
      const token = (await done('token', 'create', 'stopper', '--user', 'ann@example.com')).split('\n')[0]!
      assert.deepEqual(await readiness(), [200, 'ready'])
      const call = httpCaller(server.origin, token).call('slow_wait', { ms: 2500 })
      await sleep(500)
      const ended = server.stop()
      await sleep(100)
      assert.deepEqual(await readiness(), [503, 'draining'])
      assert.deepEqual(await call, { waited: 2500 })
      assert.equal(await ended, 0)
      await assert.rejects(readiness())
    })
  })

  describe('purge', () => {
    const off = { areas: false }
    /** PostgreSQL may have other instances: there a plugin counts as off once something has started without it. */
    const startedWith = async (config: { CONFIG: string } | undefined): Promise<void> => {
      if (engine === 'postgres') await tasuki(['user', 'list'], config)
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

    test('says what would go, and deletes it with --yes', async () => {
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
      'leaves a running server alone',
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
    test('a killed server leaves nothing that keeps the next one from starting, which then stops at once', async () => {
      const killed = await serving()
      assert.equal(await killed.stop('SIGKILL'), null)
      assert.match(await done('user', 'list'), /ann@example\.com/)
      const next = await serving()
      const began = performance.now()
      assert.equal(await next.stop('SIGINT'), 0)
      assert.ok(performance.now() - began < 5000)
    })
  })
})

forEachEngine('the first start', engine => {
  const start = async (
    env: Record<string, string>,
    use: (server: Serving, env: Record<string, string>) => Promise<void>,
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-cli-'))
    const database = engine === 'postgres' ? await createTestDatabase() : undefined
    const all = { DATA_DIR: join(folder, 'data'), ...(database && { DATABASE_URL: database.url }), ...env }
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

  test('on this machine it makes an owner and shows one token that works, and the next start shows none', async () => {
    await start({}, async (server, env) => {
      assert.ok((await httpCaller(server.origin, shownToken(server)).toolNames()).length > 0)
      assert.match(server.output.stdout, /claude mcp add --transport http tasuki http:\/\/localhost:\d+\/mcp/)
      assert.equal(await server.stop(), 0)
      const again = await serve(TASUKI, { cwd: tmpdir(), env })
      assert.equal(await again.stop(), 0)
      assert.throws(() => shownToken(again))
    })
  })

  const value = `svc_pat_${'a1'.repeat(16)}`
  verifies(
    'auth.bootstrap',
    'BOOTSTRAP_EMAIL and BOOTSTRAP_TOKEN make the owner with that token, and show none',
    async () => {
      await start({ BOOTSTRAP_EMAIL: 'chief@example.com', BOOTSTRAP_TOKEN: value, HOST: '0.0.0.0' }, async server => {
        const { call, toolNames } = httpCaller(server.origin.replace('0.0.0.0', 'localhost'), value)
        assert.ok((await toolNames()).includes('items_create'))
        assert.equal((await call('items_create', { project_key: 'INBOX', title: 'x' })).item.ref, 'INBOX#1')
        assert.ok(!server.output.stdout.includes(value))
      })
    },
  )
})

describe('what the command line says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-cli-'))
  const tasuki = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    run(TASUKI, args, { cwd: folder, env: { DATA_DIR: join(folder, 'data'), ...env } })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('help names every command, and --help its arguments', async () => {
    const { code, stdout } = await tasuki(['help'])
    assert.equal(code, 0)
    for (const command of ['start', 'doctor', 'config check', 'plugin new', 'purge', 'token create', 'project create'])
      assert.match(stdout, new RegExp(`^ {2}tasuki ${command}\\b`, 'm'))
    const manual = await tasuki(['token', 'create', '--help'])
    assert.equal(manual.code, 0)
    assert.match(manual.stdout, /^Usage: tasuki token create <name> \[--scope <read\|write>\]/m)
    assert.match(manual.stdout, /^ {2}--scope <read\|write> +read or write\. .* Default write\.$/m)
    assert.equal((await tasuki(['help', 'token', 'create'])).stdout, manual.stdout)
    assert.match((await tasuki(['--version'])).stdout, /^\d+\.\d+\.\d+/)
    assert.equal((await tasuki(['tokn'])).code, 2)
  })

  /** Without a process of its own, which would take most of the time. */
  const inProcess = async (t: TestContext, line: string, env: Record<string, string> = {}): Promise<Ended> => {
    let stderr = ''
    t.mock.method(process.stderr, 'write', (text: string) => (stderr += text).length > 0)
    const code = await main(line.split(' '), { DATA_DIR: join(folder, 'data'), ...env })
    t.mock.restoreAll()
    return { code, stdout: '', stderr }
  }

  const misuses: readonly (readonly [string, RegExp])[] = [
    ['tokn create', /there is no command "tokn create"; did you mean "token create"\?/],
    ['token', /tasuki token goes on with create, list, revoke/],
    ['token create', /<name> is missing\nUsage: tasuki token create <name>/],
    ['token create a b', /"b" is one argument too many/],
    ['token create a --bogus', /Unknown option '--bogus'\n/],
    ['token create a --scope all', /--scope <read\|write> must be one of read, write, got "all"/],
    [
      'token create a --expires-in-days soon',
      /--expires-in-days <number> must be a whole number of 1 to 3650, got "soon"/,
    ],
    ['project create lower Name', /<key> must be .* got "lower"/],
    ['doctor now', /"now" is one argument too many/],
    ['--frobnicate', /--frobnicate is not an option here/],
  ]
  for (const [line, expected] of misuses) {
    test(`tasuki ${line}: exit code 2 and what is wrong`, async t => {
      const { code, stderr } = await inProcess(t, line)
      assert.match(stderr, expected)
      assert.equal(code, 2)
    })
  }

  const failures: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    [
      'token list',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /database of DATABASE_URL cannot be used: no PostgreSQL/,
    ],
    ['plugins', { CONFIG: 'nowhere/missing.json' }, /cannot read the config file nowhere\/missing\.json/],
    ['start', { PORT: '70000' }, /PORT must be a whole number from 0 to 65535, got "70000"/],
    ['start', { SECRET_KEY: 'short' }, /SECRET_KEY must have at least 32 characters/],
    ['start', { BOOTSTRAP_TOKEN: 'secret' }, /BOOTSTRAP_TOKEN must be svc_pat_/],
    ['start', { HOST: '192.0.2.1' }, /HOST 192\.0\.2\.1 is no address of this machine/],
  ]
  for (const [line, env, expected] of failures) {
    test(`tasuki ${line} with ${JSON.stringify(env)}: exit code 1 and one line`, async t => {
      const { code, stderr } = await inProcess(t, line, env)
      assert.equal(code, 1)
      assert.match(stderr, expected)
      assert.equal(stderr.trim().split('\n').length, 1, stderr)
    })
  }

  test('help and doctor work while the config is broken', async () => {
    writeFileSync(join(folder, 'broken.json'), '{ "plugins": { "items": 1 } }')
    const help = await tasuki(['help'], { CONFIG: 'broken.json' })
    assert.equal(help.code, 0)
    assert.match(help.stdout, /token create[^]*left out, because the config is wrong/)
    const doctor = await tasuki(['doctor'], { CONFIG: 'broken.json' })
    assert.equal(doctor.code, 1)
    assert.match(doctor.stdout, /^WRONG config: broken\.json/m)
  })

  test('config check looks at the config alone', async () => {
    assert.match((await tasuki(['config', 'check'])).stdout, /^The config is valid: \d+ plugins, \d+ tools, profiles /)
    writeFileSync(join(folder, 'off.json'), '{ "plugins": { "items": false } }')
    const { code, stderr } = await tasuki(['config', 'check'], { CONFIG: 'off.json' })
    assert.equal(code, 1)
    assert.match(stderr, /plugin \w+ needs plugin items, which is off/)
  })

  test('plugins shows what is on and what is off', async () => {
    writeFileSync(join(folder, 'less.json'), '{ "plugins": { "labels": false } }')
    const { stdout } = await tasuki(['plugins'], { CONFIG: 'less.json' })
    assert.match(stdout, /^items +\S+ +on +\d+ +projects workflows/m)
    assert.match(stdout, /^labels +- +off/m)
  })
})
