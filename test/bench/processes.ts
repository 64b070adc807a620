import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BareOptions } from './bare.ts'
import type { MemoryBound } from './memory-bound.ts'

const ROOT = join(import.meta.dirname, '../..')
const FLAGS = ['--conditions=tasuki-source']
const TASUKI = 'core/cli/tasuki.js'

export type Env = Readonly<Record<string, string>>

/** A server under measurement. */
export interface Server {
  /** Origin, without a path. */
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts the service as an operator does, from this checkout or another one. */
export async function startService(
  env: Env,
  root = ROOT,
  bound: Pick<MemoryBound, 'join'> | null = null,
): Promise<Server> {
  const port = await freePort()
  const [file, args] = within(bound, [process.execPath, join(root, TASUKI)])
  const child = spawn(file, args, {
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

/** Returns the program and its arguments. With a bound, a shell joins the group before it executes the program. */
function within(bound: Pick<MemoryBound, 'join'> | null, program: readonly string[]): [string, readonly string[]] {
  const [file, ...args] = bound ? ['sh', '-c', 'echo $$ > "$0" && exec "$@"', bound.join, ...program] : program
  return [file!, args]
}

/** A command that has run. */
export interface Run {
  readonly seconds: number
  /** Peak memory in megabytes. */
  readonly peak: number
  /** The same without pages of files, such as those of Node, which a service beside the command shares. */
  readonly ownPeak: number
}

/** Runs a command of this checkout in a process of its own. @throws if it fails */
export async function runTasuki(
  env: Env,
  args: readonly string[],
  bound: Pick<MemoryBound, 'join'> | null = null,
): Promise<Run> {
  const began = performance.now()
  const [file, all] = within(bound, [process.execPath, join(ROOT, TASUKI), ...args])
  const child = spawn(file, all, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  })
  let [peak, ownPeak] = [0, 0]
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, peakMegabytes(child.pid!) || 0)
      ownPeak = Math.max(ownPeak, statusMegabytes(child.pid!, 'RssAnon') || 0)
    } catch {
      // The process has ended.
    }
  }, 20)
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  clearInterval(timer)
  if (code !== 0) throw new Error(`tasuki ${args[0]} ended with ${code ?? signal}`)
  return { seconds: (performance.now() - began) / 1000, peak, ownPeak }
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
  return statusMegabytes(pid, 'VmHWM')
}

/** Reads the resident pages of files of a process in megabytes. */
export function filePagesOf(pid: number): number {
  return statusMegabytes(pid, 'RssFile')
}

function statusMegabytes(pid: number, field: string): number {
  if (process.platform !== 'linux') return Number.NaN
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Sets the peak of a process to its present memory, if the system allows it. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // The peak since the start remains, which is an upper bound.
  }
}
