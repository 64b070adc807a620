import type { Deployment } from 'tasuki/plugin'

const PURPOSE = 'code_refs.webhook-secret'

/** Encrypts a webhook secret. Hosts sign with it, so a hash is not enough. */
export function seal(deployment: Pick<Deployment, 'sealer'>, secret: string): string {
  return deployment.sealer(PURPOSE).seal(secret, PURPOSE)
}

/** Decrypts a secret; null if it was encrypted with another key. */
export function unseal(deployment: Pick<Deployment, 'sealer'>, sealed: string): string | null {
  return deployment.sealer(PURPOSE).open(sealed, PURPOSE)
}
