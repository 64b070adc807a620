/**
 * Cancellation state of a request. A class, because one is created per request and object literals with getters are slow to create.
 * The AbortSignal is created on first access.
 */
export class Cancellation {
  #controller: AbortController | undefined
  #reason: string | undefined

  get cancelled(): boolean {
    return this.#reason !== undefined
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined && !this.#controller.signal.aborted) this.#controller.abort(new Error(this.#reason))
    return this.#controller.signal
  }

  cancel(reason: string): void {
    this.#reason ??= reason
    this.#controller?.abort(new Error(reason))
  }
}
