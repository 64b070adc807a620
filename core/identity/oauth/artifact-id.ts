import { hash } from 'node:crypto'

/** Returns the key of a row of oauth_artifacts. It is a hash, because the id of an opaque token is the secret itself. */
export function artifactId(kind: string, id: string): string {
  return hash('sha256', `${kind}:${id}`, 'base64url')
}
