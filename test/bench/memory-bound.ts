import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const V1 = '/sys/fs/cgroup/memory'
const V2 = '/sys/fs/cgroup'

/** A group of processes with a common memory limit; the kernel kills processes that exceed it. */
export interface MemoryBound {
  /** The mechanism that enforces the limit. */
  readonly kind: string
  /** A process joins by writing its id to this file. */
  readonly join: string
  /** Returns the memory of the processes in megabytes, without pages of files. */
  anonymous(): number
  /** Returns the peak memory of the group in megabytes. It includes the page cache, which the kernel reclaims when needed. */
  peak(): number
  /** Returns the number of killed processes. */
  kills(): number
  remove(): void
}

/** Creates a control group with a memory limit, like a container's. @returns null if the current user has no right to create one */
export function memoryBound(megabytes: number): MemoryBound | null {
  const name = `tasuki-${process.pid}-${Date.now()}`
  const bytes = String(megabytes * 1024 * 1024)
  for (const { kind, root, limits, peak, events, anonymous } of [
    {
      kind: 'control group v1',
      root: V1,
      limits: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
      peak: 'memory.max_usage_in_bytes',
      events: 'memory.oom_control',
      anonymous: /^rss (\d+)$/m,
    },
    {
      kind: 'control group v2',
      root: V2,
      limits: ['memory.max'],
      peak: 'memory.peak',
      events: 'memory.events',
      anonymous: /^anon (\d+)$/m,
    },
  ]) {
    const folder = join(root, name)
    try {
      mkdirSync(folder)
    } catch {
      continue
    }
    const remove = (): void => rmdirSync(folder)
    try {
      for (const limit of limits) writeFileSync(join(folder, limit), bytes)
      const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
      read(peak)
      return {
        kind,
        join: join(folder, 'cgroup.procs'),
        anonymous: () => Number(anonymous.exec(read('memory.stat'))?.[1]) / 1024 / 1024,
        peak: () => Number(read(peak)) / 1024 / 1024,
        kills: () => Number(/^oom_kill (\d+)$/m.exec(read(events))?.[1] ?? 0),
        remove,
      }
    } catch {
      remove()
    }
  }
  return null
}
