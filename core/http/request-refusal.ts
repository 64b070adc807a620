import type { ErrorCode } from '../plugin/errors.ts'

/** A request that is refused before its route sees it; each kind of endpoint answers it in its own shape. */
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
