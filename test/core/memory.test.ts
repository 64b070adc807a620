import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { callerOf, memoryEnvironment, write } from '../bench/memory.ts'
import { peakMegabytes, startService } from '../bench/processes.ts'

/** The target is 480; what runs beside it decides how many functions V8 optimizes at a time, which moves the peak by some 40. */
const MOST_MEGABYTES = 560

test(
  'a first start on the embedded database and 200 writes need less than 560 MB',
  { skip: process.platform !== 'linux' && 'only Linux tells the peak' },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-memory-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const server = await startService(memoryEnvironment(folder))
    try {
      await write(callerOf(server), { created: 150, changed: 50 })
      const peak = peakMegabytes(server.pid)
      t.diagnostic(`${Math.round(peak)} MB`)
      assert.ok(peak < MOST_MEGABYTES, `${Math.round(peak)} MB`)
    } finally {
      await server.stop()
    }
  },
)
