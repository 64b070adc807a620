import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const TOKEN = `svc_pat_${'0123456789'.repeat(4)}`
const ROOT = join(import.meta.dirname, '../..')

/** Answer to a call: its data, or the error of the tool; null if no answer came. */
export interface Answer {
  readonly ok: boolean
  readonly code: string | null
  readonly retryable: boolean
  readonly data: Readonly<Record<string, unknown>>
}

/** The service in a separate process that tests can stop in different ways. */
export interface Instance {
  readonly origin: string
  readonly pid: number
  call(tool: string, args: object, key?: string): Promise<Answer | null>
  signal(signal: NodeJS.Signals): void
  /** Kills the process. */
  kill(): Promise<void>
  /** Stops the process gracefully. */
  stop(): Promise<void>
  /** Lines of the log so far; with `log` only. */
  readonly lines: readonly string[]
}

export interface InstanceOptions {
  /** Folder of the program; default: this checkout. */
  readonly root?: string
  readonly dataDir: string
  readonly databaseUrl?: string
  readonly configFile?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether to keep the log lines. */
  readonly log?: boolean
  /** Another machine for the process: the prefix of its command, and its address. */
  readonly machine?: { readonly command: readonly string[]; readonly address: string }
}

/** Starts the service and waits until it is ready. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { root = ROOT, dataDir, databaseUrl, configFile, log = false, machine } = options
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    ...(machine && { HOST: '0.0.0.0', BASE_URL: `http://${machine.address}:${port}` }),
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    SECRET_KEY: 'of all instances of this deployment',
    LOG_LEVEL: log ? 'info' : (process.env['TEST_LOG'] ?? 'silent'),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...(configFile !== undefined && { CONFIG: configFile }),
    ...options.env,
  }
  const words = [...(machine?.command ?? []), process.execPath, join(root, 'core/cli/tasuki.js')]
  const child: ChildProcess = spawn(words[0]!, words.slice(1), {
    env,
    stdio: ['ignore', log ? 'pipe' : 'ignore', log ? 'pipe' : 'inherit'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => void lines.push(...text.split('\n').filter(Boolean)))
  const ended = once(child, 'exit')
  const origin = `http://${machine?.address ?? 'localhost'}:${port}`
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${lines.join('\n')}`)
    await sleep(50)
  }
  return {
    origin,
    pid: child.pid!,
    call: (tool, args, key) => call(origin, tool, args, key),
    signal: signal => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
    lines,
  }
}

async function call(origin: string, name: string, args: object, key: string | undefined): Promise<Answer | null> {
  try {
    const response = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      signal: AbortSignal.timeout(60_000),
    })
    const { result } = (await response.json()) as { result?: { isError?: boolean; content: { text: string }[] } }
    if (!result) return { ok: false, code: `http_${response.status}`, retryable: true, data: {} }
    const data = JSON.parse(result.content[0]!.text) as Answer['data'] & {
      readonly error?: { readonly code: string; readonly retryable: boolean }
    }
    return { ok: !result.isError, code: data.error?.code ?? null, retryable: data.error?.retryable ?? false, data }
  } catch {
    return null
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
