import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type EmscriptenOptions = Parameters<NodeFS['init']>[1]

/** The used part of Emscripten's NODEFS, whose types are not published. */
interface FileStream {
  readonly nfd?: number
  readonly node: object
}
interface Emscripten {
  readonly FS: {
    readonly ErrnoError: new (errno: number) => Error
    readonly filesystems: {
      readonly NODEFS: {
        realPath(node: object): string
        readonly node_ops: { mknod: (parent: object, name: string, mode: number, device: number) => object }
        readonly stream_ops: { fsync?: (stream: FileStream) => number }
      }
    }
  }
}

const EIO = 29

const OTHERS_MODE = 0o077

/**
 * PGlite's folder on disk, private to its owner and with an fsync that reaches the disk. PostgreSQL relies on umask for the first, which
 * Emscripten ignores, and Emscripten's own fsync reports success without doing anything.
 */
export class DurableNodeFS extends NodeFS {
  override async init(pg: PGlite, options: EmscriptenOptions): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const before = (module: unknown): void => prepare(module as Emscripten)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), before] } }
  }
}

function prepare({ FS }: Emscripten): void {
  const { realPath, node_ops: operations, stream_ops: streams } = FS.filesystems.NODEFS
  const { mknod } = operations
  operations.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~OTHERS_MODE, device)
  streams.fsync = stream => {
    try {
      if (stream.nfd === undefined) syncDirectory(realPath(stream.node))
      else fsyncSync(stream.nfd)
      return 0
    } catch {
      throw new FS.ErrnoError(EIO)
    }
  }
}

/** Flushes a folder, so that the names in it survive a crash. No-op on Windows, which neither supports nor needs it. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Flushes a folder and everything below it. The files of a folder are flushed concurrently, as most time is waiting for the disk. */
export async function syncTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true })
  const [folders, files] = [entries.filter(entry => entry.isDirectory()), entries.filter(entry => !entry.isDirectory())]
  await Promise.all(files.map(({ name }) => syncFile(join(path, name))))
  for (const { name } of folders) await syncTree(join(path, name))
  syncDirectory(path)
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}
