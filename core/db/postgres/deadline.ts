/**
 * How long the connections to one database wait for an answer, and which of them are to be trusted.
 *
 * The server cancels statements by itself, but only a server that can be reached: after a failover the old one may never say anything
 * again, not even that the connection has ended, and TCP alone gives up after a quarter of an hour.
 */
export class Deadline {
  readonly #ms: number
  #unlimited = 0
  #silences = 0
  /** @param ms milliseconds without an answer after which a connection is given up */
  constructor(ms: number) {
    this.#ms = ms
  }
  get ms(): number {
    return this.#ms
  }
  get lifted(): boolean {
    return this.#unlimited > 0
  }
  /** How many connections have fallen silent; one that has not answered since the last time may have lost its server as well. */
  get silences(): number {
    return this.#silences
  }
  noteSilence(): void {
    this.#silences++
  }
  /** Lifts the limit while `work` runs: for migrations. */
  async lift<T>(work: () => Promise<T>): Promise<T> {
    this.#unlimited++
    try {
      return await work()
    } finally {
      this.#unlimited--
    }
  }
}
