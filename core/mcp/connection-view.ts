import type { FastifyRequest } from 'fastify'
import { nearest } from '../plugin/nearest.ts'
import type { Registry, View } from '../runtime/registry/types.ts'
import { insufficientScope } from '../http/bearer.ts'
import { clip } from '../plugin/clip.ts'
import { INVALID_PARAMS, RpcError } from './message.ts'
import type { McpOptions } from './options.ts'

type Query = Readonly<Record<string, string | string[] | undefined>>

/** Limits the search for similar names, because the client controls the number of names. */
const MAX_NAMES_SHOWN = 5

/**
 * Selects the tools that the query asks for: `?profile=`, `?tools=a,b`, `?exclude=a,b`.
 * @throws RpcError 400 if a name is unknown or no tool is left; 403 if only tools that need scope `write` are left
 */
export function selectView(options: McpOptions, http: FastifyRequest, scope: View['scope']): View {
  const { registry } = options
  const { profile, tools, exclude } = http.query as Query
  const only = namesIn(tools)
  const without = namesIn(exclude)
  if (only) checkNames(registry, 'tools', only)
  if (without) checkNames(registry, 'exclude', without)
  const view = registry.view({
    // A repeated parameter becomes a name that no profile has.
    profile: profile === undefined || profile === '' ? undefined : String(profile),
    scope,
    only,
    exclude: without,
  })
  if (!view) {
    const known = registry.profiles
    throw badRequest('profile', `Unknown profile: ${clip(String(profile))}; known are ${known.join(', ')}`, known)
  }
  if (!(only ?? without) || view.tools.size > 0) return view
  if (view.needWrite.size > 0)
    throw scopeError(options, http, 'All tools that this address leaves write, and the credential may only read')
  if (only?.length === 0) throw badRequest('tools', '?tools= names no tool; name some, or leave it out to have all')
  throw badRequest(
    only ? 'tools' : 'exclude',
    `This address leaves no tool: none of profile ${view.profile} is in ?tools= and not in ?exclude=`,
  )
}

/** Creates the error for a credential that lacks scope `write`, with a challenge that names it. */
export function scopeError({ metadataUrl }: McpOptions, http: FastifyRequest, message: string): RpcError {
  const data = { code: 'insufficient_scope', scope: 'write' }
  return new RpcError(403, message, { status: 403, headers: insufficientScope(metadataUrl(http)), data })
}

function namesIn(value: string | string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined
  return String(value)
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}

/** @throws RpcError that lists unknown tools and suggests similar ones */
function checkNames({ tools }: Registry, field: string, names: readonly string[]): void {
  const unknown = [...new Set(names.filter(name => !tools.has(name)))]
  if (unknown.length === 0) return
  const known = [...tools.keys()]
  const found = unknown.slice(0, MAX_NAMES_SHOWN).map(name => ({ name, meant: nearest(name, known) }))
  const shown = found.map(({ name, meant }) => (meant === null ? clip(name) : `${clip(name)} (did you mean ${meant}?)`))
  const more = unknown.length - shown.length
  throw badRequest(
    field,
    `Unknown in ?${field}=: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}; use names of tools/list`,
    found.flatMap(({ meant }) => meant ?? []),
  )
}

function badRequest(field: string, message: string, allowed: readonly string[] = []): RpcError {
  const data = { code: 'invalid_argument', field, ...(allowed.length > 0 && { allowed }) }
  return new RpcError(INVALID_PARAMS, message, { status: 400, data })
}
