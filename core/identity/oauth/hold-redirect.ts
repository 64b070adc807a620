import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import type { AuthorizationProblem } from '../../plugin/sign-in.ts'
import { hasConnection } from './artifact.repository.ts'
import { toAuthorizationProblem } from './problem-page.ts'
import type { Visitors } from './visitors.ts'

export interface HoldOptions {
  readonly baseUrl: string
  readonly database: Pick<Database, 'write'>
  readonly visitors: Visitors
}

/**
 * Blocks redirects to an app until the user has approved it. Anyone can register an app, so otherwise a link to this service with an
 * invalid request would be an open redirect.
 * @returns the problem to show instead, with the target as an optional link; null if the redirect is allowed
 */
export async function holdRedirect(
  options: HoldOptions,
  ctx: KoaContextWithOIDC,
): Promise<AuthorizationProblem | null> {
  const onward = URL.parse(ctx.response.get('location'))
  if (onward === null || onward.origin === new URL(options.baseUrl).origin) return null
  if (await isRedirectAllowed(options, ctx)) return null
  ctx.remove('location')
  ctx.status = 400
  const parameters = new URLSearchParams(onward.hash === '' ? onward.search : onward.hash.slice(1))
  const problem = toAuthorizationProblem(
    parameters.get('error') ?? 'invalid_request',
    parameters.get('error_description') ?? undefined,
  )
  return { ...problem, onward: onward.href }
}

/** Allows the redirect after an answer on the consent page, which shows the target, or after an earlier approval. */
async function isRedirectAllowed(
  { database, visitors }: HoldOptions,
  { req, oidc }: KoaContextWithOIDC,
): Promise<boolean> {
  const { Interaction: interaction, Client: client } = oidc.entities
  if (interaction?.prompt.name === 'consent' && interaction.result !== undefined) return true
  const userId = visitors.get(req)?.userId
  return userId !== undefined && client !== undefined && hasConnection(database.write, userId, client.clientId)
}
