import type { Log } from '../plugin/context.ts'

const ignore = (): void => undefined
/** Log for commands, which print their own messages. */
export const quietLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
