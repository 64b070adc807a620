/** Where somebody who is signed in proves who they are by signing in at the provider anew. @param returnTo path of this origin */
export function confirmPath(returnTo: string): string {
  return `/sign-in/provider/confirm?return_to=${encodeURIComponent(returnTo)}`
}

/** Where a sign-in through the OpenID provider begins. @param returnTo path of this origin */
export function providerPath(returnTo: string): string {
  return returnTo === '/' ? '/sign-in/provider' : `/sign-in/provider?return_to=${encodeURIComponent(returnTo)}`
}
