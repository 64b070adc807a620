import { join } from 'node:path'
import { memoryBound, type MemoryBound } from './memory-bound.ts'
import { callerOf, memoryEnvironment, read, write } from './memory.ts'
import { peakMegabytes, startService } from './processes.ts'
import type { Figure } from './report.ts'

/** Memory that README.md requires for the service. */
const MEGABYTES = 512
const ITEMS = 10_000

/** Measures a first start, 10,000 items, searches and a restart on the embedded database, in a control group with 512 MB and no swap. */
export async function measureBound(folder: string): Promise<Figure[]> {
  const bound = memoryBound(MEGABYTES)
  console.log(
    bound ? `Bound by a ${bound.kind} of ${MEGABYTES} MB.` : 'Not bound: this user may make no control group.',
  )
  const env = memoryEnvironment(join(folder, 'bound'))
  const peaks: number[] = []
  try {
    const first = await startService(env, undefined, bound)
    peaks.push(peakMegabytes(first.pid))
    const began = performance.now()
    const caller = callerOf(first)
    const refs = await write(caller, { created: ITEMS, changed: 500 })
    const writing = (performance.now() - began) / 1000
    await read(caller, { created: 0, changed: 0, read: 600 }, refs)
    peaks.push(peakMegabytes(first.pid))
    await first.stop()
    const second = await startService(env, undefined, bound)
    await read(callerOf(second), { created: 0, changed: 0, read: 300 }, refs)
    peaks.push(peakMegabytes(second.pid))
    await second.stop()
    return [
      ...['first start', `${ITEMS} items, 600 searches and reads`, 'restart, 300 searches and reads'].map((name, n) =>
        figureOf(`peak memory: ${name}`, 'MB', peaks[n]!, MEGABYTES),
      ),
      figureOf('seconds of writing them', 's', writing, null),
      ...boundFigures(bound),
    ]
  } finally {
    bound?.remove()
  }
}

function boundFigures(bound: MemoryBound | null): Figure[] {
  if (!bound) return []
  return [
    figureOf('killed for memory', '', bound.kills(), 0),
    figureOf('peak of the group, pages of files included', 'MB', bound.peak(), null),
  ]
}

function figureOf(name: string, unit: string, ours: number, atMost: number | null): Figure {
  return { name, unit, ours, theirs: null, ratio: null, target: atMost === null ? null : { atMost } }
}
