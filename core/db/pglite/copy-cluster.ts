import { constants } from 'node:fs'
import { cp, rm, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { syncTree } from './durable-fs.ts'

/** Files of a temporary table, such as `t3_16384` and `t3_16384_fsm.1`. */
export const TEMPORARY = /^t\d+_\d+(_\w+)?(\.\d+)?$/

/** Path of the folder that a restore or a copy fills before it gets its name. */
export function draftPath(folder: string): string {
  return `${folder}.loading`
}

/** A file that was written so shortly before it was looked at may change again without another time of change. */
const CLOCK_MS = 2000

/**
 * Copies the folder of a running cluster. Most files are copied while others use it; then those that changed are copied once more.
 * @param hold runs work after a checkpoint, while nobody uses the cluster
 */
export async function copyCluster(
  from: string,
  to: string,
  hold: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const settled = new Map<string, string>()
  const copied = new Set<string>()
  const copyChanged = async (): Promise<ReadonlySet<string>> => {
    const present = new Set<string>()
    const filter = async (path: string): Promise<boolean> => {
      if (TEMPORARY.test(basename(path))) return false
      const file = await stat(path, { bigint: true })
      const [before, state] = [settled.get(path), `${file.mtimeNs} ${file.size}`]
      if (Date.now() - Number(file.mtimeMs) > CLOCK_MS) settled.set(path, state)
      present.add(path)
      copied.add(path)
      return file.isDirectory() || before !== state
    }
    await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE, filter })
    return present
  }
  // A file may go meanwhile. What was then not copied is copied with those that changed.
  await copyChanged().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await hold(async () => {
    const present = await copyChanged()
    for (const path of copied) if (!present.has(path)) await rm(join(to, relative(from, path)), { force: true })
  })
  await syncTree(to)
}
