import { access, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageFailure, type Storage } from './storage.ts'

/** Stores files in a local folder, with one subfolder per owner. */
export function localStorage(folder: string): Storage {
  const pathOf = (key: string): string => join(folder, key)
  /** Folders created by `create`, to be synced to disk by `settle`. */
  const created = new Map<string, Promise<unknown>>()
  const makeFolder = async (path: string): Promise<void> => {
    const making = created.get(path) ?? mkdir(path, { recursive: true, mode: 0o700 })
    created.set(path, making)
    await making
  }
  return {
    async put(key, path) {
      const target = pathOf(key)
      try {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await rename(path, target)
        await syncFolder(dirname(target))
      } catch (error) {
        throw new StorageFailure(error)
      }
    },
    async create(key, bytes) {
      const path = pathOf(key)
      try {
        await makeFolder(dirname(path))
        const file = await open(path, 'wx', 0o600).catch(ignoreExisting)
        if (file === null) return false
        try {
          await file.writeFile(bytes)
          await file.sync()
        } catch (error) {
          await rm(path, { force: true })
          throw error
        } finally {
          await file.close()
        }
        return true
      } catch (error) {
        throw new StorageFailure(error)
      }
    },
    async settle() {
      for (const path of [...created.keys(), ...(created.size > 0 ? [folder] : [])]) await syncFolder(path)
      created.clear()
    },
    has: key =>
      access(pathOf(key)).then(
        () => true,
        () => false,
      ),
    bytes: key => readFile(pathOf(key)).catch(ignoreMissing),
    async get(key) {
      const file = await open(pathOf(key)).catch(ignoreMissing)
      return file?.createReadStream() ?? null
    },
    async delete(keys) {
      await Promise.all(keys.map(key => rm(pathOf(key), { force: true })))
    },
    async list(after, limit) {
      const found: string[] = []
      for (const owner of await listNames(folder)) {
        if (after !== null && owner < after.split('/', 1)[0]!) continue
        for (const id of await listNames(join(folder, owner))) {
          const key = `${owner}/${id}`
          if (after !== null && key <= after) continue
          found.push(key)
          if (found.length === limit) return found
        }
      }
      return found
    },
  }
}

async function listNames(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(ignoreMissing)) ?? []).sort()
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

function ignoreExisting(error: NodeJS.ErrnoException): null {
  if (error.code === 'EEXIST') return null
  throw error
}

/** A directory entry survives a power failure only after an fsync of the folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder)
  await handle.sync()
}
