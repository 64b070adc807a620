import type { Deployment } from 'tasuki/plugin'

const PURPOSE = 'code_refs.webhook-secret'

/** Encrypts a webhook secret: hosts sign with it, so it cannot be kept as a hash. */
export function seal(deployment: Pick<Deployment, 'sealer'>, secret: string): string {
  return deployment.sealer(PURPOSE).seal(secret, PURPOSE)
}

/** Gives the secret back; null when it was sealed with another key. */
export function unseal(deployment: Pick<Deployment, 'sealer'>, sealed: string): string | null {
  return deployment.sealer(PURPOSE).open(sealed, PURPOSE)
}
