import { hash } from 'node:crypto'

export function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Length of the digest of an effect. */
export const EFFECT_DIGITS = 16

/** Returns a digest of the question that a user agreed to. */
export const digestEffect = (effect: string): string => sha256(effect).slice(0, EFFECT_DIGITS)

/** Returns the digest of a call. It does not depend on the order of keys in the arguments. */
export function digestCall(name: string, input: unknown): string {
  return sha256(`${name}\n${canonical(input)}`)
}

/** JSON with sorted keys. The value must have a bounded depth. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}
