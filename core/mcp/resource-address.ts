import type { AddressParams, Resource } from '../plugin/resource.ts'
import { INVALID_PARAMS, RpcError } from './message.ts'

/** The resource for a URI, with the values of its template variables. */
export interface Addressed {
  readonly resource: Resource
  readonly params: AddressParams
}

/** Finds the resource for a URI: exact URIs first, then templates in plugin order. */
export function findResource(resources: readonly Resource[], uri: string): Addressed | null {
  const exact = resources.find(resource => resource.uri === uri)
  if (exact) return { resource: exact, params: {} }
  for (const resource of resources) {
    if (resource.uriTemplate === undefined) continue
    const groups = templatePattern(resource.uriTemplate).exec(uri)?.groups
    if (groups) return { resource, params: decodeParams(groups) }
  }
  return null
}

const patterns = new Map<string, RegExp>()

/** Compiles a template; `{name}` matches one path segment. */
function templatePattern(template: string): RegExp {
  let pattern = patterns.get(template)
  if (!pattern) {
    const source = template
      .split(/(\{\w+\})/)
      .map(part =>
        /^\{\w+\}$/.test(part) ? `(?<${part.slice(1, -1)}>[^/?#]+)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
    patterns.set(template, (pattern = new RegExp(`^${source.join('')}$`)))
  }
  return pattern
}

/** Returns the names of the variables of a template. */
export function templateParts(template: string): readonly string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

function decodeParams(groups: Readonly<Record<string, string>>): AddressParams {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: uri is not well encoded')
  }
}
