import { createHmac } from 'node:crypto'
import type * as Oidc from 'oidc-provider'
import type { Provider } from 'oidc-provider'

/** Part of the library's token models that its types omit. */
interface TokenModel {
  readonly prototype: { generateTokenId(this: { readonly kind: string; readonly scope?: string }): string }
}

/**
 * Derives the tokens of a refresh from the used refresh token. Processes that share a token, or that lost a response, get the same tokens
 * again from any instance, and a connection has only one valid refresh token.
 * @param key secret key, without which the successor cannot be computed from the used token
 */
export function deriveSuccessors(oidc: Pick<typeof Oidc, 'Provider'>, provider: Provider, key: Buffer): void {
  for (const { prototype } of [provider.RefreshToken, provider.AccessToken] as unknown as readonly TokenModel[]) {
    const random = prototype.generateTokenId
    prototype.generateTokenId = function () {
      // The library's function also applies the token format.
      const id = random.call(this)
      const usedToken = oidc.Provider.ctx?.oidc.entities.RotatedRefreshToken
      // The scope is part of the input, because a narrower scope results in a different token.
      return usedToken
        ? createHmac('sha256', key).update(`${this.kind} ${usedToken.jti} ${this.scope}`).digest('base64url')
        : id
    }
  }
}
