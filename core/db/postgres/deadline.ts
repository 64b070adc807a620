/**
 * How long the connections to one database wait for an answer, and which connections can be trusted.
 *
 * The server cancels slow statements itself, but only while it is reachable. After a failover the old server may never answer or close
 * the connection, and TCP detects that only after about 15 minutes.
 */
export class Deadline {
  readonly ms: number
  #unlimited = 0
  #timeouts = 0
  /** Variable that names the database. Errors get it, because other servers fail with the same codes. */
  readonly databaseVariable: string
  /** @param ms milliseconds without an answer after which a connection is closed */
  constructor(ms: number, databaseVariable: string) {
    this.ms = ms
    this.databaseVariable = databaseVariable
  }
  get isUnlimited(): boolean {
    return this.#unlimited > 0
  }
  /** Number of connections that timed out. A connection without an answer since the last timeout may be dead as well. */
  get timeouts(): number {
    return this.#timeouts
  }
  recordTimeout(): void {
    this.#timeouts++
  }
  /** Lifts the limit while `work` runs, for migrations. */
  async lift<T>(work: () => Promise<T>): Promise<T> {
    this.#unlimited++
    try {
      return await work()
    } finally {
      this.#unlimited--
    }
  }
}
