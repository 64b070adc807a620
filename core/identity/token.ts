import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'svc_pat_'
const RANDOM = 32
const CHECKSUM = 6

/** Format of BOOTSTRAP_TOKEN: the prefix and at least 32 letters and digits. */
export const TOKEN_PATTERN = /^svc_pat_[0-9A-Za-z]{32,200}$/

/** Returns whether a bearer token has the format of a personal access token. */
export function isPersonalToken(token: string): boolean {
  return token.startsWith(PREFIX)
}

/** Generates a personal access token: 190 random bits, and a checksum that secret scanners verify. */
export function mintToken(): string {
  const body = PREFIX + randomText(RANDOM)
  return body + checksum(body)
}

/** Hashes a token for storage. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Generates random letters and digits, for secrets that are shown once. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 = 4 × 62: larger bytes would bias the first letters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  }
  return text
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (; rest > 0; rest = Math.floor(rest / 62)) digits = ALPHABET[rest % 62] + digits
  return digits.padStart(CHECKSUM, '0')
}
