import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../plugin/errors.ts'
import type { ExportedFile } from '../plugin/services.ts'
import type { CallScope, Runner } from '../runtime/runner.ts'
import { archiveName, exportRecord, writeFileAtomically, type Archiver, type ExportedUser } from './archiver.ts'
import { HOUR_MS } from '../plugin/durations.ts'

/** Milliseconds in which an export must be read; until then it is on the disk. */
const EXPORT_MS = HOUR_MS

/** Creates the function that exports a user's data to a file, which is deleted after it was sent. One export per user at a time. */
export function createUserExports(dataDir: string, now: () => Date) {
  const folder = join(dataDir, 'exports')
  const underWay = new Set<string>()
  return async (
    { runner, archiver }: { readonly runner: Runner; readonly archiver: Archiver },
    scope: CallScope,
    user: ExportedUser,
  ): Promise<ExportedFile> => {
    if (underWay.has(user.id))
      throw new ToolError('rate_limited', 'Another export of this data is under way.', { hint: 'Wait until it ends.' })
    underWay.add(user.id)
    const path = join(folder, randomUUID())
    const remove = async (): Promise<void> => {
      underWay.delete(user.id)
      await rm(path, { force: true })
    }
    try {
      await removeAbandoned(folder)
      // Written completely before it is sent, because a slow client would keep the snapshot open.
      const summary = await writeFileAtomically(path, target => archiver.exportUser(target, user))
      await runner.write(scope, async ctx => ctx.audit(exportRecord(user, summary)))
      const bytes = createReadStream(path, { signal: AbortSignal.timeout(EXPORT_MS) })
      bytes.once('close', () => void remove())
      return { name: archiveName('tasuki-export', now()), size: summary.size, type: 'application/gzip', bytes }
    } catch (error) {
      await remove()
      throw error
    }
  }
}

/** Deletes exports that a killed process has left. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name)
    const written = await stat(file).catch(() => null)
    if (written && written.mtimeMs < Date.now() - 2 * EXPORT_MS) await rm(file, { force: true })
  }
}
