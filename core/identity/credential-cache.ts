import type { Principal } from '../runtime/principal.ts'

/** Maximum delay of a revocation if its message is lost while the connection stays up. */
const CACHE_MS = 10_000
const CACHE_SIZE = 20_000

/** Caches the principals of bearer tokens until their user changes or the entry expires. */
export class CredentialCache {
  // Keyed by the token itself, which never leaves memory: hashing it on each request would take as long as a cache look-up.
  readonly #entries = new Map<string, { readonly principal: Principal; readonly until: number }>()
  readonly #loading = new Map<string, Promise<Principal | null>>()
  // Tokens that were valid once. Their look-up is not blocked while an address has tried too many tokens.
  readonly #known = new Set<string>()
  #listening = true
  #hits = 0
  #misses = 0
  // Discards loads that began before a revocation.
  #epoch = 0

  get(token: string, at: number): Principal | undefined {
    const cached = this.#listening ? this.#entries.get(token) : undefined
    if (cached && cached.until > at) {
      this.#hits++
      return cached.principal
    }
    this.#misses++
    return undefined
  }

  isKnown(token: string): boolean {
    return this.#known.has(token)
  }

  /** Loads a principal once for all callers that wait for it. */
  async load(token: string, at: number, read: (token: string) => Promise<Principal | null>): Promise<Principal | null> {
    const epoch = this.#epoch
    const key = `${epoch} ${token}`
    let pending = this.#loading.get(key)
    if (!pending) {
      pending = read(token).finally(() => this.#loading.delete(key))
      this.#loading.set(key, pending)
    }
    const principal = await pending
    if (!principal) return null
    if (this.#known.size >= CACHE_SIZE) this.#known.delete(this.#known.keys().next().value!)
    this.#known.add(token)
    if (this.#listening && epoch === this.#epoch) {
      if (this.#entries.size >= CACHE_SIZE) this.#entries.delete(this.#entries.keys().next().value!)
      this.#entries.set(token, { principal, until: at + CACHE_MS })
    }
    return principal
  }

  /** Removes users; all users without ids. */
  forget(userIds?: readonly string[]): void {
    this.#epoch++
    if (!userIds) return this.#entries.clear()
    for (const [token, { principal }] of this.#entries)
      if (userIds.includes(principal.user.id)) this.#entries.delete(token)
  }

  /** Disables the cache while `up` is false, because messages about revocations may be missed. */
  setListening(up: boolean): void {
    this.#listening = up
    this.forget()
  }

  use(): { readonly hits: number; readonly misses: number; readonly kept: number } {
    return { hits: this.#hits, misses: this.#misses, kept: this.#entries.size }
  }
}
