import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import type { AuthorizationProblem } from '../../plugin/sign-in.ts'
import { hasConnection } from './artifact.repository.ts'
import { problemOf } from './problem-page.ts'
import type { Visitors } from './visitors.ts'

export interface HoldOptions {
  readonly baseUrl: string
  readonly database: Pick<Database, 'write'>
  readonly visitors: Visitors
}

/**
 * Keeps people on this service until they have agreed to an app. Registering costs nothing: otherwise a link to this service, with a fault
 * in it, would lead whoever follows it to any address.
 * @returns what a page has to say instead of the redirect, with the address that it may offer as a link; null where nothing is held
 */
export async function holdRedirect(
  options: HoldOptions,
  ctx: KoaContextWithOIDC,
): Promise<AuthorizationProblem | null> {
  const onward = URL.parse(ctx.response.get('location'))
  if (onward === null || onward.origin === new URL(options.baseUrl).origin) return null
  if (await mayLeave(options, ctx)) return null
  ctx.remove('location')
  ctx.status = 400
  const said = new URLSearchParams(onward.hash === '' ? onward.search : onward.hash.slice(1))
  const problem = problemOf(said.get('error') ?? 'invalid_request', said.get('error_description') ?? undefined)
  return { ...problem, onward: onward.href }
}

/** The person has answered the consent page, which shows where it leads, or has approved the app before. */
async function mayLeave({ database, visitors }: HoldOptions, { req, oidc }: KoaContextWithOIDC): Promise<boolean> {
  const { Interaction: interaction, Client: client } = oidc.entities
  if (interaction?.prompt.name === 'consent' && interaction.result !== undefined) return true
  const userId = visitors.get(req)?.userId
  return userId !== undefined && client !== undefined && hasConnection(database.write, userId, client.clientId)
}
