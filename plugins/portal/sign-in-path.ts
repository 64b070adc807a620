/** Returns the path of the sign-in page, with the path to continue to. @param returnTo path of this origin */
export function signInPath(returnTo: string): string {
  return returnTo === '/' ? '/sign-in' : `/sign-in?return_to=${encodeURIComponent(returnTo)}`
}
