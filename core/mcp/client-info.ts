import type { LogLevel } from '../plugin/context.ts'
import { clip, INVALID_PARAMS, isObject, RpcError } from './message.ts'

/** From least to most severe. */
export const LOG_LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** The name in a `clientInfo` object. */
export function clientName(info: unknown): string | null {
  const name = isObject(info) ? info['name'] : undefined
  return typeof name === 'string' && name !== '' && !name.includes('\0') && name.isWellFormed() ? clip(name, 100) : null
}

export function readLogLevel(level: unknown): LogLevel {
  if (LOG_LEVELS.includes(level as LogLevel)) return level as LogLevel
  throw new RpcError(INVALID_PARAMS, `Invalid params: level must be one of ${LOG_LEVELS.join(', ')}`)
}
