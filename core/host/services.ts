import type { Authenticator } from '../identity/authenticator.ts'
import type { Administration } from '../plugin/administration.ts'
import type { AuditService, HostServices, ProfileSize, RouteCall } from '../plugin/services.ts'
import type { Archiver } from './archiver.ts'
import { createUserExports } from './user-exports.ts'
import type { Database } from '../db/database.ts'
import { type CallScope, type Runner, retryRaces } from '../runtime/runner.ts'
import { systemScope } from '../runtime/system-scope.ts'
import { callerOf, countRequest, guardApi, type ApiOptions } from '../http/api.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { answerRouteError } from '../http/route-error.ts'
import { acceptsHtml } from '../http/accepts-html.ts'
import { inputChecker } from '../mcp/arguments.ts'
import { confirmations } from '../mcp/confirmation-pages.ts'
import { isOutcomeUnknown, isUnavailable } from '../db/failure.ts'
import type { Actor, Deployment, Log } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { signIn, type Authorization } from '../plugin/sign-in.ts'
import type { Registry } from '../runtime/registry/types.ts'

/** Parts of the host that exist only once it is up. */
export interface RunningParts {
  readonly database: Database
  readonly authenticator: Authenticator
  readonly runner: Runner
  readonly archiver: Archiver
  /** Null if no plugin contributes `signIn`. */
  readonly authorization: Authorization | null
}

export interface ServicesOptions {
  readonly deployment: Deployment
  readonly registry: Pick<Registry, 'all' | 'addedBy' | 'config' | 'profiles' | 'view'>
  readonly api: ApiOptions
  readonly rateLimits: RateLimits
  readonly audit: AuditService
  readonly administration: Administration
  readonly log: Log
  readonly now: () => Date
}

/** Creates the services for plugins. Routes are declared before the database is open, so each call accesses the running parts. */
export function createServices(
  { deployment, registry, api, rateLimits, audit, administration, log, now }: ServicesOptions,
  parts: () => RunningParts,
): HostServices {
  const scopeOf = async ({ userId, actor, name, requestId, address, signal }: RouteCall): Promise<CallScope> => {
    const { authenticator, database } = parts()
    const system = systemScope(authenticator, name, log, signal)
    const principal =
      userId === null ? system.principal : await authenticator.principalOf(database.write, userId, actor?.credentialId)
    if (!principal)
      throw new ToolError(
        'forbidden',
        'The user does not exist any more or is disabled, or the credential was revoked.',
      )
    const acting = { ...principal, actor: { ...principal.actor, ...actor } }
    return { ...system, principal: acting, requestId, peer: address === undefined ? null : { ip: address } }
  }
  const authenticate = async (token: string): Promise<Actor | null> =>
    (await parts().authenticator.authenticate(token))?.actor ?? null
  let sizes: readonly ProfileSize[] | undefined
  const exportUser = createUserExports(deployment.dataDir, now)
  return {
    ...deployment,
    now,
    all: registry.all,
    addedBy: registry.addedBy,
    config: registry.config,
    profiles: () => (sizes ??= registry.profiles.map(name => profileSize(registry, name))),
    authenticate,
    caller({ apiCaller }) {
      if (!apiCaller) throw new Error('the scope of this route does not call guardApi')
      return apiCaller
    },
    hostFault: api.hostFault,
    guardApi: (scope, prefix) =>
      guardApi(scope, prefix, api, async request => {
        const actor = await callerOf(request, (...given) => parts().authenticator.authenticate(...given), rateLimits)
        audit.identify(request, actor)
        countRequest(rateLimits, request, actor)
        return actor
      }),
    inputChecker,
    answerRouteError,
    audit,
    administration,
    isUnavailable,
    isOutcomeUnknown,
    wantsPage: acceptsHtml,
    read: async (call, work) => parts().runner.read(await scopeOf(call), work),
    get authorization() {
      const server = parts().authorization
      if (!server) throw new Error(`there is no authorization server: no plugin contributes ${signIn.id}`)
      return server
    },
    confirmations,
    exportUser: async (call, user) => exportUser(parts(), await scopeOf(call), user),
    write: async (call, work) => {
      const scope = await scopeOf(call)
      return retryRaces(() => parts().runner.write(scope, work))
    },
  }
}

function profileSize({ view }: Pick<Registry, 'view'>, name: string): ProfileSize {
  const { tools } = view({ profile: name, scope: 'write' })!
  // Only the parts that clients pass to the model.
  const modelParts = [...tools.values()].map(({ listed: { name, description, inputSchema } }) =>
    JSON.stringify({ name, description, inputSchema }),
  )
  return {
    name,
    tools: tools.size,
    readingTools: view({ profile: name, scope: 'read' })!.tools.size,
    characters: modelParts.reduce((sum, text) => sum + text.length, 0),
  }
}
