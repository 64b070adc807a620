import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const argon2 = promisify(argon2Callback)

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const TAG_BYTES = 32
/** Each takes 19 MiB and a thread: more concurrent ones would let sign-ins starve everything else. */
const MAX_CONCURRENT = 2

export const MIN_LENGTH = 12
export const MAX_LENGTH = 200

/** Prefixes of common passwords that are long enough (NIST SP 800-63B-4 §3.1.1.2). */
const COMMON = [
  'password',
  'passw0rd',
  'qwertyuiop',
  'qwerty',
  'letmein',
  'iloveyou',
  'administrator',
  'welcome',
  'changeme',
  'abcdefgh',
  '1q2w3e4r',
  'tasuki',
]

/** Returns why a password is rejected: its length, or because it is easy to guess. Null = accepted. */
export function findWeakness(password: string, about: readonly string[]): 'short' | 'long' | 'common' | null {
  const plain = password.normalize('NFKC')
  const length = Array.from(plain).length
  if (length < MIN_LENGTH) return 'short'
  if (length > MAX_LENGTH) return 'long'
  const lower = plain.toLowerCase()
  if (new Set(lower).size < 5 || isSequence(lower)) return 'common'
  // Without the known words, the rest must be strong enough by itself.
  const words = [...COMMON, ...about.map(word => word.toLowerCase()).filter(word => word.length > 3)]
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), lower)
  return rest !== lower && Array.from(rest.replace(/[\d!@#$%^&*._-]/g, '')).length < 4 ? 'common' : null
}

/** Sequences such as 123456789012 or abcdefghijkl. */
function isSequence(text: string): boolean {
  let steps = 0
  for (let n = 1; n < text.length; n++) {
    const step = text.charCodeAt(n) - text.charCodeAt(n - 1)
    if (step === 1 || step === -1 || step === -9) steps++
  }
  return steps >= text.length - 2
}

/** Returns the PHC string of a new password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await derive(password, salt, COST)
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

/** A hash that no password matches, so that unknown users take as long as known ones. */
const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(TAG_BYTES))}`

/** Verifies a password with the parameters of its hash. @param phc null = no password; takes as long and returns false */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc ?? NOBODY)
  if (!match) throw new Error('a stored password hash cannot be read')
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number]
  const tag = Buffer.from(match[5]!, 'base64')
  const derived = await derive(password, Buffer.from(match[4]!, 'base64'), { memory, passes, parallelism })
  return timingSafeEqual(derived, tag) && phc !== null
}

const waiting: (() => void)[] = []
let running = 0

/** NFKC, because the same password can be typed in several Unicode forms. */
async function derive(
  password: string,
  nonce: Buffer,
  cost: { readonly memory: number; readonly passes: number; readonly parallelism: number },
): Promise<Buffer> {
  if (running >= MAX_CONCURRENT) await new Promise<void>(go => waiting.push(go))
  else running++
  try {
    return await argon2('argon2id', { message: password.normalize('NFKC'), nonce, tagLength: TAG_BYTES, ...cost })
  } finally {
    // Hands the slot to the next caller in the queue, if there is one.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
