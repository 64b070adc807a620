import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BareOptions } from './bare.ts'
import type { MemoryBound } from './memory-bound.ts'

const ROOT = join(import.meta.dirname, '../..')
const FLAGS = ['--conditions=tasuki-source']

/** A server under measurement. */
export interface Server {
  /** Origin, without a path. */
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts the service as an operator does, from this checkout or another one. */
export async function startService(
  env: Readonly<Record<string, string>>,
  root = ROOT,
  bound: Pick<MemoryBound, 'join'> | null = null,
): Promise<Server> {
  const port = await freePort()
  const program = [process.execPath, join(root, 'core/cli/tasuki.js')]
  // The shell joins the group before it executes node.
  const [file, ...args] = bound ? ['sh', '-c', 'echo $$ > "$0" && exec "$@"', bound.join, ...program] : program
  const child = spawn(file!, args, {
    // Log lines are written to /dev/null, so that logging costs the same as in production.
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      HOST: '127.0.0.1',
      PORT: String(port),
      // Another checkout may not know all settings of the file.
      ...(root === ROOT && { CONFIG: join(import.meta.dirname, 'unlimited.json') }),
      ...env,
    },
  })
  const origin = `http://127.0.0.1:${port}`
  await ready(origin, child)
  return { origin, pid: child.pid!, stop: () => stop(child) }
}

export async function startBare(options: BareOptions): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'bare.ts'), { execArgv: FLAGS })
  child.send(options)
  const [port] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the bare server did not start'))),
  ])) as [number]
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => stop(child) }
}

const ROUTE_POLL_MS = 5

/** Waits until /readyz answers 200. */
async function ready(origin: string, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(ROUTE_POLL_MS)) {
    if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode}`)
    const answer = await fetch(`${origin}/readyz`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return
    if (Date.now() > deadline) throw new Error('the service was not ready after a minute')
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Reads the CPU seconds of all threads of a process. @returns null if the system does not report them */
export function cpuSeconds(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    // `schedstat` counts nanoseconds; `stat` counts only hundredths of a second.
    const used = threads.map(thread =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]),
    )
    return used.reduce((sum, each) => sum + each, 0) / 1e9
  } catch {
    return null
  }
}

/** Reads the peak memory of a process in megabytes, Linux's high-water mark. @returns NaN on other systems */
export function peakMegabytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
