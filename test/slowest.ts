import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Set by `npm test -- --slowest`: test processes write the duration of each test file to this file. */
export const TIMES = 'TEST_TIMES'
const SHOWN = 20

interface Taken {
  readonly file: string
  /** CPU time of the process and its ended children, over all threads. */
  readonly cpuSeconds: number
  readonly seconds: number
}

/** Runs the tests of a file and records their duration, if requested. */
export async function measured(file: string, suite: () => Promise<unknown>): Promise<void> {
  const times = process.env[TIMES]
  const [cpu, began] = [cpuSeconds(), performance.now()]
  await suite()
  const taken: Taken = { file, cpuSeconds: cpuSeconds() - cpu, seconds: (performance.now() - began) / 1000 }
  if (times) appendFileSync(times, `${JSON.stringify(taken)}\n`)
}

/** Formats a table of the files with the most processor time, which depends less on the load of the machine than elapsed time. */
export function slowest(times: string): string {
  if (!existsSync(times)) return 'a single file is not measured'
  const all = readFileSync(times, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Taken)
  const total = all.reduce((sum, { cpuSeconds: seconds }) => sum + seconds, 0)
  const rows = all
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
    .slice(0, SHOWN)
    .map(each => `${column(each.cpuSeconds)}${column(each.seconds)}  ${relative(process.cwd(), each.file)}`)
  return [`${all.length} files took ${total.toFixed(0)} s of CPU`, '     CPU    time', ...rows].join('\n')
}

const column = (seconds: number): string => `${seconds.toFixed(1)} s`.padStart(8)

/** Returns the CPU time of this process and, on Linux, of its ended children. */
function cpuSeconds(): number {
  if (process.platform !== 'linux') return (process.cpuUsage().user + process.cpuUsage().system) / 1e6
  // Fields 14 to 17 of proc(5) in ticks of 10 ms, counted after the name, which may contain spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}
