import { supportsCompletion } from './completion.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { credentialOf, type RequestContext, type Result } from './request-context.ts'
import { readCapabilities, readClientInfo, readLogLevel } from './client-info.ts'
import { INVALID_PARAMS, RpcError, stringifyMembers } from './message.ts'
import type { McpOptions } from './options.ts'
import type { Revision } from './revisions.ts'
import type { SessionClient } from './sessions.ts'
import type { View } from '../runtime/registry/types.ts'

/** Capabilities of the server per era. The 2025 revisions have no server stream here, so they cannot receive change notifications. */
function serverCapabilities(options: McpOptions, view: View, era: Revision['era']): object {
  const { listChanged = false } = options
  const changes = listChanged && era === 'modern' ? { listChanged } : {}
  return {
    tools: changes,
    logging: {},
    ...(view.prompts.size > 0 && { prompts: changes }),
    ...(supportsCompletion(options, view) && { completions: {} }),
    ...(view.resources.length > 0 && {
      resources: { ...changes, ...(sendsUpdates(options, view, era) && { subscribe: true }) },
    }),
  }
}

function sendsUpdates({ listChanged, changes }: McpOptions, { resources }: View, era: Revision['era']): boolean {
  const watches = era === 'modern' && changes !== undefined && resources.some(({ watch }) => watch !== undefined)
  return watches || listChanged === true
}

/** Chooses the revision for `initialize`: the requested one if it is a served legacy revision, else the newest legacy one. */
export function negotiateRevision(endpoint: EndpointContext, asked: unknown): Revision {
  const revision = typeof asked === 'string' ? endpoint.revisions.find(asked) : undefined
  return revision?.era === 'legacy' ? revision : endpoint.revisions.newestLegacy()
}

export function initialize(endpoint: EndpointContext, context: RequestContext): Result {
  const { params } = context.request
  if (typeof params['protocolVersion'] !== 'string')
    throw new RpcError(INVALID_PARAMS, 'Invalid params: protocolVersion must be a string')
  const { options, sessions } = endpoint
  const revision = negotiateRevision(endpoint, params['protocolVersion'])
  const client = {
    credential: credentialOf(context.principal),
    revision,
    capabilities: readCapabilities(params['capabilities'], revision),
    ...readClientInfo(params['clientInfo']),
  }
  sessions.storeClient(client.credential, { ...namesOf(client), logLevel: 'info' })
  // A session uses memory, so it is opened only for a client that can be asked for input.
  const { elicitation, sampling, roots } = client.capabilities
  const canBeAsked = elicitation !== undefined || sampling !== undefined || roots !== undefined
  const session = options.sessions !== false && context.stream && canBeAsked ? sessions.open(client) : null
  const members = stringifyMembers({
    protocolVersion: revision.name,
    capabilities: serverCapabilities(options, context.view, 'legacy'),
    serverInfo: describeServer(options, revision),
    ...instructionsOf(context),
  })
  return session ? { members, headers: { 'mcp-session-id': session.id } } : { members }
}

function namesOf({ clientName, clientVersion }: Pick<SessionClient, 'clientName' | 'clientVersion'>) {
  return { clientName, clientVersion }
}

/** Server info with the presentation for people, which discovery and `initialize` return; others have only name, title and version. */
function describeServer({ server, presentation }: McpOptions, { icons: knowsIcons }: Revision): object {
  if (!knowsIcons || !presentation) return server
  const { description, icons, baseUrl, hasPages } = presentation
  return { ...server, description, icons, ...(hasPages && { websiteUrl: baseUrl() }) }
}

export function discover({ options, revisions }: EndpointContext, context: RequestContext): Result {
  const members = stringifyMembers({
    supportedVersions: revisions.served('modern'),
    capabilities: serverCapabilities(options, context.view, 'modern'),
    ...instructionsOf(context),
  })
  return { members, serverInfo: describeServer(options, context.revision) }
}

function instructionsOf({ view: { instructions } }: RequestContext): { instructions?: string } {
  return instructions === '' ? {} : { instructions }
}

/** Answers logging/setLevel. Stores the level in the session, or else for the credential in this process. */
export function setLogLevel(
  { sessions }: EndpointContext,
  { request, session, principal, ...client }: RequestContext,
): Result {
  const level = readLogLevel(request.params['level'])
  if (session) session.logLevel = level
  else sessions.storeClient(credentialOf(principal), { ...namesOf(client), logLevel: level })
  return { members: '' }
}
