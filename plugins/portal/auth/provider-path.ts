/** Returns the path on which a signed-in user signs in anew at the provider. @param returnTo path of this origin */
export function confirmPath(returnTo: string): string {
  return `/sign-in/provider/confirm?return_to=${encodeURIComponent(returnTo)}`
}

/** Returns the path that starts a sign-in at the OpenID provider. @param returnTo path of this origin */
export function providerPath(returnTo: string): string {
  return returnTo === '/' ? '/sign-in/provider' : `/sign-in/provider?return_to=${encodeURIComponent(returnTo)}`
}
