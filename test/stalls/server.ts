/**
 * The service in a separate process that measures how long calls block its event loop. It creates one record of every kind, and then sends
 * the parent each tool with valid arguments; `stalls.test.ts` is the parent.
 */
import { once } from 'node:events'
import { startHost, type Engine } from 'tasuki/testing'
import { eachCall } from '../bench/statements.ts'
import { pagePaths } from '../plugins/portal/crawl.ts'
import type { FromServer, ToServer } from './messages.ts'

/** Returns milliseconds of CPU time of this thread, which excludes the thread of the database and other processes. */
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds between two looks of a rough watch. */
const ROUGHLY_MS = 2

let watching: NodeJS.Timeout | 'exactly' | null = null
let longest = 0
let last = 0
/** Runs once in each turn of the event loop that takes long; in every turn if watching exactly. */
function turn(): void {
  const now = cpu()
  longest = Math.max(longest, now - last)
  last = now
  if (watching === 'exactly') setImmediate(turn)
}

const send = (message: FromServer): void => void process.send!(message)
const { host, url, close } = await startHost({
  engine: process.argv[2] as Engine,
  config: {
    confirm: 'off',
    // The database runs in another thread; other tests measure the duration of its statements.
    query_timeout_ms: 120_000,
    limits: { requests_per_minute: 0, writes_per_minute: 0 },
    plugins: { project_admin: {} },
  },
})
process.on('message', (message: ToServer) => {
  if (message === 'watch' || message === 'watch exactly') {
    longest = 0
    last = cpu()
    // An immediate in every turn keeps the processor busy while the service waits. Turns shorter than a timer count together with the next.
    watching = message === 'watch' ? setInterval(turn, ROUGHLY_MS) : 'exactly'
    if (watching === 'exactly') setImmediate(turn)
    send({ kind: 'watching' })
  } else if (message === 'stop') void stop()
  else if (message === 'close') void close().then(() => process.exit())
})

/** Deferred writes belong to the call. */
async function stop(): Promise<void> {
  await host.calls.flush()
  if (watching !== 'exactly') clearInterval(watching ?? undefined)
  watching = null
  turn()
  send({ kind: 'longest', milliseconds: longest })
}

async function signIn(): Promise<string> {
  const browser = await host.browser()
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

await eachCall(
  host,
  12,
  async (tool, _kind, args) => {
    send({ kind: 'tool', tool, args, input: host.registry.tools.get(tool)!.input })
    while ((await once(process, 'message'))[0] !== 'next');
    // Later tools depend on the effects of this one, such as a closed sprint.
    await host.call(tool, args).catch(() => undefined)
  },
  async () => {
    send({ kind: 'ready', url, token: host.token, cookie: await signIn(), pages: pagePaths(host) })
    while ((await once(process, 'message'))[0] !== 'next');
  },
)
send({ kind: 'done' })
