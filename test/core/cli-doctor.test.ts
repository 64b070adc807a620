import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, createServer as createProxy, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import { openPostgres } from '../../core/db/postgres.ts'
import { readEnvironment } from '../../core/host/config/environment.ts'
import { quietLog } from '../../core/host/quiet-log.ts'
import { commandHostFrom } from '../../core/host/start.ts'
import { artifactKey, loadKeys } from '../../core/identity/oauth/keys.ts'
import { createTestDatabase } from '../../core/testing/database.ts'
import { testHost } from '../../core/testing/host.ts'
import { noPostgres } from '../engines.ts'
import { startObjectStore, type ObjectStore } from '../plugins/attachments/object-store.ts'
import { inProcess } from './in-process.ts'
import { migratedFolder } from './migrated-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'tasuki-doctor-'))
const DATA_DIR = join(folder, 'data')
let store: ObjectStore
let models: Server
let origin: string

/** Answers of an OpenAI server and an OpenID provider. */
const answers: Readonly<Record<string, (origin: string) => object>> = {
  '/v1/embeddings': () => ({ data: [{ index: 0, embedding: [1, 0, 0, 0] }] }),
  '/v1/chat/completions': () => ({ choices: [{ message: { content: 'It works.' } }] }),
  '/.well-known/openid-configuration': issuer => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }),
}

before(async () => {
  store = await startObjectStore()
  models = createServer((request, response) => {
    request.resume()
    const answer = answers[request.url ?? '']
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer?.(origin) ?? { error: 'no such model' }))
  }).listen(0, '127.0.0.1')
  await once(models, 'listening')
  origin = `http://127.0.0.1:${(models.address() as AddressInfo).port}`
  await migratedFolder(DATA_DIR)
})
after(async () => {
  models.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Changes a setting of one database, for connections that are opened later. */
async function setForDatabase(url: string, setting: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`alter database ${new URL(url).pathname.slice(1)} set ${setting}`)
  await client.end()
}

async function doctor(plugins: object, env: Record<string, string> = {}) {
  const CONFIG = join(folder, 'config.json')
  writeFileSync(CONFIG, JSON.stringify({ plugins }))
  return inProcess(['doctor'], { DATA_DIR, CONFIG, ...env })
}

test('doctor checks the external services of the config, and all of them work', async () => {
  const { code, stdout } = await doctor({
    attachments: store.settings,
    search: { provider: 'openai:m', url: `${origin}/v1` },
    summaries: { provider: 'openai', base_url: `${origin}/v1`, model: 'm' },
    portal: { openid: { issuer: origin, client_id: 'tasuki' } },
  })
  assert.equal(code, 0, stdout)
  for (const what of [
    'attachments: the bucket attachments',
    'search: the embedding provider openai',
    'summaries: the provider openai',
  ])
    assert.match(stdout, new RegExp(`^ok +${what}.* answers, after \\d+ ms`, 'm'))
  assert.match(stdout, /search: the embedding provider openai \(m\), vectors of 4 numbers, answers, after \d+ ms/)
  assert.match(stdout, /^ok +sign-in: the OpenID provider http.* answers/m)
  assert.match(stdout, /^ok +memory: \d+ MB, of which the service needs 512 MB/m)
  if (process.env['TEST_TEMPLATE_SNAPSHOT']) assert.match(stdout, /^ok +clock: /m)
  assert.deepEqual(await store.keys(), [], 'nothing is written')
})

test('doctor says what does not work and what to look at', async () => {
  const { code, stdout } = await doctor({
    attachments: { s3: { ...(store.settings as { s3: object }).s3, bucket: 'another' } },
    search: { provider: 'openai', url: `${origin}/v2`, model: 'm', dims: 4 },
    summaries: { provider: 'openai', base_url: `${origin}/v2`, model: 'm' },
    portal: { openid: { issuer: `${origin}/elsewhere`, client_id: 'tasuki' } },
  })
  assert.equal(code, 1)
  assert.match(
    stdout,
    /^WRONG attachments: the bucket another does not work: .*bucket.*; check s3 of the plugin attachments/im,
  )
  assert.match(
    stdout,
    /^WRONG search: .* does not work: .*answered 404.*; check provider, url, model, dims and key_env/m,
  )
  assert.match(stdout, /^WRONG summaries: .* does not work: .*answered 404.*; check base_url/m)
  assert.match(stdout, /^WRONG sign-in: .* does not work: .*; check openid of the plugin portal/m)
})

test('doctor says that a port is taken by another program, or that the service answers there', async t => {
  const other = createServer((request, response) => {
    response.end(request.url === '/readyz' && isService ? '{"status":"ready"}' : 'something else')
  }).listen(0, '127.0.0.1')
  let isService = false
  t.after(() => other.close())
  await once(other, 'listening')
  const PORT = String((other.address() as AddressInfo).port)
  const taken = await doctor({}, { PORT })
  assert.equal(taken.code, 1)
  assert.match(taken.stdout, new RegExp(`^WRONG PORT: port ${PORT} is in use by another program; set PORT to`, 'm'))
  isService = true
  const served = await doctor({}, { PORT })
  assert.match(served.stdout, new RegExp(`^ok    PORT: the service answers at http://localhost:${PORT}$`, 'm'))
  const elsewhere = await doctor({}, { HOST: '192.0.2.1', METRICS_PORT: PORT })
  assert.match(elsewhere.stdout, /^WRONG PORT: HOST 192\.0\.2\.1 is no address of this machine/m)
})

test('doctor says when the memory does not suffice', async t => {
  t.mock.method(process, 'constrainedMemory', () => 300 * 1024 * 1024)
  const { code, stdout } = await doctor({})
  assert.equal(code, 1)
  assert.match(stdout, /^WRONG memory: 300 MB, and 512 MB are needed: give it more/m)
})

test(
  'doctor says when the clock is wrong',
  { skip: !process.env['TEST_TEMPLATE_SNAPSHOT'] && 'needs the test runner' },
  async t => {
    const { now } = Date
    t.mock.method(Date, 'now', () => now() - 3_600_000)
    const { code, stdout } = await doctor({})
    assert.equal(code, 1)
    assert.match(stdout, /^WRONG clock: 3600 s from that of the database; set the clocks/m)
  },
)

test('doctor says which folder cannot be written, and that there is no key yet', async () => {
  const file = join(folder, 'a file')
  writeFileSync(file, '')
  const CONFIG = join(folder, 'backups.json')
  writeFileSync(CONFIG, JSON.stringify({ backups: { folder: `${file}/backups` } }))
  const { code, stdout } = await inProcess(['doctor'], { DATA_DIR: `${file}/data`, CONFIG })
  assert.equal(code, 1)
  assert.match(stdout, /^WRONG DATA_DIR: .*a file\/data cannot be written: it, or a folder above it, is a file/m)
  assert.match(stdout, /^WRONG backups\.folder: .*a file\/backups cannot be written/m)
  assert.match(stdout, /^note +signing key: there is no .*secret\.key yet/m)
  assert.doesNotMatch(stdout, /^ok +signing key/m)
})

test('doctor needs a DATA_DIR that can be written on PostgreSQL too, unless no plugin stores files', async () => {
  const file = join(folder, 'no folder')
  writeFileSync(file, '')
  const CONFIG = join(folder, 'no-files.json')
  writeFileSync(CONFIG, JSON.stringify({ plugins: { attachments: false } }))
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEY: 'a secret of thirty-two characters' }
  const unwritable = /^WRONG DATA_DIR: .*no folder\/data cannot be written/m
  assert.match((await inProcess(['doctor'], { ...env, DATA_DIR: `${file}/data` })).stdout, unwritable)
  assert.doesNotMatch((await inProcess(['doctor'], { ...env, DATA_DIR: `${file}/data`, CONFIG })).stdout, unwritable)
})

test('doctor refuses a database that the start would refuse', { skip: noPostgres }, async t => {
  const { url, drop } = await createTestDatabase({ empty: true })
  t.after(drop)
  const client = new Client({ connectionString: url })
  await client.connect()
  const name = `doctor_${process.pid}`
  await client.query(`create role ${name} login password 'secret'`)
  await client.query(`create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`)
  const there = (change: (address: URL) => void) => {
    const address = new URL(url)
    change(address)
    return inProcess(['doctor'], { DATA_DIR, DATABASE_URL: address.href })
  }
  try {
    const ascii = await there(address => (address.pathname = `/${name}`))
    assert.match(ascii.stdout, /^WRONG PostgreSQL: .* has the encoding SQL_ASCII: recreate it with encoding UTF8/m)
    const guest = await there(address => Object.assign(address, { username: name, password: 'secret' }))
    assert.match(guest.stdout, /^WRONG PostgreSQL: the user of DATABASE_URL may not create schemas/m)
    assert.deepEqual([ascii.code, guest.code], [1, 1])
    assert.match((await there(() => undefined)).stdout, /^note +PostgreSQL: .* the next start runs \d+ migrations/m)
  } finally {
    await client.query(`drop database ${name}`)
    await client.query(`drop role ${name}`)
    await client.end()
  }
})

test('doctor foresees that a locale cannot search Japanese, before the first start', { skip: noPostgres }, async t => {
  const { url, drop } = await createTestDatabase({ empty: true, ctype: 'C' })
  t.after(drop)
  const { code, stdout } = await inProcess(['doctor'], { DATA_DIR, DATABASE_URL: url })
  assert.equal(code, 1)
  assert.match(stdout, /^WRONG PostgreSQL: the locale .* could not search Japanese: .* LC_CTYPE C\.UTF-8/m)
})

test('doctor says how long a statement takes on a distant database', { skip: noPostgres }, async t => {
  const { url, drop } = await createTestDatabase()
  t.after(drop)
  const { hostname, port } = new URL(url)
  const away = createProxy(here => {
    const there = connect(Number(port), hostname)
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      from.on('data', data => setTimeout(() => to.write(data), 30))
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
    }
  }).listen(0, '127.0.0.1')
  t.after(() => away.close())
  await once(away, 'listening')
  const address = new URL(url)
  address.port = String((away.address() as AddressInfo).port)
  address.hostname = '127.0.0.1'
  const far = await inProcess(['doctor'], { DATA_DIR, DATABASE_URL: address.href })
  assert.match(far.stdout, /^note +database: a statement takes \d+ ms; run the service nearer/m)
  const near = await inProcess(['doctor'], { DATA_DIR, DATABASE_URL: url })
  assert.equal(near.code, 0)
})

test(
  'doctor and the service read dates and texts of a server with another DateStyle and older strings',
  { skip: noPostgres },
  async t => {
    const { url, drop } = await createTestDatabase()
    t.after(drop)
    await setForDatabase(url, `datestyle = 'SQL, DMY'`)
    await setForDatabase(url, 'standard_conforming_strings = off')
    const { stdout } = await inProcess(['doctor'], { DATA_DIR, DATABASE_URL: url })
    assert.match(stdout, /^ok +clock: /m)
    const database = await openPostgres({
      url,
      replicaUrl: null,
      poolSize: 1,
      queryTimeout: 5000,
      plugins: [],
      log: quietLog,
    })
    t.after(() => database.close())
    const { rows } = await sql`select date '2026-12-03' as day, 'a\\n' as text`.execute(database.read)
    assert.deepEqual(rows, [{ day: '2026-12-03', text: 'a\\n' }])
  },
)

test('an empty database with older strings gets its tables and its queue', { skip: noPostgres }, async t => {
  const { url, drop } = await createTestDatabase({ empty: true })
  t.after(drop)
  await setForDatabase(url, 'standard_conforming_strings = off')
  const host = await testHost(t, { engine: 'postgres', database: { engine: 'postgres', url, replicaUrl: null } })
  const { item } = await host.call('items_create', { project_key: 'INBOX', title: String.raw`C:\new` })
  assert.equal(item.title, String.raw`C:\new`)
})

test('doctor says that a replica cannot be used, or holds other data', { skip: noPostgres }, async t => {
  const { url, drop } = await createTestDatabase()
  t.after(drop)
  const other = await createTestDatabase({ empty: true })
  t.after(other.drop)
  const missing = new URL(url)
  missing.pathname = '/no_such_replica'
  for (const [replica, says, code] of [
    [url, /^ok +replica: it answers/m, 0],
    [
      missing.href,
      /^WRONG replica: the database of DATABASE_REPLICA_URL cannot be used: there is no such database/m,
      1,
    ],
    [
      other.url,
      /^WRONG replica: the database of DATABASE_REPLICA_URL lacks core\/0001_init.* or is no replica of it/m,
      1,
    ],
  ] as const) {
    const checked = await inProcess(['doctor'], {
      DATA_DIR,
      DATABASE_URL: url,
      DATABASE_REPLICA_URL: replica,
    })
    assert.match(checked.stdout, says)
    assert.equal(checked.code, code)
  }
  const refused = await inProcess(['token', 'list'], {
    DATA_DIR,
    DATABASE_URL: url,
    DATABASE_REPLICA_URL: missing.href,
  })
  assert.match(refused.stderr, /^tasuki: the database of DATABASE_REPLICA_URL cannot be used: there is no such/)
})

test('doctor says which schema the search_path lacks', { skip: noPostgres }, async t => {
  for (const empty of [true, false]) {
    const { url, drop } = await createTestDatabase({ empty })
    t.after(drop)
    await setForDatabase(url, `search_path = ''`)
    const { code, stdout } = await inProcess(['doctor'], { DATA_DIR, DATABASE_URL: url })
    assert.equal(code, 1)
    assert.match(stdout, /^WRONG PostgreSQL: the search_path of .* lacks public, .*: alter role … set search_path/m)
  }
})

test('doctor says when the keys in the database are of another secret, until the start has made others', async t => {
  const dataDir = join(folder, 'keys')
  const env = { DATA_DIR: dataDir, SECRET_KEY: 'a secret of thirty-two characters' }
  await migratedFolder(dataDir)
  await inProcess(['migrate'], env)
  const host = (SECRET_KEY: string) => commandHostFrom(readEnvironment({ ...env, SECRET_KEY }))
  const loaded = async (SECRET_KEY: string): Promise<number> => {
    const { app, database, options } = await host(SECRET_KEY)
    const log = t.mock.fn()
    await loadKeys(database, artifactKey(options.secret), () => new Date(), { ...quietLog, error: log })
    await app.close()
    return log.mock.callCount()
  }
  const other = 'another secret, of 32 characters too'
  assert.equal(await loaded(env.SECRET_KEY), 0)
  assert.doesNotMatch((await inProcess(['doctor'], env)).stdout, /keys of/)
  const mistaken = await inProcess(['doctor'], { ...env, SECRET_KEY: other })
  assert.equal(mistaken.code, 1)
  assert.match(mistaken.stdout, /^WRONG the keys .* another SECRET_KEY .*: if other instances use this database, stop/m)
  assert.deepEqual([await loaded(other), await loaded(other)], [1, 0], 'reported once')
  const lost = await inProcess(['doctor'], { ...env, SECRET_KEY: other })
  assert.match(lost.stdout, /^note +the database also has keys of another SECRET_KEY/m)
  assert.equal(lost.code, 0)
  assert.equal(await loaded(env.SECRET_KEY), 0)
  assert.doesNotMatch((await inProcess(['doctor'], env)).stdout, /keys of/)
})
