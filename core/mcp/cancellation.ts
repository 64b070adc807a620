/**
 * Whether a request was given up. A class, because one is made per request and object literals with getters are slow to make;
 * its AbortSignal is made when somebody asks for it.
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
