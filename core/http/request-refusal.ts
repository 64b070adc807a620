import type { ErrorCode } from '../plugin/errors.ts'

/** A request that is rejected before it reaches its route; each kind of endpoint formats the response. */
export class RequestRefusal extends Error {
  override readonly name = 'RequestRefusal'
  readonly statusCode: number
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>
  constructor(statusCode: number, code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.statusCode = statusCode
    this.code = code
    this.headers = headers
  }
}
