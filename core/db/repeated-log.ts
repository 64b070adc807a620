import type { Log } from '../plugin/context.ts'

const WINDOW_MS = 10_000

const open = new Map<string, number>()

/**
 * Logs a warning that may repeat with every request of an outage. Logs the first one at once, and the repeats within ten seconds as one
 * line with their number.
 */
export function logRepeated(log: Log, data: object, message: string): void {
  const repeated = open.get(message)
  if (repeated !== undefined) return void open.set(message, repeated + 1)
  open.set(message, 0)
  log.warn(data, message)
  const end = (): void => {
    const more = open.get(message) ?? 0
    open.delete(message)
    if (more > 0) log.warn({ times: more, seconds: WINDOW_MS / 1000 }, `${message} (repeated)`)
  }
  setTimeout(end, WINDOW_MS).unref()
}
