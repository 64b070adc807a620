import type { FastifyRequest } from 'fastify'
import type { Server } from 'node:http'
import { accessRevoked, firstStart, signIn, type HostServices } from 'tasuki/plugin'
import { endSessions } from './auth/session.repository.ts'
import { deleteSetupLinks, newSetupLink } from './auth/setup-link.repository.ts'
import { findSession } from './auth/sessions.ts'
import type { HttpRequest } from './http-context.ts'
import { appProblemPage } from './pages/app-problem.ts'
import { confirmationPath } from './pages/confirmation.ts'
import { signInPath } from './sign-in-path.ts'

/** Services by server: the authorization server passes only a request, and a process may run several hosts. */
const servicesOf = new WeakMap<object, HostServices>()

export function rememberServices(server: Server | object, services: HostServices): void {
  servicesOf.set(server, services)
}

function httpOf(request: FastifyRequest): HttpRequest {
  return { services: servicesOf.get(request.server.server)!, request }
}

/** Tells the authorization server which user is signed in, and where users sign in and consent. */
export const portalSignIn = signIn({
  session: async request => findSession(httpOf(request)),
  signInPath,
  consentPath: id => `/consent/${encodeURIComponent(id)}`,
  confirmationPath,
  problemPage: async (request, problem) => appProblemPage(httpOf(request), problem),
})

/** Revokes sessions and unused setup links together with other access. */
export const sessionsRevoked = accessRevoked(async (ctx, userId, { sessionId }) => ({
  sessions: await endSessions(ctx, userId, sessionId),
  setup_links: await deleteSetupLinks(ctx, userId),
}))

/** The first start shows a setup link for the owner's password. */
export const setupOnFirstStart = firstStart(async (ctx, owner) => {
  const code = await newSetupLink(ctx, owner?.id ?? null)
  return origin =>
    owner
      ? `Set a password for the portal, within a day, by this link. It works once:\n\n  ${origin}/setup#${code}`
      : `Become the owner, within a day, by this link. It works once:\n\n  ${origin}/setup#${code}`
})
