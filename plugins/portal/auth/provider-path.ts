/** Returns the path that starts a sign-in at the OpenID provider. @param returnTo path of this origin */
export function providerPath(returnTo: string): string {
  return returnTo === '/' ? '/sign-in/provider' : `/sign-in/provider?return_to=${encodeURIComponent(returnTo)}`
}
