import Fastify, { type FastifyInstance } from 'fastify'
import fastifyMetrics from 'fastify-metrics'
import { execFileSync } from 'node:child_process'
import { metrics } from '../../../core/host/metrics.ts'
import { median } from '../load.ts'
import type { Figure } from '../report.ts'
import { compareCpu, figureWithoutTarget, type Work } from './in-turn.ts'

const TIMES = 3000
const IMPORTS = 7

/** Compares the cost of timing a request, in our code and in fastify-metrics with the same histogram, and the import time of both. */
export async function measureMetrics(): Promise<Figure[]> {
  const ours = Fastify()
  metrics(ours, { database: { engine: 'postgres' }, token: null })
  const theirs = Fastify()
  await theirs.register(fastifyMetrics.default, {
    defaultMetrics: { enabled: true, prefix: 'tasuki_' },
    routeMetrics: {
      enabled: { histogram: true, summary: false },
      overrides: { histogram: { name: 'tasuki_http_request_seconds' }, labels: { status: 'status' } },
    },
  })
  const bare = Fastify()
  const apps = [ours, theirs, bare]
  for (const app of apps) {
    app.get('/thing/:id', async () => ({ ok: true }))
    await app.ready()
  }
  try {
    // The first scrape loads the metrics client of both apps.
    for (const app of [ours, theirs]) await app.inject('/metrics')
    return [
      await compareCpu({
        name: 'CPU of a request that does nothing, against fastify-metrics',
        ours: requests(ours),
        theirs: requests(theirs),
        times: TIMES,
      }),
      await compareCpu({
        name: 'the same, against no metrics',
        ours: requests(ours),
        theirs: requests(bare),
        times: TIMES,
      }),
      figureWithoutTarget('import at the start (ours later, prom-client)', 'ms', 0, importTime('fastify-metrics')),
    ]
  } finally {
    for (const app of apps) await app.close()
  }
}

function requests(app: FastifyInstance): Work {
  return async times => {
    for (let n = 0; n < times; n++) await app.inject(`/thing/${n}`)
  }
}

/** Measures the import time in fresh processes. @returns the median in milliseconds */
function importTime(name: string): number {
  const script = `const t = performance.now(); await import('${name}'); console.log(performance.now() - t)`
  return median(
    Array.from({ length: IMPORTS }, () =>
      Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname })),
    ),
  )
}
