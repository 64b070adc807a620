import type { Log } from '../plugin/context.ts'

const WINDOW_MS = 10_000

const repeats = new Map<string, number>()

/**
 * Logs a warning that may repeat with every request of an outage. Logs the first one at once, and the repeats within ten seconds as one
 * line with their number.
 */
export function logRepeated(log: Log, data: object, message: string): void {
  const repeated = repeats.get(message)
  if (repeated !== undefined) return void repeats.set(message, repeated + 1)
  repeats.set(message, 0)
  log.warn(data, message)
  setTimeout(() => {
    const more = repeats.get(message) ?? 0
    repeats.delete(message)
    if (more > 0) log.warn({ times: more, seconds: WINDOW_MS / 1000 }, `${message} (repeated)`)
  }, WINDOW_MS).unref()
}
