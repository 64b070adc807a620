import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../host/config/environment.ts'
import { firstStart } from '../host/first-start.ts'
import type { Host } from '../host/host.ts'
import { hostFrom, originOf } from '../host/start.ts'
import { askOwner, isInteractive, type Terminal } from './ask-owner.ts'
import { serveControl } from './control.ts'
import { addressesOf, listen, tryToListen } from './listen.ts'
import { formatWelcome } from './welcome.ts'

/** Serves until the process receives a stop signal, then finishes pending requests. @returns the exit code */
export async function serve(env: Environment): Promise<number> {
  const startedAt = performance.now()
  const stopped = stopSignal()
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  const shown: Environment & { port: number } = { ...env }
  const [address, metricsAddress] = addressesOf(env)
  const starting = hostFrom(shown, async () => {
    for (const each of addressesOf(env)) await tryToListen(each)
  })
  // Migrations may take long or wait for those of another instance. Each is all or nothing, and the next start goes on.
  const host = await Promise.race([starting, stopped])
  if (!host) {
    process.stderr.write('tasuki: stopped before the start was complete\n')
    process.exit(0)
  }
  // A forgotten `await` in one plugin must not end the service for everyone.
  process.on('unhandledRejection', err => host.app.log.error({ err }, 'a promise that nobody awaits was rejected'))
  let control: Server | null
  try {
    const terminal: Terminal = { input: process.stdin, output: process.stdout }
    const first = await firstStart(host, env, async () => {
      const email = isInteractive(terminal, process.env) ? await askOwner(terminal, stopping.signal) : null
      // Whoever stops the start at the question wants no account yet.
      stopping.signal.throwIfAborted()
      return email
    })
    if (host.metricsApp) await listen(host.metricsApp, metricsAddress!)
    await listen(host.app, address)
    shown.port = (host.app.server.address() as AddressInfo).port
    control = env.databaseUrl === null ? await serveControl(host, env.dataDir) : null
    if (first) process.stdout.write(formatWelcome(host.registry.tools.size, originOf(shown), first))
    host.app.log.info(
      { ms: Math.round(performance.now() - startedAt), tools: host.registry.tools.size, migrated: host.migrated },
      'ready',
    )
  } catch (error) {
    await host.app.close()
    if (stopping.signal.aborted && error === stopping.signal.reason) return 0
    throw error
  }
  void host.queue.start(host.runner).catch((err: unknown) => host.app.log.error({ err }, 'the job queue did not start'))
  await stopped
  return stop(host, control)
}

/** Grace period for pending requests after a stop signal; then their connections are closed. */
const GRACE_MS = 10_000
/** Time after it for those that came meanwhile. */
const LAST_MS = 3000

/**
 * Stops the host. While requests from before the signal are pending the process stays reachable, so that /readyz informs load balancers of the
 * shutdown. Later ones could go on without end: they are answered or refused while the server closes.
 */
async function stop(host: Host, control: Server | null): Promise<number> {
  host.drain()
  host.app.log.info('stopping')
  // Supervisors wait longer; see config/deploy and compose.yaml.
  setTimeout(() => {
    host.app.log.error('the service did not stop in time')
    process.exit(1)
  }, GRACE_MS + 8000).unref()
  const began = performance.now()
  while (host.busy(began) && performance.now() < began + GRACE_MS) await sleep(20)
  if (host.busy(began)) host.app.log.warn('requests were still under way when their time to end ran out')
  // Closing ends streams and lets answers pass; after a while, clients that send or read slowly keep the database from being closed.
  const cut = setInterval(() => {
    if (performance.now() > began + GRACE_MS + LAST_MS) host.app.server.closeAllConnections()
  }, 50)
  if (control) await new Promise(done => control.close(done))
  await host.app.close()
  clearInterval(cut)
  return 0
}

function stopSignal(): Promise<void> {
  return new Promise(done => {
    process.once('SIGINT', () => done())
    // A second one changes nothing: systemd signals the whole group, and tasuki.js hands its signal on.
    process.on('SIGTERM', () => done())
  })
}
