import { mock } from 'node:test'
import { main } from '../../core/cli/main.ts'
import type { Ended } from '../processes.ts'

/**
 * Runs `tasuki …` in this process, because starting a process would take most of the time. Runs one command at a time.
 * @param env all variables that the command sees
 */
export async function inProcess(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const output = { stdout: '', stderr: '' }
  const caught = (['stdout', 'stderr'] as const).map(name => {
    const stream = process[name]
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean
    return mock.method(stream, 'write', (chunk: unknown, ...rest: unknown[]) => {
      // The test runner reports over the same stream, as bytes.
      if (typeof chunk !== 'string') return write(chunk, ...rest)
      output[name] += chunk
      return true
    })
  })
  try {
    // Any port, because doctors of several tests would take each other's.
    const code = await main(args, { PORT: '0', ...env })
    return { code, ...output }
  } finally {
    for (const each of caught) each.mock.restore()
  }
}
