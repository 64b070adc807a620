/**
 * The service in a separate process that measures how long calls block its event loop. It creates one record of every kind, and then sends
 * the parent each tool with valid arguments; `stalls.test.ts` is the parent.
 */
import { once } from 'node:events'
import { startHost, type Engine } from 'tasuki/testing'
import { eachCall } from '../bench/statements.ts'
import { watchTurns } from '../longest-turn.ts'
import { pagePaths } from '../plugins/portal/crawl.ts'
import type { FromServer, ToServer } from './messages.ts'

/** Milliseconds between two looks of a rough watch. */
const ROUGHLY_MS = 2

let watch: ReturnType<typeof watchTurns> | undefined

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
    watch = watchTurns(message === 'watch' ? ROUGHLY_MS : 0)
    send({ kind: 'watching' })
  } else if (message === 'stop') void stop()
  else if (message === 'close') void close().then(() => process.exit())
})

/** Deferred writes belong to the call. */
async function stop(): Promise<void> {
  await host.calls.flush()
  send({ kind: 'longest', milliseconds: await watch!.stop() })
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
