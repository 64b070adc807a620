/** More than all agents that share one token send at once. */
const MAX_REQUESTS = 256
/** In multiples of the largest body. */
const MAX_BODIES = 10

/** Limits the concurrent requests of each credential in this process, so that no client exhausts the memory. */
export class OpenRequestLimit {
  readonly #byCredential = new Map<string, { requests: number; bytes: number }>()
  readonly #mostBytes: number
  /** The error message for a refused client. */
  readonly refusal: string
  constructor(bodyLimit: number) {
    this.#mostBytes = MAX_BODIES * bodyLimit
    const megabytes = Math.round(this.#mostBytes / 1e6)
    this.refusal = `At most ${MAX_REQUESTS} requests of a credential, with ${megabytes} MB of bodies, may be under way: wait for their answers`
  }
  /** Counts a request. @returns false, without counting, if the credential is at its limit */
  enter(credential: string, bytes: number): boolean {
    const now = this.#byCredential.get(credential) ?? { requests: 0, bytes: 0 }
    if (now.requests >= MAX_REQUESTS || (now.requests > 0 && now.bytes + bytes > this.#mostBytes)) return false
    now.requests++
    now.bytes += bytes
    this.#byCredential.set(credential, now)
    return true
  }
  /** Counts fewer bytes for an open request. */
  shrink(credential: string, bytes: number): void {
    const now = this.#byCredential.get(credential)
    if (now) now.bytes -= bytes
  }
  leave(credential: string, bytes: number): void {
    const now = this.#byCredential.get(credential)!
    now.requests--
    now.bytes -= bytes
    if (now.requests === 0) this.#byCredential.delete(credential)
  }
}
