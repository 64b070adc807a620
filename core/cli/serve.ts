import type { AddressInfo } from 'node:net'
import type { Environment } from '../config/environment.ts'
import { firstStart } from '../first-start.ts'
import type { Host } from '../host.ts'
import { hostFrom } from '../start.ts'
import { serveControl } from './control.ts'
import { welcome } from './welcome.ts'

/** Serves until the process is told to stop, then finishes what is under way. @returns the exit code. */
export async function serve(env: Environment): Promise<number> {
  const began = performance.now()
  let listening: Environment = env
  const host = await hostFrom({
    ...env,
    get port() {
      return listening.port
    },
  })
  const first = await firstStart(host, env)
  await host.app.listen({ host: env.host, port: env.port })
  listening = { ...env, port: (host.app.server.address() as AddressInfo).port }
  const control = await serveControl(host, env.dataDir)
  void host.queue
    .start(host.runner)
    .catch((error: unknown) => host.app.log.error({ err: error }, 'the job queue did not start'))
  host.app.log.info(
    { ms: Math.round(performance.now() - began), tools: host.registry.tools.size, migrated: host.migrated },
    'ready',
  )
  if (first)
    process.stdout.write(welcome(host.registry.tools.size, env.baseUrl ?? `http://localhost:${listening.port}`, first))
  await stopSignal()
  control.close()
  return stop(host)
}

/** How long requests that are under way may take after the process was told to stop. */
const GRACE_MS = 10_000

async function stop(host: Host): Promise<number> {
  host.drain()
  host.app.log.info('stopping')
  const late = setTimeout(() => {
    host.app.log.error('requests were still under way when the time to stop ran out')
    process.exit(1)
  }, GRACE_MS)
  late.unref()
  await host.app.close()
  return 0
}

function stopSignal(): Promise<void> {
  return new Promise(done => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done())
  })
}
