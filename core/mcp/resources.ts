import { ToolError } from '../plugin/errors.ts'
import type { Resource, ResourceContents } from '../plugin/resource.ts'
import { checkStorable } from './arguments.ts'
import { digestCall } from './digest.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { createCallScope, type RequestContext, type Result } from './request-context.ts'
import { visibleErrorBody } from './hidden-tools.ts'
import { HostClientChannel } from './client-channel.ts'
import { clip, isStorable } from '../plugin/clip.ts'
import { findResource, type Addressed } from './resource-address.ts'
import { INVALID_PARAMS, LEGACY_RESOURCE_NOT_FOUND, RpcError, stringifyMembers } from './message.ts'

/** Maximum of listed entries per template. */
const MAX_LISTED = 50
/** Cache lifetime of a list with entries of the caller's own records. */
const OWN_LIST_TTL_MS = 30_000

/** Returns the members of the result of resources/templates/list, as JSON text. */
export function listTemplates({ view }: RequestContext): string {
  const templates = view.resources.filter(({ uriTemplate }) => uriTemplate !== undefined)
  return stringifyMembers({ resourceTemplates: templates.map(listedResource) })
}

function listedResource({ name, title, description, mimeType, uri, uriTemplate }: Resource): object {
  return { name, title, description, mimeType, uri, uriTemplate }
}

/** Lists the fixed URIs, then entries of templates that the caller is likely to need: one statement per template with a `list`. */
export async function listResources(
  endpoint: EndpointContext,
  context: RequestContext,
  ttlMs: number,
): Promise<Result> {
  const { resources } = context.view
  const fixed = resources.filter(({ uri }) => uri !== undefined).map(listedResource)
  const listing = resources.filter(({ list }) => list !== undefined)
  if (listing.length === 0) return { members: stringifyMembers({ resources: fixed }), ttlMs }
  const channel = new HostClientChannel(endpoint, context, () => digestCall('resources/list', {}))
  const listed = await endpoint.options.runner.read(createCallScope(context, 'resources/list', channel), async ctx => {
    const entries: object[] = []
    for (const { list, mimeType } of listing)
      for (const { uri, name, title } of (await list!(ctx)).slice(0, MAX_LISTED))
        entries.push({ uri, name, title, mimeType })
    return entries
  })
  return { members: stringifyMembers({ resources: [...fixed, ...listed] }), ttlMs: OWN_LIST_TTL_MS }
}

/** No resource has a longer URI, and decoding one of megabytes takes tens of milliseconds. */
const MAX_URI = 8000

export async function readResource(endpoint: EndpointContext, context: RequestContext): Promise<Result> {
  const { uri } = context.request.params
  if (typeof uri !== 'string' || !isStorable(uri))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: uri must be a string')
  const found = uri.length > MAX_URI ? null : findResource(context.view.resources, uri)
  const channel = new HostClientChannel(endpoint, context, () => digestCall(uri, {}))
  const contents = found && (await contentsOf(endpoint, context, found, uri, channel))
  if (contents instanceof ToolError) throw notFound(context, uri, contents)
  if (!contents || contents.length === 0) throw notFound(context, uri)
  return { members: stringifyMembers({ contents }), ttlMs: 0 }
}

/** @returns a ToolError that concerns the URI; throws other errors */
async function contentsOf(
  endpoint: EndpointContext,
  context: RequestContext,
  { resource, params }: Addressed,
  uri: string,
  channel: HostClientChannel,
): Promise<readonly ResourceContents[] | ToolError | null> {
  try {
    // The check of the URI itself does not see percent-encoded characters.
    checkStorable(params)
    return await endpoint.options.runner.read(createCallScope(context, resource.name, channel), ctx =>
      resource.read(ctx, uri, params),
    )
  } catch (error) {
    const isRefusal = error instanceof ToolError && error.code !== 'internal' && error.code !== 'unavailable'
    if (isRefusal) return error
    throw error
  }
}

function notFound({ revision, view }: RequestContext, uri: string, why?: ToolError): RpcError {
  const code = revision.era === 'modern' ? INVALID_PARAMS : LEGACY_RESOURCE_NOT_FOUND
  const data = { uri: clip(uri, 200), ...(why && visibleErrorBody(why, view.hides)) }
  return new RpcError(code, `Resource not found: ${clip(uri, 200)}`, { data })
}
