import { HostError } from '../plugin/errors.ts'
import { signIn, type SignIn } from '../plugin/sign-in.ts'
import type { Registry } from '../runtime/registry/types.ts'

/** Returns the sign-in pages, or null if no plugin has them. @throws HostError if two plugins have them */
export function findSignInPages({ all }: Pick<Registry, 'all'>): SignIn | null {
  const [pages, other] = all(signIn)
  if (other) throw new HostError('two plugins have sign-in pages; set one of them to false under "plugins"')
  return pages ?? null
}

/** Returns a function for the URL of a confirmation page; undefined if no plugin has the page. */
export function createConfirmationUrl(
  pages: SignIn | null,
  baseUrl: () => string,
): ((id: string) => string) | undefined {
  if (!pages?.confirmationPath) return undefined
  return id => baseUrl() + pages.confirmationPath!(id)
}
