import { setImmediate } from 'node:timers/promises'
import { isUnavailable } from '../db/failure.ts'
import { logRepeated } from '../db/repeated-log.ts'
import type { Log } from '../plugin/context.ts'
import type { FinishedCall, ToolCallObserver } from '../plugin/host-points.ts'
import type { SystemPrincipals } from './principal.ts'
import type { Runner } from './runner.ts'
import { systemScope } from './system-scope.ts'

/** Delay before records are stored, so that several are stored together. */
const WAIT_MS = 1000
/** Limit of unsaved records; further ones are dropped. */
const MAX_RECORDS = 20_000
/** Records per transaction, so that a transaction is not longer than a slow call, and a crash loses no more. */
const BATCH_SIZE = 250

/** Records of finished calls that are waiting to be stored. */
export interface ToolCallObservation {
  /** Undefined without observers, so that finished calls are not even described. */
  readonly onFinished: ((call: FinishedCall) => void) | undefined
  /** Stores all records. */
  flush(): Promise<void>
  stop(): Promise<void>
}

interface Observed {
  readonly observer: ToolCallObserver
  readonly records: unknown[]
  dropped: number
}

/** Collects records in memory and lets each observer store its records once a second, so that no call waits for the database. */
export function observeToolCalls(
  observers: readonly ToolCallObserver[],
  { runner, principals, log }: { runner: Runner; principals: SystemPrincipals; log: Log },
): ToolCallObservation {
  const observed = observers.map((observer): Observed => ({ observer, records: [], dropped: 0 }))
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> = Promise.resolve()

  const onFinished = (call: FinishedCall): void => {
    for (const each of observed) {
      try {
        const record = each.observer.record(call)
        if (record === null) continue
        if (each.records.length < MAX_RECORDS) each.records.push(record)
        else each.dropped++
        if (each.records.length === BATCH_SIZE) void flush()
      } catch (error) {
        // The call is already answered, so a faulty observer must not affect it.
        log.error({ err: error, call: call.tool }, 'an observer could not record a call')
      }
    }
    timer ??= setTimeout(() => void flush(), WAIT_MS).unref()
  }
  const store = async (each: Observed): Promise<void> => {
    const { observer, dropped } = each
    each.dropped = 0
    if (dropped > 0) log.warn({ dropped }, 'too many calls to record all of them')
    // Records that arrive during this loop are stored the next time.
    for (let left = each.records.length; left > 0; left -= BATCH_SIZE) {
      const records = each.records.splice(0, Math.min(left, BATCH_SIZE))
      await runner
        .write(systemScope(principals, 'core.calls', log), ctx => observer.store(ctx, records))
        .catch((error: unknown) => {
          // An outage fails each second, and for all observers alike.
          const warn = isUnavailable(error) ? logRepeated.bind(null, log) : log.warn.bind(log)
          warn({ err: error, records: records.length }, 'records of calls could not be stored')
        })
      if (left > BATCH_SIZE) await setImmediate()
    }
  }
  const storeAll = async (): Promise<void> => {
    for (const each of observed) await store(each)
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    // Sequential, so that records are stored in the order of the calls.
    return (storing = storing.then(storeAll))
  }
  return { onFinished: observed.length === 0 ? undefined : onFinished, flush, stop: flush }
}
