import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Deployment } from 'tasuki/plugin'

const PURPOSE = 'code_refs.webhook-secret'

/** Encrypts a webhook secret (AES-256-GCM): hosts sign with it, so it cannot be kept as a hash. */
export function seal(deployment: Pick<Deployment, 'key'>, secret: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deployment.key(PURPOSE), iv)
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Gives the secret back; null when it was sealed with another key. */
export function unseal(deployment: Pick<Deployment, 'key'>, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', deployment.key(PURPOSE), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
