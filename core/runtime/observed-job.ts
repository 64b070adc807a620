import { channel, tracingChannel } from 'node:diagnostics_channel'
import { counted } from '../db/statements.ts'

/** One run of a job as operators see it. */
export interface ObservedJob {
  readonly job: string
  /** What the caller that queued it traced it by; null where nobody did. */
  readonly trace: string | null
  outcome: 'ok' | 'failed'
  statements: number
  /** Milliseconds; set at the end. */
  ms: number
}

/** Diagnostics channel `tasuki.enqueue`: who traces adds to the data of a job what its run continues; see `TRACE`. */
const queued = channel('tasuki.enqueue')
/** Tracing channel `tasuki.job`: begin and end of each run, for spans. */
const runs = tracingChannel<unknown, ObservedJob>('tasuki.job')

/** Member of a job's data beside its payload. */
export const TRACE = '_trace'

/** The data that is queued for a payload. */
export function jobData(payload: object): object {
  if (!queued.hasSubscribers) return payload
  const data = { ...payload }
  queued.publish(data)
  return data
}

/** Runs a job by its data and tells `onEnded` how it went. */
export async function observeJob(
  job: string,
  { [TRACE]: trace, ...payload }: Readonly<Record<string, unknown>>,
  run: (payload: object) => Promise<void>,
  onEnded: ((job: ObservedJob) => void) | undefined,
): Promise<void> {
  const began = performance.now()
  const seen: ObservedJob = {
    job,
    trace: typeof trace === 'string' ? trace : null,
    outcome: 'failed',
    statements: 0,
    ms: 0,
  }
  try {
    await counted.run(seen, () => (runs.hasSubscribers ? runs.tracePromise(() => run(payload), seen) : run(payload)))
    seen.outcome = 'ok'
  } finally {
    seen.ms = performance.now() - began
    onEnded?.(seen)
  }
}
