import Fastify, { type FastifyInstance } from 'fastify'
import { createWriteStream } from 'node:fs'
import { RequestLog, requestIds } from '../../../core/host/request-log.ts'
import type { Figure } from '../report.ts'
import { compareCpu, type Work } from './in-turn.ts'

const TIMES = 3000

/** Compares the cost of logging a request, with our one line and with Fastify's own two lines, both written to /dev/null. */
export async function measureRequestLog(): Promise<Figure[]> {
  const logger = { level: 'info', stream: createWriteStream('/dev/null') }
  const ours = Fastify({
    logger,
    logController: new RequestLog(),
    genReqId: requestIds(),
  })
  const theirs = Fastify({ logger })
  const apps = [ours, theirs]
  for (const app of apps) {
    app.get('/thing/:id', async () => ({ ok: true }))
    await app.ready()
  }
  try {
    return [
      await compareCpu({
        name: 'CPU of a request that does nothing, against Fastify’s log',
        ours: requests(ours),
        theirs: requests(theirs),
        times: TIMES,
      }),
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
