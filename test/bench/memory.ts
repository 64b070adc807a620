import { join } from 'node:path'
import { httpCaller, type HttpCaller } from '../http-caller.ts'
import { median } from './load.ts'
import { cpuSeconds, peakMegabytes, startService, type Server } from './processes.ts'
import type { Figure } from './report.ts'
import { comparePairs } from './rounds.ts'
import { seededRandom } from '../random.ts'
import { pick, sentence } from './texts.ts'

const MAX_MEGABYTES = 480
/** Largest ratio of the CPU time of writes to that of another checkout. */
const MAX_CPU = 1.2
const ROUNDS = 3
const TOKEN = `svc_pat_${'Mem0Bench9'.repeat(4)}`

/** Number of calls of each kind; enough for V8 to finish its optimizations. */
export interface Work {
  readonly created: number
  readonly changed: number
  readonly read: number
}
const MUCH: Work = { created: 1000, changed: 200, read: 500 }

/** Figures of one deployment: peak megabytes, seconds, and milliseconds of CPU time per call. */
interface Taken {
  readonly firstPeak: number
  readonly workPeak: number
  readonly start: number
  readonly writeCpu: number
  readonly readCpu: number
}

/**
 * Measures the memory of the service with the embedded database: the peak of a first start, and the peak of a warm start under load.
 * @param against folder of another checkout, for example without a change; both are measured alternately
 */
export async function measureMemory(folder: string, against: string | undefined): Promise<Figure[]> {
  const pairs: [Taken, Taken | null][] = []
  for (let round = 0; round < (against === undefined ? 1 : ROUNDS); round++) {
    const ours = await deploy(join(folder, `memory-${round}-a`), undefined)
    pairs.push([ours, against === undefined ? null : await deploy(join(folder, `memory-${round}-b`), against)])
  }
  const value = (name: string, unit: string, of: (taken: Taken) => number, target: Figure['target']): Figure => {
    const both = pairs.flatMap(([ours, theirs]) => (theirs ? [[of(ours), of(theirs)] as const] : []))
    // A peak has an absolute target, so its ratio to another checkout is omitted.
    if (both.length > 0 && unit !== 'MB') return comparePairs(name, unit, both, target)
    return {
      name,
      unit,
      ours: median(pairs.map(([ours]) => of(ours))),
      theirs: both.length > 0 ? median(both.map(pair => pair[1])) : null,
      ratio: null,
      target,
    }
  }
  const peak = { atMost: MAX_MEGABYTES }
  return [
    value('peak memory: first start, embedded', 'MB', taken => taken.firstPeak, peak),
    value('peak memory: warm start and work, embedded', 'MB', taken => taken.workPeak, peak),
    value('seconds of the warm start', 's', taken => taken.start, null),
    value(
      'CPU of a write, embedded',
      'ms',
      taken => taken.writeCpu,
      against === undefined ? null : { atMost: MAX_CPU },
    ),
    value('CPU of a read, embedded', 'ms', taken => taken.readCpu, null),
  ]
}

/** Environment of a service on the embedded database of a folder, with the token that `callerOf` uses. */
export function memoryEnvironment(folder: string): Record<string, string> {
  return {
    DATA_DIR: join(folder, 'data'),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    LOG_LEVEL: 'warn',
    BOOTSTRAP_EMAIL: 'bench@example.com',
    BOOTSTRAP_TOKEN: TOKEN,
  }
}

export function callerOf({ origin }: Server): HttpCaller {
  return httpCaller(origin, TOKEN)
}

async function deploy(folder: string, checkout: string | undefined): Promise<Taken> {
  const env = memoryEnvironment(folder)
  const first = await startService(env, checkout)
  const firstPeak = peakMegabytes(first.pid)
  await first.stop()
  const began = performance.now()
  const server = await startService(env, checkout)
  const start = (performance.now() - began) / 1000
  try {
    const caller = callerOf(server)
    const [writeCpu, refs] = await cpuOf(server, MUCH.created + MUCH.changed, () => write(caller, MUCH))
    const [readCpu] = await cpuOf(server, MUCH.read, () => read(caller, MUCH, refs))
    return { firstPeak, workPeak: peakMegabytes(server.pid), start, writeCpu, readCpu }
  } finally {
    await server.stop()
  }
}

/** Measures the CPU time of the server per call. @returns milliseconds; NaN if the system does not report them */
async function cpuOf<T>(server: Server, calls: number, work: () => Promise<T>): Promise<[number, T]> {
  const before = cpuSeconds(server.pid) ?? Number.NaN
  const result = await work()
  return [(((cpuSeconds(server.pid) ?? Number.NaN) - before) * 1000) / calls, result]
}

/** Creates items, comments on them and changes their labels. @returns the references of the items */
export async function write(caller: HttpCaller, { created, changed }: Omit<Work, 'read'>): Promise<string[]> {
  const random = seededRandom(11)
  const refs: string[] = []
  for (let n = 0; n < created; n++) {
    const texts = { title: sentence(random, 6), detail: sentence(random, 40) }
    const { item } = await mustCall(caller, 'items_create', { project_key: 'INBOX', ...texts })
    refs.push(item.ref)
  }
  for (let n = 0; n < changed; n++) {
    const item_ref = pick(random, refs)
    if (n % 2 === 0) await mustCall(caller, 'discussions_create', { item_ref, body: sentence(random, 20) })
    else await mustCall(caller, 'items_patch', { item_ref, labels: [`label ${n % 9}`] })
  }
  return refs
}

export async function read(caller: HttpCaller, { read: calls }: Work, refs: readonly string[]): Promise<void> {
  const random = seededRandom(13)
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => mustCall(caller, 'tasks_list', { project_key: 'INBOX', limit: 30 }),
    () => mustCall(caller, 'query', { q: sentence(random, 2) }),
    () => mustCall(caller, 'items_get', { item_ref: pick(random, refs) }),
  ]
  for (let n = 0; n < calls; n++) await kinds[n % kinds.length]!()
}

// oxlint-disable-next-line typescript/no-explicit-any -- the result of any tool
async function mustCall(caller: HttpCaller, tool: string, args: object): Promise<any> {
  const { isError, content, structuredContent } = await caller.rpc('tools/call', { name: tool, arguments: args })
  if (isError) throw new Error(`${tool}: ${content[0].text}`)
  return structuredContent
}
