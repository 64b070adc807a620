import { HostError } from '../plugin/errors.ts'
import { signIn, type SignIn } from '../plugin/sign-in.ts'
import type { Registry } from '../runtime/registry/types.ts'

/** The sign-in pages of the one plugin that has some. @throws HostError when two have. */
export function signInPages({ all }: Pick<Registry, 'all'>): SignIn | null {
  const [pages, other] = all(signIn)
  if (other) throw new HostError('two plugins have sign-in pages; set one of them to false under "plugins"')
  return pages ?? null
}

/** Addresses of the page on which people confirm calls; undefined where no plugin has one. */
export function confirmationUrls(pages: SignIn | null, baseUrl: () => string): ((id: string) => string) | undefined {
  if (!pages?.confirmationPath) return undefined
  return id => baseUrl() + pages.confirmationPath!(id)
}
