import type { FastifyRequest } from 'fastify'
import type { AuthorizationProblem, SignIn } from '../../plugin/sign-in.ts'

/** Styles and pictures may be of this origin; nothing else may be loaded, sent or run. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"

export interface ProblemPage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The page of the sign-in pages about a request that failed; where they fail too, the bare facts. */
export async function problemPage(
  signIn: SignIn,
  request: FastifyRequest | undefined,
  problem: AuthorizationProblem,
): Promise<ProblemPage> {
  const page = request && (await signIn.problemPage(request, problem).catch(() => null))
  if (page)
    return { headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }, body: page }
  const { error, description } = problem
  const body = `This app could not be connected: ${description ?? error} (${error})\n`
  return { headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

/**
 * What a refusal of the authorization server means for the person.
 * @param isDocument the app is known by the address of a document.
 */
export function problemOf(error: string, description: string | undefined, isDocument = false): AuthorizationProblem {
  const reasons: Readonly<Record<string, AuthorizationProblem['reason']>> = {
    invalid_client: isDocument ? 'unread_app' : 'unknown_app',
    server_error: 'failed',
    temporarily_unavailable: 'failed',
    slow_down: 'busy',
  }
  return { reason: reasons[error] ?? 'refused', error, description: description ?? null }
}
