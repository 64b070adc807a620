import { after } from 'node:test'

type Cleanup = () => Promise<void> | void

/** The test context of `testHost` for a whole suite; call it while the suite is defined. Cleans up in reverse order. */
export function suiteScope(): { after(work: Cleanup): void } {
  const cleanups: Cleanup[] = []
  after(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  })
  return { after: work => void cleanups.push(work) }
}
