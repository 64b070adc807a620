import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const V1 = '/sys/fs/cgroup/memory'
const V2 = '/sys/fs/cgroup'

/** A group of processes that together get no more memory than so much; what needs more is killed. */
export interface MemoryBound {
  /** How it is enforced. */
  readonly kind: string
  /** File to which a process writes its id to join. */
  readonly join: string
  /** Most that the group held at once, in megabytes; pages of files are part of it and go when they are needed. */
  peak(): number
  /** How many processes were killed. */
  kills(): number
  remove(): void
}

/** Makes a control group with a limit, as containers have; null where this user may not. */
export function memoryBound(megabytes: number): MemoryBound | null {
  const name = `tasuki-${process.pid}-${Date.now()}`
  const bytes = String(megabytes * 1024 * 1024)
  for (const { kind, root, limits, peak, events } of [
    {
      kind: 'control group v1',
      root: V1,
      limits: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
      peak: 'memory.max_usage_in_bytes',
      events: 'memory.oom_control',
    },
    { kind: 'control group v2', root: V2, limits: ['memory.max'], peak: 'memory.peak', events: 'memory.events' },
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
