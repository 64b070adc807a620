import { pino, symbols } from 'pino'
import type { PrettyOptions } from 'pino-pretty'
import type { Environment } from './config/environment.ts'

/** Each write of its own would cost more than the rest of the line. */
const BUFFER_BYTES = 8192
const FLUSH_MS = 50
const WARN = 40

/** A stream of lines that is told the level of each. */
interface LogStream {
  lastLevel: number
  write(line: string): void
}

/** Where the log goes: to people in a terminal, else as JSON, together what comes within some milliseconds, warnings at once. */
export async function logStream({ logFormat }: Pick<Environment, 'logFormat'>): Promise<{ write(line: string): void }> {
  if (logFormat === 'pretty') return readable()
  const output = pino.destination({ dest: 1, sync: true, minLength: BUFFER_BYTES })
  let timer: NodeJS.Timeout | undefined
  process.once('exit', () => output.flushSync())
  const stream: LogStream = {
    lastLevel: 0,
    write(line) {
      output.write(line)
      if (stream.lastLevel >= WARN) output.flushSync()
      else timer ??= setTimeout(flush, FLUSH_MS)
    },
  }
  const flush = (): void => {
    timer = undefined
    output.flushSync()
  }
  return Object.assign(stream, { [symbols.needsMetadataGsym]: true })
}

async function readable() {
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
