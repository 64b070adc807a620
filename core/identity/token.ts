import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'svc_pat_'
const RANDOM = 32
const CHECKSUM = 6

/** What operators may give as BOOTSTRAP_TOKEN: the prefix and at least 32 letters and digits. */
export const TOKEN_PATTERN = /^svc_pat_[0-9A-Za-z]{32,200}$/

/** Whether a bearer token is a personal access token, by the look of it. */
export function isPersonalToken(token: string): boolean {
  return token.startsWith(PREFIX)
}

/** Makes a personal access token: 190 bits of chance and a checksum by which secret scanners know a real one. */
export function mintToken(): string {
  const body = PREFIX + randomText(RANDOM)
  return body + checksum(body)
}

/** What is stored of a token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** The end of a token, by which people tell theirs apart. */
export function tokenHint(token: string): string {
  return token.slice(-4)
}

/** Random letters and digits for secrets that are shown once. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 = 4 × 62: larger bytes would make the first letters likelier.
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
