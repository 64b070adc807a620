import type { Readable } from 'node:stream'

/** The storage of file bytes. Keys are `<owner id>/<attachment id>`. */
export interface Storage {
  /** Takes over a finished local file. Atomic: the key has the whole file or does not exist. */
  put(key: string, path: string, size: number): Promise<void>
  /** Creates a key from bytes in memory, as one of many; returns false and does nothing if the key exists. */
  create(key: string, bytes: Uint8Array): Promise<boolean>
  /** Called after the last `create`; when it resolves, all created files survive a power failure. */
  settle(): Promise<void>
  has(key: string): Promise<boolean>
  /** Null for an unknown key. */
  get(key: string): Promise<Readable | null>
  /** Reads a small file as a whole. */
  bytes(key: string): Promise<Uint8Array | null>
  /** Ignores unknown keys. */
  delete(keys: readonly string[]): Promise<void>
  /** Lists keys in ascending order, starting after `after`. */
  list(after: string | null, limit: number): Promise<readonly string[]>
}

/** A storage error. The host logs the cause and responds with `unavailable`, because of `retryable`. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
  readonly retryable = true
  constructor(cause: unknown) {
    super('the file storage failed', { cause })
  }
}
