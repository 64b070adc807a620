/** The page where a person signs in and is then sent on. @param returnTo path of this origin */
export function signInPath(returnTo: string): string {
  return returnTo === '/' ? '/sign-in' : `/sign-in?return_to=${encodeURIComponent(returnTo)}`
}
