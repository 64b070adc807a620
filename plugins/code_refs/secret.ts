import { createSealer, type Deployment } from 'tasuki/plugin'

const PURPOSE = 'code_refs.webhook-secret'

/** Encrypts a webhook secret: hosts sign with it, so it cannot be kept as a hash. */
export function seal(deployment: Pick<Deployment, 'key'>, secret: string): string {
  return createSealer(deployment.key(PURPOSE)).seal(secret, PURPOSE)
}

/** Gives the secret back; null when it was sealed with another key. */
export function unseal(deployment: Pick<Deployment, 'key'>, sealed: string): string | null {
  return createSealer(deployment.key(PURPOSE)).open(sealed, PURPOSE)
}
