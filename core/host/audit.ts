import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bearerToken } from '../http/bearer.ts'
import { listAudit } from '../identity/audit.repository.ts'
import type { Refusal } from '../mcp/options.ts'
import type { Actor } from '../plugin/context.ts'
import type { AuditService } from '../plugin/services.ts'
import { accessRefused, credentialRefused } from '../runtime/audit/actions.ts'
import type { AuditActions } from '../runtime/audit/audit.repository.ts'
import type { AuditTrail } from '../runtime/audit/trail.ts'

const RECORDED = new Set([401, 403, 429])

/** Creates the audit service and records all responses with 401, 403 and 429. @param trail available once the database is open */
export function createHostAudit(
  app: FastifyInstance,
  {
    actions,
    keepDays,
    trail,
  }: { readonly actions: AuditActions; readonly keepDays: number; readonly trail: () => AuditTrail },
) {
  const actors = new WeakMap<FastifyRequest, Partial<Actor>>()
  const recorded = new WeakSet<FastifyRequest>()
  app.addHook('onResponse', (request, { statusCode }, done) => {
    if (RECORDED.has(statusCode) && !recorded.has(request)) recordRefusal(request, statusCode)
    done()
  })
  const recordRefusal = (request: FastifyRequest, status: number): void => {
    const { method, routeOptions, headers } = request
    const actor = actors.get(request) ?? request.mcpPrincipal?.actor
    const refusal = {
      request,
      outcome: 'refused',
      details: { status, method, path: routeOptions.url ?? null },
    } as const
    const token = bearerToken(headers.authorization)
    if (actor) trail().record({ ...refusal, action: accessRefused, actor })
    else if (status !== 403 && token !== undefined)
      trail().record({ ...refusal, action: credentialRefused, credential: token })
  }
  return {
    service: {
      record: record => trail().record(record),
      identify: (request, actor) => void actors.set(request, actor),
      list: listAudit,
      actions,
      keepDays,
    } satisfies AuditService,
    /** Records a refusal by the MCP endpoint, whatever its HTTP status is. */
    refuseCall({ http, principal, clientName, clientVersion, code, tool }: Refusal): void {
      recorded.add(http)
      trail().record({
        action: accessRefused,
        outcome: 'refused',
        actor: { ...principal.actor, client: clientName },
        clientVersion,
        request: http,
        ...(tool !== null && { target: { kind: 'tool', name: tool } }),
        details: { code },
      })
    },
  }
}
