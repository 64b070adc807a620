import type { Readable } from 'node:stream'

/** Where the bytes of files are. Keys are `<owner id>/<attachment id>`. */
export interface Storage {
  /** Takes over a finished file of this machine; the key has all of it or does not exist, whatever happens. */
  put(key: string, path: string, size: number): Promise<void>
  /** Null when there is no such key. */
  get(key: string): Promise<Readable | null>
  /** Keys that do not exist are no error. */
  delete(keys: readonly string[]): Promise<void>
  /** Keys in ascending order, from the one after `after`. */
  list(after: string | null, limit: number): Promise<readonly string[]>
}

/** The storage failed. The host logs the cause and answers `unavailable`, because of `retryable`. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
  readonly retryable = true
  constructor(cause: unknown) {
    super('the file storage failed', { cause })
  }
}
