import type { Readable } from 'node:stream'

/** Where the bytes of files are. Keys are `<owner id>/<attachment id>`. */
export interface Storage {
  /** Takes over a finished file of this machine; the key has all of it or does not exist, whatever happens. */
  put(key: string, path: string, size: number): Promise<void>
  /** Makes a key of bytes that are at hand, for many in a row; false, and nothing is done, where it is there already. */
  create(key: string, bytes: Uint8Array): Promise<boolean>
  /** After the last `create`: from here on all of them outlast a power cut. */
  settle(): Promise<void>
  has(key: string): Promise<boolean>
  /** Null when there is no such key. */
  get(key: string): Promise<Readable | null>
  /** A small file as a whole. */
  bytes(key: string): Promise<Uint8Array | null>
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
