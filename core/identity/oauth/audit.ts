import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Actor } from '../../plugin/context.ts'
import { appDisconnected, appRefused, appTokensIssued } from '../../runtime/audit/actions.ts'
import type { OAuthContext } from './context.ts'

/** Records the actions of apps at the token and revocation endpoints. */
export function recordAppEvents(provider: Provider, { trail, visitors, presentations }: OAuthContext): void {
  const recordOf = (ctx: KoaContextWithOIDC, connectionId?: string) => {
    const presented = presentations.get(ctx.req)
    const userId = presented?.userId ?? null
    const id = connectionId ?? presented?.connectionId ?? null
    const name = ctx.oidc.client?.clientName ?? ''
    const actor: Partial<Actor> | null = userId === null ? null : { userId, kind: 'assistant', client: name }
    const request = visitors.get(ctx.req)?.request
    return { userId, target: { kind: 'app', id, name }, ...(actor && { actor }), ...(request && { request }) }
  }
  provider.on('grant.success', ctx => {
    // Refreshes are not recorded, because they happen every hour.
    if (ctx.oidc.params?.['grant_type'] === 'authorization_code')
      trail.record({ ...recordOf(ctx), action: appTokensIssued })
  })
  provider.on('grant.error', (ctx, error) => {
    // An error of an unregistered app concerns no user.
    if (ctx.oidc.client)
      trail.record({ ...recordOf(ctx), action: appRefused, outcome: 'refused', details: { error: error.error } })
  })
  provider.on('grant.revoked', (ctx, grantId) => trail.record({ ...recordOf(ctx, grantId), action: appDisconnected }))
}
