import autocannon from 'autocannon'
import { cpuSeconds, type Server } from './processes.ts'

export interface Target {
  readonly server: Server
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent in turn. */
  readonly bodies: readonly string[]
}

export interface Load {
  /** Median of the time from request to response, in milliseconds. */
  readonly latency: number
  readonly perSecond: number
  /** CPU time of the server per request, in milliseconds; null where the system does not tell. */
  readonly cpu: number | null
}

/** Sends requests for some seconds over kept connections. @throws when one of them is not answered by 200. */
export async function load(
  { server, path, headers, bodies }: Target,
  connections: number,
  seconds: number,
): Promise<Load> {
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
