import { setImmediate } from 'node:timers/promises'
import type { Runner } from './runner.ts'
import { systemScope } from './system-scope.ts'
import type { SystemPrincipals } from './principal.ts'
import type { Log } from '../plugin/context.ts'
import type { CallWatcher, FinishedCall } from '../plugin/host-points.ts'

/** How long notes wait for company. */
const WAIT_MS = 1000
/** Notes that may wait; more than these are lost, since the calls matter more. */
const MOST_NOTES = 20_000
/** Notes that are kept at a time: so many hold the others up no longer than a dear call does, and a crash loses no more. */
const AT_ONCE = 250

/** What watchers noted of calls, until it is kept. */
export interface WatchedCalls {
  /** Undefined where nobody watches, so that calls are not even told. */
  readonly told: ((call: FinishedCall) => void) | undefined
  /** Has everything kept that was noted so far. */
  flush(): Promise<void>
  stop(): Promise<void>
}

interface Watched {
  readonly watcher: CallWatcher
  readonly notes: unknown[]
  lost: number
}

/** Collects notes in memory and has each watcher keep its own once a second, so that no call waits for the database. */
export function watchCalls(
  watchers: readonly CallWatcher[],
  { runner, principals, log }: { runner: Runner; principals: SystemPrincipals; log: Log },
): WatchedCalls {
  const watched = watchers.map((watcher): Watched => ({ watcher, notes: [], lost: 0 }))
  let timer: NodeJS.Timeout | undefined
  let keeping: Promise<void> = Promise.resolve()

  const told = (call: FinishedCall): void => {
    for (const each of watched) {
      try {
        const note = each.watcher.note(call)
        if (note === null) continue
        if (each.notes.length < MOST_NOTES) each.notes.push(note)
        else each.lost++
        if (each.notes.length === AT_ONCE) void flush()
      } catch (error) {
        // The call has its answer: nothing may take it away now.
        log.error({ err: error, call: call.tool }, 'a watcher could not note a call')
      }
    }
    timer ??= setTimeout(() => void flush(), WAIT_MS).unref()
  }
  const keep = async (each: Watched): Promise<void> => {
    const { watcher, lost } = each
    each.lost = 0
    if (lost > 0) log.warn({ lost }, 'too many calls to keep notes of all')
    // Those that come meanwhile are for the next time.
    for (let left = each.notes.length; left > 0; left -= AT_ONCE) {
      const notes = each.notes.splice(0, Math.min(left, AT_ONCE))
      await runner
        .write(systemScope(principals, 'core.calls', log), ctx => watcher.keep(ctx, notes))
        .catch((error: unknown) => log.warn({ err: error, notes: notes.length }, 'notes of calls could not be kept'))
      if (left > AT_ONCE) await setImmediate()
    }
  }
  const keepAll = async (): Promise<void> => {
    for (const each of watched) await keep(each)
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    // One after the other, so that notes are kept in the order of the calls.
    keeping = keeping.then(keepAll)
    return keeping
  }
  return {
    told: watched.length === 0 ? undefined : told,
    flush,
    stop: flush,
  }
}
