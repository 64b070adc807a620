import { createHmac, timingSafeEqual } from 'node:crypto'

/** Returns whether a hexadecimal HMAC-SHA256 of the body, with or without the prefix `sha256=`, was made with the secret. */
export function isSigned(header: string | null, body: Buffer, secret: string): boolean {
  const signature = header?.replace(/^sha256=/, '')
  if (signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false
  return timingSafeEqual(Buffer.from(signature, 'hex'), createHmac('sha256', secret).update(body).digest())
}

/** Compares two secrets in constant time. */
export function isSameSecret(header: string | null, secret: string): boolean {
  if (header === null) return false
  const digest = (value: string): Buffer => createHmac('sha256', 'compare').update(value).digest()
  return timingSafeEqual(digest(header), digest(secret))
}
