import type { Log } from '../plugin/context.ts'

/** For commands, which say what matters themselves. */
export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
