import { after } from 'node:test'

type Cleanup = () => Promise<void> | void

/** Makes a test context for `testHost` that lasts for a whole suite. Call it while the suite is defined. It cleans up in reverse order. */
export function suiteScope(): { after(work: Cleanup): void } {
  const cleanups: Cleanup[] = []
  after(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  })
  return { after: work => void cleanups.push(work) }
}
