import { pino, stdSerializers, symbols } from 'pino'
import type { PrettyOptions } from 'pino-pretty'
import type { Environment } from './config/environment.ts'

/** Lines are buffered, because a separate write for each would take longer than the rest of logging. */
const BUFFER_LENGTH = 8192
const FLUSH_MS = 50
const WARN = 40
/** Strangers may send paths of 15 kB, which are logged. */
const PATH_LENGTH = 300

/** A log stream that receives the level of each line. */
interface LogStream {
  lastLevel: number
  write(line: string): void
}

/** Creates the log output: readable in a terminal, else JSON. JSON lines are flushed after some milliseconds, warnings at once. */
export async function createLogStream({
  logFormat,
}: Pick<Environment, 'logFormat'>): Promise<{ write(line: string): void }> {
  if (logFormat === 'pretty') return prettyStream()
  const output = pino.destination({ dest: 1, sync: true })
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  // Collected here: the destination's own buffer copies all waiting lines for each line, and its flushSync calls fsync.
  const stream: LogStream = {
    lastLevel: 0,
    write(line) {
      lines += line
      if (stream.lastLevel >= WARN || lines.length >= BUFFER_LENGTH) flush()
      else timer ??= setTimeout(flush, FLUSH_MS)
    },
  }
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (lines !== '') output.write(lines)
    lines = ''
  }
  process.once('exit', flush)
  return Object.assign(stream, { [symbols.needsMetadataGsym]: true })
}

async function prettyStream() {
  const { default: pretty } = await import('pino-pretty')
  const messageFormat: PrettyOptions['messageFormat'] = (line, key) =>
    line['tool'] === undefined
      ? String(line[key])
      : `${String(line['tool'])} ${String(line['outcome'])} ${String(line['ms'])} ms, ${String(line['statements'])} statements`
  return pretty({
    sync: true,
    singleLine: true,
    ignore: 'pid,hostname,tool,outcome,ms,statements',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat,
  })
}

/** Logger options that redact secrets. */
export function loggerOptions({ logLevel }: Pick<Environment, 'logLevel'>) {
  return {
    level: logLevel,
    redact: {
      paths: [
        'req.headers.authorization',
        'req.headers.cookie',
        'headers.authorization',
        'headers.cookie',
        '*.token',
        '*.password',
        '*.secret',
      ],
      censor: '[redacted]',
    },
    serializers: {
      // The database quotes values of rows in these fields. Plugins may throw anything, such as null or a text.
      err: (error: unknown) => {
        const thrown = error instanceof Object ? error : new Error(String(error))
        const { detail: _detail, where: _where, ...rest } = stdSerializers.err(thrown as Error)
        return rest
      },
      // The query may contain one-time secrets, so only the path is logged, and of that what no longer path of the service has.
      req: (request: { method: string; url: string; ip?: string }) => ({
        method: request.method,
        path: request.url.split('?', 1)[0]!.slice(0, PATH_LENGTH),
        ip: request.ip,
      }),
    },
  }
}
