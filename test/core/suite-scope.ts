import { after } from 'node:test'

type Cleanup = () => Promise<void> | void

/** What `testHost` takes for a test, for a whole suite; call it while the suite is being defined. Cleans up last first. */
export function suiteScope(): { after(work: Cleanup): void } {
  const cleanups: Cleanup[] = []
  after(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  })
  return { after: work => void cleanups.push(work) }
}
