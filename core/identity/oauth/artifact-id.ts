import { hash } from 'node:crypto'

/** The key of a row of oauth_artifacts: of an opaque token the id is the secret, so that only its hash is kept. */
export function artifactId(kind: string, id: string): string {
  return hash('sha256', `${kind}:${id}`, 'base64url')
}
