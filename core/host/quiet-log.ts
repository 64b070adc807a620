import type { Log } from '../plugin/context.ts'

/** Log for commands, which print their own messages. */
export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
