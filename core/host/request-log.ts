import { LogController, type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'

/** Ids of requests: callers report them, so each must be the only one in the logs of all instances. */
export function requestIds(): () => string {
  const instance = randomBytes(9).toString('base64url')
  let count = 0
  return () => `${instance}-${(++count).toString(36)}`
}

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'
type Line = [data: object | string, message?: string]
interface Parent extends FastifyBaseLogger {
  isLevelEnabled(level: string): boolean
}

/** The logger of one request, made when it has something to say: most requests say nothing, and making one is dear. */
class RequestLogger {
  readonly #parent: Parent
  readonly #bindings: Record<string, unknown>
  #child: FastifyBaseLogger | undefined
  constructor(parent: Parent, bindings: Record<string, unknown>) {
    this.#parent = parent
    this.#bindings = bindings
  }
  get level(): string {
    return this.#parent.level
  }
  fatal(...line: Line): void {
    this.#write('fatal', line)
  }
  error(...line: Line): void {
    this.#write('error', line)
  }
  warn(...line: Line): void {
    this.#write('warn', line)
  }
  info(...line: Line): void {
    this.#write('info', line)
  }
  debug(...line: Line): void {
    this.#write('debug', line)
  }
  trace(...line: Line): void {
    this.#write('trace', line)
  }
  silent(): void {
    // A level at which nothing is written.
  }
  child(bindings: Record<string, unknown>): FastifyBaseLogger {
    return this.#own.child(bindings)
  }
  get #own(): FastifyBaseLogger {
    return (this.#child ??= this.#parent.child(this.#bindings))
  }
  #write(level: Level, [data, message]: Line): void {
    if (!this.#parent.isLevelEnabled(level)) return
    if (typeof data === 'string') this.#own[level](data)
    else this.#own[level](data, message)
  }
}

/** Gives requests a `RequestLogger`, where there is a log at all. */
export function requestLogger(logger: FastifyBaseLogger, bindings: Record<string, unknown>): FastifyBaseLogger {
  return 'isLevelEnabled' in logger
    ? (new RequestLogger(logger as Parent, bindings) as FastifyBaseLogger)
    : logger.child(bindings)
}

/**
 * One line per request, at level debug, or info where it was refused; /metrics counts them all.
 * Fastify's own two lines at level info cost half as much as a whole call.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // The line at the end tells the same and more.
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { log, statusCode } = reply
    const line = { req: request, res: reply, responseTime: reply.elapsedTime }
    if (error) log.error({ ...line, err: error }, 'request errored')
    else if (statusCode >= 400) log.info(line, 'request refused')
    else log.debug(line, 'request completed')
  }
}
