import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client, Interaction, InteractionResults, Provider } from 'oidc-provider'
import { v4 as uuid } from 'uuid'
import { clip } from '../../plugin/clip.ts'
import { ToolError } from '../../plugin/errors.ts'
import { notifyAccessMade } from '../../plugin/host-points.ts'
import { isUuid } from '../../plugin/uuid.ts'
import { appApproved, appDenied } from '../../runtime/audit/actions.ts'
import { placeOf, type AuthorizationAnswer, type AuthorizationRequest, type Scope } from '../../plugin/sign-in.ts'
import { artifactId } from './artifact-id.ts'
import { describeConnection, removeExpiry, type ConnectionDetails } from './artifact.repository.ts'
import type { LoadedServer, OAuthContext } from './context.ts'
import { storeDocument } from './documents.ts'
import { isLoopback } from './registration.ts'
import { resourceOf, SCOPES } from './settings.ts'

interface Pending {
  readonly interaction: Interaction
  readonly client: Client
  readonly userId: string
  readonly request: AuthorizationRequest
}

interface Approval {
  readonly scopes: readonly Scope[]
  readonly projects: NonNullable<AuthorizationAnswer['projects']> | null
}

/** Length limit for project names in the audit trail, which drops details that are too long. */
const MAX_NAMES = 500

/** Returns the interaction of the browser's cookie, or null if there is none or it has ended. */
export async function interactionOf(
  provider: Provider,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<Interaction | null> {
  try {
    const interaction = await provider.interactionDetails(raw, reply.raw)
    return interaction.uid === id ? interaction : null
  } catch (error) {
    if ((error as Error).name === 'SessionNotFound') return null
    throw error
  }
}

/** Creates the handlers of the consent page: what it asks, and how the answer is applied. */
export function createConsent(context: OAuthContext, provider: Provider): LoadedServer['consent'] {
  const { signIn, trail } = context
  const find = async (http: FastifyRequest, reply: FastifyReply, id: string): Promise<Pending | null> => {
    const interaction = await interactionOf(provider, http, reply, id)
    // The interaction still exists after the answer, until the browser follows the redirect.
    if (interaction?.prompt.name !== 'consent' || interaction.result !== undefined) return null
    const session = await signIn.session(http)
    if (session === null || session.userId !== interaction.session?.accountId) return null
    const client = await provider.Client.find(String(interaction.params['client_id']))
    if (!client) return null
    return { interaction, client, userId: session.userId, request: describe(interaction, client) }
  }
  return {
    async pending(http, reply, id) {
      return (await find(http, reply, id))?.request ?? null
    },
    async answer(http, reply, id, { granted, projects = null, browser = null }) {
      const pending = await find(http, reply, id)
      if (!pending) throw new ToolError('not_found', 'This request has expired, or it has been answered already.')
      const scopes = pickScopes(pending.request.scopes, granted ?? [])
      let result: InteractionResults
      if (scopes.length === 0) {
        trail.record({ ...recordOf(pending, http), action: appDenied, outcome: 'refused' })
        result = { error: 'access_denied', error_description: 'The person declined.' }
      } else {
        const approval = { scopes, projects: checkProjects(projects) }
        result = { consent: { grantId: await connect(context, { ...pending, provider }, approval, { http, browser }) } }
      }
      const redirectUrl = await provider.interactionResult(http.raw, reply.raw, result, {
        mergeWithLastSubmission: true,
      })
      return new URL(redirectUrl).pathname
    },
  }
}

function describe({ uid, params }: Interaction, client: Client): AuthorizationRequest {
  const redirectUri = String(params['redirect_uri'])
  const url = new URL(redirectUri)
  const requested = String(params['scope']).split(' ')
  const { clientIdMetadataDocument: isDocument } = client as { clientIdMetadataDocument?: boolean }
  return {
    id: uid,
    client: {
      id: client.clientId,
      name: client.clientName ?? '',
      uri: client.clientUri ?? null,
      verifiedHost: isDocument === true ? new URL(client.clientId).host : null,
    },
    redirectUri,
    loopback: isLoopback(url),
    scopes: SCOPES.filter(scope => requested.includes(scope)),
  }
}

/** Grants only requested scopes; write implies read. */
function pickScopes(requested: readonly Scope[], granted: readonly Scope[]): readonly Scope[] {
  const scopes = requested.filter(scope => granted.includes(scope))
  return scopes.includes('write') ? SCOPES : scopes
}

/** Rejects an empty list, which would grant access to nothing, and invalid ids, which would fail on every call. */
function checkProjects(projects: Approval['projects']): Approval['projects'] {
  if (projects === null || (projects.length > 0 && projects.every(({ id }) => isUuid(id)))) return projects
  throw new ToolError('invalid_argument', 'Projects are given as at least one id.', { field: 'projects' })
}

/** Creates the connection, and removes the expiry of its client's registration. */
async function connect(
  { baseUrl, write, trail, now }: OAuthContext,
  pending: Pending & { readonly provider: Provider },
  { scopes, projects }: Approval,
  { http, browser }: { readonly http: FastifyRequest; readonly browser: string | null },
): Promise<string> {
  const { provider, interaction, client, userId, request } = pending
  const { params } = interaction
  const grant = new provider.Grant({ accountId: userId, clientId: client.clientId })
  grant.jti = uuid()
  if (String(params['scope']).includes('offline_access')) grant.addOIDCScope('offline_access')
  const rejected = request.scopes.filter(scope => !scopes.includes(scope))
  for (const indicator of [params['resource'] ?? resourceOf(baseUrl)].flat() as string[]) {
    grant.addResourceScope(indicator, scopes.join(' '))
    if (rejected.length > 0) grant.rejectResourceScope(indicator, rejected.join(' '))
  }
  const id = await grant.save()
  const connection: ConnectionDetails = {
    clientName: request.client.name,
    verifiedHost: request.client.verifiedHost,
    redirectHost: placeOf(request.redirectUri),
    scope: scopes.includes('write') ? 'write' : 'read',
    projects: projects?.map(project => project.id) ?? null,
  }
  await write(http, async ctx => {
    const { db } = ctx
    await describeConnection(db, artifactId('Grant', id), connection)
    if (connection.verifiedHost !== null) await storeDocument(db, client.clientId, client.metadata(), now())
    // The program of an approved registration keeps using it, so it must not expire.
    else await removeExpiry(db, artifactId('Client', client.clientId))
    const { scope, redirectHost, verifiedHost } = connection
    const names = projects && clip(projects.map(({ name }) => name).join(', '), MAX_NAMES)
    const details = { scope, projects: names, redirect: redirectHost, verified: verifiedHost }
    await trail.write(db, { ...recordOf(pending, http, id), action: appApproved, details })
    await notifyAccessMade(ctx, { kind: 'app', userId, name: connection.clientName, address: http.ip, browser })
  })
  return id
}

function recordOf({ userId, request }: Pending, http: FastifyRequest, id: string | null = null) {
  const { name } = request.client
  return {
    userId,
    actor: { userId, kind: 'human', client: 'portal' },
    request: http,
    target: { kind: 'app', id, name },
  } as const
}
