import type { Resource } from '../plugin/resource.ts'
import { callDigest } from './digest.ts'
import { callScope, type Exchange, type Result, type Service } from './exchange.ts'
import { HostLine } from './line.ts'
import { clip } from '../plugin/clip.ts'
import { INVALID_PARAMS, LEGACY_RESOURCE_NOT_FOUND, membersOf, RpcError } from './message.ts'

/** Members of the results of both lists, ready to send. */
export function listedResources(resources: readonly Resource[]): {
  readonly fixed: string
  readonly templates: string
} {
  const listed = resources.map(({ name, title, description, mimeType, uri, uriTemplate }) => ({
    name,
    title,
    description,
    mimeType,
    uri,
    uriTemplate,
  }))
  return {
    fixed: membersOf({ resources: listed.filter(({ uri }) => uri !== undefined) }),
    templates: membersOf({ resourceTemplates: listed.filter(({ uriTemplate }) => uriTemplate !== undefined) }),
  }
}

type Match = (uri: string) => { readonly resource: Resource; readonly params: Readonly<Record<string, string>> } | null

/** Finds what answers for an address: exact addresses first, then templates in the order of their plugins. */
export function resourceMatcher(resources: readonly Resource[]): Match {
  const exact = new Map(
    resources.flatMap(resource => (resource.uri === undefined ? [] : [[resource.uri, resource] as const])),
  )
  const templates = resources.flatMap(resource =>
    resource.uriTemplate === undefined ? [] : [{ resource, pattern: templatePattern(resource.uriTemplate) }],
  )
  return uri => {
    const resource = exact.get(uri)
    if (resource) return { resource, params: {} }
    for (const template of templates) {
      const groups = template.pattern.exec(uri)?.groups
      if (groups) return { resource: template.resource, params: decoded(groups) }
    }
    return null
  }
}

/** `{name}` stands for one path segment. */
function templatePattern(template: string): RegExp {
  const source = template
    .split(/(\{\w+\})/)
    .map(part =>
      /^\{\w+\}$/.test(part) ? `(?<${part.slice(1, -1)}>[^/?#]+)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
  return new RegExp(`^${source.join('')}$`)
}

function decoded(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: uri is not well encoded')
  }
}

export async function readResource(service: Service, exchange: Exchange, match: Match): Promise<Result> {
  const { uri } = exchange.request.params
  if (typeof uri !== 'string' || uri.includes('\0') || !uri.isWellFormed()) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: uri must be a string')
  }
  const found = match(uri)
  const line = new HostLine(service, exchange, () => callDigest(uri, {}))
  const contents =
    found &&
    (await service.options.runner.read(callScope(exchange, found.resource.name, line), ctx =>
      found.resource.read(ctx, uri, found.params),
    ))
  if (contents && contents.length > 0) return { members: membersOf({ contents }), ttlMs: 0 }
  const code = exchange.revision.era === 'modern' ? INVALID_PARAMS : LEGACY_RESOURCE_NOT_FOUND
  throw new RpcError(code, `Resource not found: ${clip(uri, 200)}`, { data: { uri: clip(uri, 200) } })
}
