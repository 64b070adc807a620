import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join, relative } from 'node:path'

// Loaded into a process before the service (`--import`), on every thread. Maintains a copy of the data folder with only the flushed data,
// like a disk after a power cut. Flushing a file saves its bytes and its name; flushing a folder removes deleted names. All data that was
// written but not flushed is lost, which is stricter than real disks.
const folder = process.env['POWER_FOLDER']!
const survives = process.env['POWER_SURVIVES']!

const { fsyncSync } = fs
fs.fsyncSync = fd => {
  fsyncSync(fd)
  keep(fs.readlinkSync(`/proc/self/fd/${fd}`))
}
const { open } = fs.promises
fs.promises.open = async (...args) => {
  const handle = await open(...args)
  const sync = handle.sync.bind(handle)
  const path = fs.readlinkSync(`/proc/self/fd/${handle.fd}`)
  handle.sync = async () => {
    await sync()
    keep(path)
  }
  return handle
}
syncBuiltinESMExports()

function keep(path: string): void {
  const place = relative(folder, path)
  if (place.startsWith('..') || path.endsWith(' (deleted)')) return
  const copy = join(survives, place)
  if (fs.statSync(path).isDirectory()) return keepNames(path, copy)
  fs.mkdirSync(dirname(copy), { recursive: true })
  const bytes = fs.readFileSync(path)
  // Overwrites in place, so that earlier flushed bytes remain during the copy.
  const file = fs.openSync(copy, fs.constants.O_CREAT | fs.constants.O_RDWR, 0o600)
  fs.writeSync(file, bytes, 0, bytes.length, 0)
  fs.ftruncateSync(file, bytes.length)
  fs.closeSync(file)
}

function keepNames(path: string, copy: string): void {
  fs.mkdirSync(copy, { recursive: true })
  const there = new Set(fs.readdirSync(path))
  for (const name of fs.readdirSync(copy))
    if (!there.has(name)) fs.rmSync(join(copy, name), { recursive: true, force: true })
  // Folders are created with their parent; the content of a file is copied only when the file is flushed.
  for (const entry of fs.readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) fs.mkdirSync(join(copy, entry.name), { recursive: true })
}
