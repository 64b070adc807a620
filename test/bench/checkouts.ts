import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { httpCaller, type HttpCaller } from '../http-caller.ts'
import { startPostgres } from '../postgres.ts'
import { KEYS } from './data.ts'
import { deploy, newDatabase } from './deployment.ts'
import { median } from './load.ts'
import { cpuSeconds, startService, type Server } from './processes.ts'
import type { Figure } from './report.ts'
import { call, flagsOf, headersOf, type Listed, waitUntilIndexed } from './requests.ts'
import { comparePairs } from './rounds.ts'
import unlimited from './unlimited.json' with { type: 'json' }
import { seededRandom } from '../random.ts'
import { pick, sentence } from './texts.ts'

/** Largest ratio to the other checkout that counts as equally fast. */
const MAX = 1.05
const BODIES = 64
/** Gives V8 time to finish its optimizations. */
const WARM_UP_MS = 6000
/** With several callers the processor rarely waits, as in a busy service. */
const CALLERS = 8
/** A turn ends after this many calls of each caller or milliseconds, whichever comes first. */
const TURN_CALLS = 10
const TURN_MS = 100
/** Other load on the machine only makes calls slower, so each round uses the fastest turn of each side. */
const TURNS_PER_ROUND = 8

/** Milliseconds of a call: the median duration, and CPU time of the server. */
interface Turn {
  readonly latency: number
  readonly cpu: number
}

/**
 * Compares the calls of this checkout with those of another one: alternating, each side on its own copy of the same data. Measures latency
 * and CPU time of the service for one caller, and CPU time for several; CPU time varies less.
 * @param against folder of the other checkout
 */
export async function measureCheckouts(folder: string, against: string, rounds: number): Promise<Figure[]> {
  const postgres = await startPostgres()
  const running: Server[] = []
  try {
    const { url, token } = await deploy(postgres.url)
    // Analyzed before it is copied, because different statistics may give different plans.
    await waitUntilIndexed(url)
    const copy = await newDatabase(postgres.url, new URL(url).pathname.slice(1))
    await forgetNewerMigrations(copy, against)
    for (const [DATABASE_URL, root] of [[url, undefined] as const, [copy, against] as const])
      running.push(await startService({ DATABASE_URL, CONFIG: writeConfig(folder, root) }, root))
    const calls = await makeCalls(httpCaller(running[0]!.origin, token))
    const figures: Figure[] = []
    for (const [name, bodies] of Object.entries(calls)) {
      const one = await compareTurns(
        running.map(server => caller(server, token, bodies, 1)),
        rounds,
      )
      const several = await compareTurns(
        running.map(server => caller(server, token, bodies, CALLERS)),
        rounds,
      )
      for (const [title, results, of] of [
        ['latency', one, 'latency'],
        ['CPU', one, 'cpu'],
        [`CPU, ${CALLERS} callers`, several, 'cpu'],
      ] as const) {
        const pairs = results.map(([ours, theirs]) => [ours[of], theirs[of]] as const)
        figures.push(comparePairs(`${name}: ${title}`, 'ms', pairs, { atMost: MAX }))
      }
    }
    return figures
  } finally {
    await Promise.all(running.map(server => server.stop()))
    await postgres.stop()
  }
}

/** Deletes the migrations that the other checkout does not have from the list: an older program refuses a database that has them. */
async function forgetNewerMigrations(url: string, root: string): Promise<void> {
  const names = globSync('{core/db,plugins/*}/migrations/[0-9]*.ts', { cwd: root }).map(file => {
    const [folder, plugin] = file.split('/')
    return `${folder === 'core' ? folder : plugin}/${basename(file, '.ts')}`
  })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('delete from core.migrations where name <> all($1)', [names])
  } finally {
    await client.end()
  }
}

/** Writes the config of one side: without limits, as far as the checkout has them. */
function writeConfig(folder: string, root?: string): string {
  const file = join(folder, root === undefined ? 'ours.json' : 'theirs.json')
  const hasLimits = root === undefined || readFileSync(join(root, 'config/schema.json'), 'utf8').includes('"limits"')
  writeFileSync(file, JSON.stringify({ pool_size: 4, ...(hasLimits && { limits: unlimited.limits }) }))
  return file
}

/** Sends the calls of one turn. */
type Side = () => Promise<Turn>

/** Warms both sides up and measures them in rounds. */
async function compareTurns(sides: readonly Side[], rounds: number): Promise<readonly [Turn, Turn][]> {
  const warmUpEnd = performance.now() + WARM_UP_MS
  while (performance.now() < warmUpEnd) for (const each of sides) await each()
  const results: [Turn, Turn][] = []
  for (let n = 0; n < rounds; n++) results.push(await round(sides[0]!, sides[1]!))
  return results
}

async function round(ours: Side, theirs: Side): Promise<[Turn, Turn]> {
  const [a, b]: [Turn[], Turn[]] = [[], []]
  for (let n = 0; n < TURNS_PER_ROUND; n++) {
    // Alternates which side runs first.
    if (n % 2 === 0) a.push(await ours())
    b.push(await theirs())
    if (n % 2 === 1) a.push(await ours())
  }
  return [fastest(a), fastest(b)]
}

function fastest(turns: readonly Turn[]): Turn {
  return { latency: Math.min(...turns.map(turn => turn.latency)), cpu: Math.min(...turns.map(turn => turn.cpu)) }
}

/** Sends calls over one keep-alive connection per caller. */
function caller({ origin, pid }: Server, token: string, bodies: readonly string[], callers: number): Side {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const headers = headersOf(token)
  const send = async (body: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    request(`${origin}/mcp`, { method: 'POST', headers, agent }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => (text.includes('"isError":true') ? reject(new Error(text)) : resolve()))
    })
      .on('error', reject)
      .end(body)
    await promise
  }
  const cpu = (): number => (cpuSeconds(pid) ?? Number.NaN) * 1000
  let sent = 0
  return async () => {
    const times: number[] = []
    const [began, used] = [performance.now(), cpu()]
    const each = async (): Promise<void> => {
      for (let n = 0; n < TURN_CALLS && performance.now() < began + TURN_MS; n++) {
        const at = performance.now()
        await send(bodies[sent++ % bodies.length]!)
        times.push(performance.now() - at)
      }
    }
    await Promise.all(Array.from({ length: callers }, each))
    return { latency: median(times), cpu: (cpu() - used) / times.length }
  }
}

/** Builds the request bodies by name of the measurement; both sides get each body. */
async function makeCalls(http: HttpCaller): Promise<Record<string, string[]>> {
  const random = seededRandom(7)
  const lists = await Promise.all(KEYS.map(key => http.call('tasks_list', { project_key: key, limit: 100 })))
  const refs: string[] = lists.flatMap(({ items }) => items.map((item: { ref: string }) => item.ref))
  const flags = flagsOf((await http.rpc('tools/list')).tools as Listed[])
  const several = (tool: string, make: (project_key: string) => object): string[] =>
    Array.from({ length: BODIES }, (_, n) => call(tool, { ...make(KEYS[n % KEYS.length]!) }))
  return {
    items_get: several('items_get', () => ({ item_ref: pick(random, refs) })),
    tasks_list: several('tasks_list', project_key => ({ project_key, limit: 10 })),
    'tasks_list, all includes': several('tasks_list', project_key => ({ project_key, limit: 10, ...flags })),
    query: several('query', () => ({ q: sentence(random, 2) })),
    // Last, because these calls change the data that the others read.
    items_create: several('items_create', project_key => ({
      project_key,
      title: sentence(random, 6),
      detail: sentence(random, 20),
      due_date: '2027-03-01',
      priority: 'high',
    })),
    items_patch: several('items_patch', () => ({
      item_ref: pick(random, refs),
      due_date: `2027-0${1 + Math.floor(random() * 9)}-01`,
      priority: pick(random, ['urgent', 'high', 'normal', 'low']),
    })),
  }
}
