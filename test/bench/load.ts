import autocannon from 'autocannon'
import { cpuSeconds, type Server } from './processes.ts'

export interface Target {
  readonly server: Server
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Bodies that are sent in rotation. */
  readonly bodies: readonly string[]
}

export interface Load {
  /** Median of the time from request to response, in milliseconds. */
  readonly latency: number
  readonly perSecond: number
  /** CPU time of the server per request, in milliseconds; null if the system does not report it. */
  readonly cpu: number | null
}

/**
 * Sends requests for some seconds over keep-alive connections. Retries if the machine stalled so long that no request was answered.
 * @throws if an answer is not 200, or if no request is answered
 */
export async function load(target: Target, connections: number, seconds: number, tries = 3): Promise<Load> {
  const { server, path, headers, bodies } = target
  const times: number[] = []
  const before = cpuSeconds(server.pid)
  const began = performance.now()
  let ended = began
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
  const run = autocannon(
    {
      url: `${server.origin}${path}`,
      method: 'POST',
      headers,
      connections,
      duration: seconds,
      sampleInt: 20,
      requests: bodies.map(body => ({ body })),
    },
    (error: Error | null, result) => (error ? reject(error) : resolve(result)),
  )
  run.on('response', (_client, _status, _bytes, time) => {
    times.push(time)
    ended = performance.now()
  })
  const { non2xx, errors } = await promise
  const after = cpuSeconds(server.pid)
  if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx} answers were not 2xx, ${errors} requests failed`)
  if (times.length === 0) {
    if (tries === 1) throw new Error(`${path}: no answer within ${seconds} s, several times`)
    return load(target, connections, seconds, tries - 1)
  }
  return {
    latency: median(times),
    perSecond: (times.length * 1000) / (ended - began),
    cpu: before === null || after === null ? null : ((after - before) * 1000) / times.length,
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
