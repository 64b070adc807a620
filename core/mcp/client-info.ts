import type { LogLevel } from '../plugin/context.ts'
import { clip, isStorable } from '../plugin/clip.ts'
import { INVALID_PARAMS, isObject, RpcError } from './message.ts'
import type { Revision } from './revisions.ts'

/** Log levels, from least to most severe. */
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

/** Reads name and version from a `clientInfo` object, each cut to 100 characters. */
export function readClientInfo(info: unknown): { clientName: string | null; clientVersion: string | null } {
  return { clientName: textOf(info, 'name'), clientVersion: textOf(info, 'version') }
}

function textOf(info: unknown, member: string): string | null {
  const name = isObject(info) ? info[member] : undefined
  if (typeof name !== 'string' || name === '' || !isStorable(name)) return null
  // Copied, because a substring keeps the whole string in memory. The copy also replaces a surrogate that the cut left alone by U+FFFD.
  return Buffer.from(clip(name, 100)).toString()
}

/** Client capabilities, named as in the protocol; an absent member was not declared. */
export type ClientCapabilities = {
  readonly elicitation?: { readonly form?: object; readonly url?: object }
  readonly sampling?: { readonly tools?: object; readonly context?: object }
  readonly roots?: { readonly listChanged?: true }
}

/**
 * Reads the client capabilities that are known in a revision. Everything else is dropped, so that a client cannot make its session
 * arbitrarily large.
 */
export function readCapabilities(declared: unknown, revision: Pick<Revision, 'elicitation'>): ClientCapabilities {
  if (!isObject(declared)) return {}
  const { elicitation, sampling, roots } = declared
  return {
    ...(revision.elicitation &&
      isObject(elicitation) && { elicitation: { ...member(elicitation, 'form'), ...member(elicitation, 'url') } }),
    ...(isObject(sampling) && { sampling: { ...member(sampling, 'tools'), ...member(sampling, 'context') } }),
    ...(isObject(roots) && { roots: roots['listChanged'] === true ? { listChanged: true } : {} }),
  }
}

function member<const K extends string>(of: Readonly<Record<string, unknown>>, name: K): { [key in K]?: object } {
  return isObject(of[name]) ? ({ [name]: {} } as { [key in K]?: object }) : {}
}

export function readLogLevel(level: unknown): LogLevel {
  if (LOG_LEVELS.includes(level as LogLevel)) return level as LogLevel
  throw new RpcError(INVALID_PARAMS, `Invalid params: level must be one of ${LOG_LEVELS.join(', ')}`)
}
