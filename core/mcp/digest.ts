import { createHash } from 'node:crypto'

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Digest of a call: the same for the same name and arguments, whatever the order of keys. */
export function callDigest(name: string, input: unknown): string {
  return sha256(`${name}\n${canonical(input)}`)
}

/** JSON with the keys of every object in one order. The value must be of bounded depth. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}
