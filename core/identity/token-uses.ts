import type { Database } from '../db/database.ts'
import type { Log } from '../plugin/context.ts'
import type { Authenticator } from './authenticator.ts'
import { storeTokenUses } from './token.repository.ts'

const EVERY_MS = 60_000

/** Writes the last use of tokens and connections once a minute, with two statements, so that requests do not wait for it. */
export function flushTokenUses(authenticator: Authenticator, database: Database, log: Log): { stop(): Promise<void> } {
  const writeLogged = (): Promise<void> =>
    writeTokenUses(authenticator, database).catch((error: unknown) =>
      log.warn({ err: error }, 'could not write when tokens were last used'),
    )
  const timer = setInterval(() => void writeLogged(), EVERY_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await writeLogged()
    },
  }
}

/** Writes the uses since the previous call. */
export async function writeTokenUses(
  authenticator: Pick<Authenticator, 'takeUses'>,
  database: Pick<Database, 'write'>,
): Promise<void> {
  const uses = authenticator.takeUses()
  if (uses.size === 0) return
  await storeTokenUses(
    database.write,
    [...uses].map(([id, at]) => ({ id, at })),
  )
}
