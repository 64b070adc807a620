import { setTimeout as sleep } from 'node:timers/promises'

const MAX_WAIT_MS = 15_000

/** Waits until the check passes. @throws the last failure of the check at the timeout */
export async function eventually(check: () => Promise<void> | void): Promise<void> {
  for (const deadline = Date.now() + MAX_WAIT_MS; ; await sleep(100)) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
