import type { ReadContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import type { AddressParams, Resource, ResourceContents } from '../plugin/resource.ts'
import { checkStorable } from './arguments.ts'
import { callDigest } from './digest.ts'
import { callScope, type Exchange, type Result, type Service } from './exchange.ts'
import { shownError } from './hidden-tools.ts'
import { HostClientChannel } from './client-channel.ts'
import { clip } from '../plugin/clip.ts'
import { INVALID_PARAMS, LEGACY_RESOURCE_NOT_FOUND, membersOf, RpcError } from './message.ts'

/** Entries of one template that a list shows. */
const MOST_LISTED = 50
/** What a caller's list of resources may be kept for: it follows their work. */
const OWN_LIST_TTL_MS = 30_000

/** Members of the result of resources/templates/list. */
export function listTemplates({ view }: Exchange): string {
  const templates = view.resources.filter(({ uriTemplate }) => uriTemplate !== undefined)
  return membersOf({ resourceTemplates: templates.map(listedResource) })
}

function listedResource({ name, title, description, mimeType, uri, uriTemplate }: Resource): object {
  return { name, title, description, mimeType, uri, uriTemplate }
}

/** The fixed addresses, then those of templates that the caller is likely to want: one statement for each template that lists some. */
export async function listResources(service: Service, exchange: Exchange, ttlMs: number): Promise<Result> {
  const { resources } = exchange.view
  const fixed = resources.filter(({ uri }) => uri !== undefined).map(listedResource)
  const listing = resources.filter(({ list }) => list !== undefined)
  if (listing.length === 0) return { members: membersOf({ resources: fixed }), ttlMs }
  const line = new HostClientChannel(service, exchange, () => callDigest('resources/list', {}))
  const listed = await service.options.runner.read(callScope(exchange, 'resources/list', line), async ctx => {
    const entries: object[] = []
    for (const resource of listing) entries.push(...(await entriesOf(ctx, resource)))
    return entries
  })
  return { members: membersOf({ resources: [...fixed, ...listed] }), ttlMs: OWN_LIST_TTL_MS }
}

async function entriesOf(ctx: ReadContext, { list, mimeType }: Resource): Promise<object[]> {
  const entries = await list!(ctx)
  return entries.slice(0, MOST_LISTED).map(({ uri, name, title }) => ({ uri, name, title, mimeType }))
}

/** What answers for an address, with the values of its template's parts. */
interface Addressed {
  readonly resource: Resource
  readonly params: AddressParams
}

/** Finds what answers for an address: exact addresses first, then templates in the order of their plugins. */
export function findResource(resources: readonly Resource[], uri: string): Addressed | null {
  const exact = resources.find(resource => resource.uri === uri)
  if (exact) return { resource: exact, params: {} }
  for (const resource of resources) {
    if (resource.uriTemplate === undefined) continue
    const groups = templatePattern(resource.uriTemplate).exec(uri)?.groups
    if (groups) return { resource, params: decoded(groups) }
  }
  return null
}

const patterns = new Map<string, RegExp>()

/** `{name}` stands for one path segment. */
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

/** Names of the `{name}` parts of a template. */
export function templateParts(template: string): readonly string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

function decoded(groups: Readonly<Record<string, string>>): AddressParams {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: uri is not well encoded')
  }
}

export async function readResource(service: Service, exchange: Exchange): Promise<Result> {
  const { uri } = exchange.request.params
  if (typeof uri !== 'string' || uri.includes('\0') || !uri.isWellFormed()) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: uri must be a string')
  }
  const found = findResource(exchange.view.resources, uri)
  const line = new HostClientChannel(service, exchange, () => callDigest(uri, {}))
  const contents = found && (await contentsOf(service, exchange, found, uri, line))
  if (contents instanceof ToolError) throw notFound(exchange, uri, contents)
  if (!contents || contents.length === 0) throw notFound(exchange, uri)
  return { members: membersOf({ contents }), ttlMs: 0 }
}

/** @returns a refusal that is about the address; others are thrown */
async function contentsOf(
  service: Service,
  exchange: Exchange,
  { resource, params }: Addressed,
  uri: string,
  line: HostClientChannel,
): Promise<readonly ResourceContents[] | ToolError | null> {
  try {
    // Encoded, what no database can keep passes the check of the address itself.
    checkStorable(params)
    return await service.options.runner.read(callScope(exchange, resource.name, line), ctx =>
      resource.read(ctx, uri, params),
    )
  } catch (error) {
    const isRefusal = error instanceof ToolError && error.code !== 'internal' && error.code !== 'unavailable'
    if (isRefusal) return error
    throw error
  }
}

function notFound({ revision, view }: Exchange, uri: string, why?: ToolError): RpcError {
  const code = revision.era === 'modern' ? INVALID_PARAMS : LEGACY_RESOURCE_NOT_FOUND
  const data = { uri: clip(uri, 200), ...(why && shownError(why, view.hides)) }
  return new RpcError(code, `Resource not found: ${clip(uri, 200)}`, { data })
}
