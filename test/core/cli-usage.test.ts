import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { databaseProblem, formatError } from '../../core/cli/format-error.ts'
import { s3Storage } from '../../plugins/attachments/storage/s3.ts'
import { mountDisk, noDisk } from '../faults/disk.ts'
import { run, TASUKI, type Ended } from '../processes.ts'
import { inProcess } from './in-process.ts'
import { migratedFolder } from './migrated-folder.ts'

describe('output of the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-cli-'))
  const variables = { DATA_DIR: join(folder, 'data') }
  const tasuki = (line: string, env: Record<string, string> = {}): Promise<Ended> =>
    inProcess(line.split(' '), { ...variables, ...env })
  const asProcess = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    run(TASUKI, args, { cwd: folder, env: { ...variables, ...env } })
  before(() => migratedFolder(variables.DATA_DIR))
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('help names every command, and --help its arguments', async () => {
    const { code, stdout } = await tasuki('help')
    assert.equal(code, 0)
    for (const command of ['start', 'doctor', 'config check', 'plugin new', 'purge', 'token create', 'project create'])
      assert.match(stdout, new RegExp(`^ {2}tasuki ${command}\\b`, 'm'))
    const manual = await tasuki('token create --help')
    assert.equal(manual.code, 0)
    assert.match(manual.stdout, /^Usage: tasuki token create <name> \[--scope <read\|write>\]/m)
    assert.match(manual.stdout, /^ {2}--scope <read\|write> +read or write\. .* Default write\.$/m)
    assert.equal((await tasuki('help token create')).stdout, manual.stdout)
    const group = await tasuki('help token')
    assert.equal(group.code, 0, group.stderr)
    assert.match(group.stdout, /^ {2}tasuki token create[^]*^ {2}tasuki token revoke/m)
    assert.doesNotMatch(group.stdout, /tasuki user/)
    assert.match((await tasuki('plugin --help')).stdout, /^ {2}tasuki plugin new/)
  })

  test('as a process it prints the version, and exits with 2 for unknown commands', async () => {
    assert.match((await asProcess(['--version'])).stdout, /^\d+\.\d+\.\d+/)
    assert.equal((await asProcess(['tokn'])).code, 2)
  })

  const misuses: readonly (readonly [string, RegExp])[] = [
    ['tokn create', /there is no command "tokn create"; did you mean "token create"\?/],
    ['token', /tasuki token continues with create, list, revoke/],
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
    test(`tasuki ${line}: exit code 2 and what is wrong`, async () => {
      const { code, stderr } = await tasuki(line)
      assert.match(stderr, expected)
      assert.equal(code, 2)
    })
  }

  writeFileSync(join(folder, 'a file'), '')
  const failures: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    [
      'token list',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /database of DATABASE_URL cannot be used: no PostgreSQL/,
    ],
    ['plugins', { CONFIG: 'nowhere/missing.json' }, /cannot read the config file nowhere\/missing\.json/],
    ['start', { DATA_DIR: '/proc/data' }, /DATA_DIR must be a folder on a disk, not below \/proc, got "\/proc\/data"/],
    ['start', { DATA_DIR: '/dev/fd/data' }, /DATA_DIR \/dev\/fd\/data cannot be made: its file system is read-only/],
    [
      'backup /proc/x/all.tar.gz',
      {},
      /\/proc\/x\/all\.tar\.gz cannot be written: its file system is read-only, or it is/,
    ],
    ['copy --to /proc/x', {}, /\/proc\/x cannot be written: its file system is read-only, or it is/],
    [`copy --to ${join(folder, 'data/database/copy')}`, {}, /is in the database that is copied: choose another folder/],
    ['backup /proc/x', {}, /\/proc\/x cannot be written: ENOENT/],
    ['start', { PORT: '70000' }, /PORT must be a whole number from 0 to 65535, got "70000"/],
    ['start', { SECRET_KEY: 'short' }, /SECRET_KEY must have at least 32 characters/],
    ['start', { BOOTSTRAP_TOKEN: 'secret' }, /BOOTSTRAP_TOKEN must be svc_pat_/],
    ['start', { DATA_DIR: join(folder, 'a file') }, /DATA_DIR .*a file cannot be made: it, or a folder above it, is a/],
    ['user create a@b.c', { DATA_DIR: join(folder, 'wrong') }, /there is no database in .*wrong.*: start the service/],
    ['start', { HOST: '192.0.2.1' }, /HOST 192\.0\.2\.1 is no address of this machine/],
  ]
  for (const [line, env, expected] of failures) {
    test(`tasuki ${line} with ${JSON.stringify(env)}: exit code 1 and one line`, async () => {
      const { code, stderr } = await tasuki(line, env)
      assert.equal(code, 1)
      assert.match(stderr, expected)
      assert.equal(stderr.trim().split('\n').length, 1, stderr)
    })
  }

  test('a database without TLS, or with a certificate of an unknown issuer, is named as such in one line', async t => {
    const server = createServer(socket => socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, stderr } = await tasuki('token list', {
      DATABASE_URL: `postgres://ann:x@127.0.0.1:${port}/x?sslmode=verify-full`,
    })
    assert.equal(code, 1)
    assert.match(stderr, /^tasuki: the database of DATABASE_URL cannot be used: turn on ssl there[^\n]*\n$/)
    const unknown = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    assert.match(databaseProblem({ cause: unknown, databaseVariable: 'DATABASE_URL' }) ?? '', /add sslrootcert=/)
  })

  test('a server that closes the connection, or never answers, is named in one line by every command', async t => {
    let closes = true
    const server = createServer(socket => {
      socket.on('error', () => undefined)
      t.after(() => socket.destroy())
      if (closes) socket.once('data', () => socket.resetAndDestroy())
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const DATABASE_URL = `postgres://ann:x@127.0.0.1:${(server.address() as AddressInfo).port}/x`
    for (const line of ['token list', 'migrate', 'doctor']) {
      const { code, stdout, stderr } = await tasuki(line, { DATABASE_URL })
      assert.equal(code, 1)
      assert.match(stdout + stderr, /database of DATABASE_URL cannot be used: .*closed the connection/)
      assert.doesNotMatch(stdout + stderr, /^ {4}at /m)
    }
    closes = false
    const { stdout } = await tasuki('doctor', { DATABASE_URL })
    assert.match(stdout, /^WRONG database: the database of DATABASE_URL cannot be used: the server does not answer/m)
  })

  test('a bucket that does not answer is not taken for the database', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) process.env[name] ??= 'test'
    const settings = { bucket: 'x', prefix: '', region: 'x', endpoint: 'http://127.0.0.1:1', force_path_style: true }
    const failure = await s3Storage(settings)
      .bytes('key')
      .catch((error: unknown) => error)
    assert.equal(formatError(failure), 'the file storage failed: connect ECONNREFUSED 127.0.0.1:1')
  })

  test('the audit trail is printed as one JSON object with --format json --json', async () => {
    assert.equal((await tasuki('user create audited@example.com')).code, 0)
    const { stdout } = await tasuki('audit --format json --json')
    assert.equal((JSON.parse(stdout) as { entries: { action: string }[] }).entries[0]?.action, 'user.created')
  })

  test('a backup and a restore onto a full disk say so in one line', { skip: noDisk }, async t => {
    const disk = mountDisk(join(folder, 'disk'), 40)
    t.after(disk.unmount)
    const file = join(folder, 'all.tar.gz')
    assert.equal((await tasuki(`backup ${file}`)).code, 0)
    const restored = await tasuki(`restore ${file}`, { DATA_DIR: join(disk.folder, 'data') })
    assert.match(restored.stderr, /^tasuki: [^\n]*: the disk is full[^\n]*\n$/)
    disk.fill()
    const written = await tasuki(`backup ${join(disk.folder, 'all.tar.gz')}`)
    assert.match(written.stderr, /^tasuki: [^\n]*: the disk is full[^\n]*\n$/)
  })

  test('an output that is a pipe or device is written to, not replaced', async t => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const reader = spawn('cat', [pipe])
    t.after(() => reader.kill())
    const read = text(reader.stdout)
    assert.equal((await tasuki(`export items INBOX --output ${pipe}`)).code, 0)
    assert.ok(statSync(pipe).isFIFO())
    assert.match(await read, /^\{"format"/)
    const { stderr } = await tasuki(`export items INBOX --output ${folder}`)
    assert.match(stderr, /^tasuki: \S+ cannot be written: EISDIR[^\n]*\n$/)
  })

  test('help and doctor work while the config is broken', async () => {
    writeFileSync(join(folder, 'broken.json'), '{ "plugins": { "items": 1 } }')
    const help = await tasuki('help', { CONFIG: join(folder, 'broken.json') })
    assert.equal(help.code, 0)
    assert.match(help.stdout, /token create[^]*left out, because the config is wrong/)
    const doctor = await asProcess(['doctor'], { CONFIG: 'broken.json' })
    assert.equal(doctor.code, 1)
    assert.match(doctor.stdout, /^WRONG config: broken\.json/m)
  })

  test('config check reads only the config', async () => {
    assert.match((await tasuki('config check')).stdout, /^The config is valid: \d+ plugins, \d+ tools, profiles /)
    writeFileSync(join(folder, 'off.json'), '{ "plugins": { "items": false } }')
    writeFileSync(join(folder, 'gone.json'), '{ "plugins": { "kanban_wip_limits": false } }')
    const gone = await tasuki('config check', { CONFIG: join(folder, 'gone.json') })
    assert.match(gone.stdout, /^The config is valid.*\nSwitched off, but not there: kanban_wip_limits$/m)
    const { code, stderr } = await tasuki('config check', { CONFIG: join(folder, 'off.json') })
    assert.equal(code, 1)
    assert.match(stderr, /plugin \w+ needs plugin items, which is off/)
    const second = join(import.meta.dirname, '../fixtures/plugins/second-token.ts')
    writeFileSync(join(folder, 'clash.json'), JSON.stringify({ plugins: { [second]: {} } }))
    const clash = await tasuki('config check', { CONFIG: join(folder, 'clash.json') })
    assert.equal(clash.code, 1)
    assert.match(clash.stderr, /entity core.tokens is defined by both the host and second_token; rename one of them/)
  })

  test('a profile may name a tool of a plugin that is off, but no unknown tool', async () => {
    const check = async (tools: readonly string[], plugins: object = {}) => {
      writeFileSync(join(folder, 'profile.json'), JSON.stringify({ plugins, profiles: { mine: { tools } } }))
      return tasuki('config check', { CONFIG: join(folder, 'profile.json') })
    }
    const off = await check(['project_label_create', 'tasks_list'], { labels: false })
    assert.equal(off.code, 1)
    assert.match(off.stderr, /profile mine names .* project_label_create, .* did you mean project_labels_create\?/)
    assert.equal((await check(['versions_list', 'project_labels_list', 'tasks_list'], { labels: false })).code, 0)
    const { code, stderr } = await check(['task_list', 'tasks_list', 'zzzzzzzzzz'])
    assert.equal(code, 1)
    assert.match(stderr, /profile mine names the tool task_list, which no plugin has; did you mean tasks_list\?/)
    assert.match(stderr, /names the tool zzzzzzzzzz, which no plugin has; correct it or take it out/)
    const start = await tasuki('start', { CONFIG: join(folder, 'profile.json') })
    assert.equal(start.code, 1)
    assert.match(start.stderr, /profile mine names the tool task_list/)
  })

  test('a restore of what is no archive or cannot be read says so in one line', async () => {
    const linux = process.platform === 'linux' ? [['/proc/self/mem', /cannot be read: EIO\b/] as const] : []
    const pipe = join(folder, 'archive-pipe')
    execFileSync('mkfifo', [pipe])
    for (const [file, problem] of [
      [folder, /is not a file that tasuki backup wrote/],
      [pipe, /is not a file that tasuki backup wrote/],
      [join(folder, 'gone'), /cannot be read: it is not there/],
      ...linux,
    ] as const) {
      const { code, stderr } = await tasuki(`restore ${file}`, { DATA_DIR: join(folder, 'restored') })
      assert.equal(code, 1)
      assert.match(stderr, /^tasuki: [^\n]*\n$/)
      assert.match(stderr, problem)
    }
  })

  test('plugins shows what is on and what is off', async () => {
    writeFileSync(join(folder, 'less.json'), '{ "plugins": { "labels": false } }')
    const { stdout } = await tasuki('plugins', { CONFIG: join(folder, 'less.json') })
    assert.match(stdout, /^items +\S+ +on +\d+ +projects workflows/m)
    assert.match(stdout, /^labels +- +off/m)
  })
})
