import type { FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { AuthorizationProblem, SignIn } from '../../plugin/sign-in.ts'
import type { OAuthContext } from './context.ts'

/** Allows styles and images of this origin only. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"

/** Renders the page for a failed request; if the sign-in pages fail too, returns plain text. */
export async function renderProblemPage(
  signIn: SignIn,
  request: FastifyRequest | undefined,
  problem: AuthorizationProblem,
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: string }> {
  const page = request && (await signIn.problemPage(request, problem).catch(() => null))
  if (page)
    return { headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }, body: page }
  const { error, description } = problem
  const body = `This app could not be connected: ${description ?? error} (${error})\n`
  return { headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

/** Answers a request to the provider with the page for a problem. */
export async function showProblem(
  { signIn, visitors }: OAuthContext,
  ctx: KoaContextWithOIDC,
  problem: AuthorizationProblem,
): Promise<void> {
  const { headers, body } = await renderProblemPage(signIn, visitors.get(ctx.req)?.request, problem)
  ctx.set(headers)
  ctx.body = body
}

/**
 * Maps an error of the authorization server to a reason for the user.
 * @param isDocument whether the app is identified by the URL of a document
 */
export function toAuthorizationProblem(
  error: string,
  description: string | undefined,
  isDocument = false,
): AuthorizationProblem {
  const reasons: Readonly<Record<string, AuthorizationProblem['reason']>> = {
    invalid_client: isDocument ? 'unread_app' : 'unknown_app',
    server_error: 'failed',
    temporarily_unavailable: 'failed',
    slow_down: 'busy',
  }
  return { reason: reasons[error] ?? 'refused', error, description: description ?? null }
}
