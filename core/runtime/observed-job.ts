import { channel, tracingChannel } from 'node:diagnostics_channel'
import { statementCounter } from '../db/statements.ts'

/** A job run for operators. */
export interface ObservedJob {
  readonly job: string
  /** Trace context of the caller that enqueued the job; null without tracing. */
  readonly trace: string | null
  outcome: 'ok' | 'failed'
  statements: number
  /** Milliseconds; set at the end. */
  ms: number
}

/** Diagnostics channel `tasuki.enqueue`: a subscriber adds the trace context to the data of a job; see `TRACE`. */
const queued = channel('tasuki.enqueue')
/** Tracing channel `tasuki.job`: start and end of each run, for spans. */
const runs = tracingChannel<unknown, ObservedJob>('tasuki.job')

/** Member of a job's data that contains the trace context. */
export const TRACE = '_trace'

/** Returns the data to enqueue for a payload. */
export function jobData(payload: object): object {
  if (!queued.hasSubscribers) return payload
  const data = { ...payload }
  queued.publish(data)
  return data
}

/** Runs a job with its data and reports the outcome to `onEnded`. */
export async function observeJob(
  job: string,
  { [TRACE]: trace, ...payload }: Readonly<Record<string, unknown>>,
  run: (payload: object) => Promise<void>,
  onEnded: ((job: ObservedJob) => void) | undefined,
): Promise<void> {
  const startedAt = performance.now()
  const observed: ObservedJob = {
    job,
    trace: typeof trace === 'string' ? trace : null,
    outcome: 'failed',
    statements: 0,
    ms: 0,
  }
  try {
    await statementCounter.run(observed, () =>
      runs.hasSubscribers ? runs.tracePromise(() => run(payload), observed) : run(payload),
    )
    observed.outcome = 'ok'
  } finally {
    observed.ms = performance.now() - startedAt
    onEnded?.(observed)
  }
}
