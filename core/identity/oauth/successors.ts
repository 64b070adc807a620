import { createHmac } from 'node:crypto'
import type * as Oidc from 'oidc-provider'
import type { Provider } from 'oidc-provider'

/** What the library's types leave out of its tokens. */
interface TokenModel {
  readonly prototype: { generateTokenId(this: { readonly kind: string; readonly scope?: string }): string }
}

/**
 * Makes the tokens that a refresh gives follow from the token that was used: programs that share one, and whoever did not get the answer,
 * get the same tokens again from every instance, and a connection has one refresh token that works.
 * @param key without it nobody can tell a successor, not even who has the used token
 */
export function deriveSuccessors(oidc: Pick<typeof Oidc, 'Provider'>, provider: Provider, key: Buffer): void {
  for (const { prototype } of [provider.RefreshToken, provider.AccessToken] as unknown as readonly TokenModel[]) {
    const random = prototype.generateTokenId
    prototype.generateTokenId = function () {
      // It also decides on the format of the token.
      const id = random.call(this)
      const used = oidc.Provider.ctx?.oidc.entities.RotatedRefreshToken
      // One that was asked for with a narrower scope is another token.
      return used ? createHmac('sha256', key).update(`${this.kind} ${used.jti} ${this.scope}`).digest('base64url') : id
    }
  }
}
