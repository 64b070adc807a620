/** Where a sign-in through the OpenID provider begins. @param returnTo path of this origin */
export function providerPath(returnTo: string): string {
  return returnTo === '/' ? '/sign-in/provider' : `/sign-in/provider?return_to=${encodeURIComponent(returnTo)}`
}
