import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryBound } from '../bench/memory-bound.ts'
import { callerOf, memoryEnvironment, write } from '../bench/memory.ts'
import { peakMegabytes, startService } from '../bench/processes.ts'

/** Memory in megabytes that README.md requires. */
const NEEDED = 512
/** Without a limit Node collects garbage later, and parallel load changes the peak by about 40 MB. */
const MAX_UNBOUND = 560

test(
  'a first start on the embedded database and 200 writes need 512 MB',
  { skip: process.platform !== 'linux' && 'only Linux reports the peak' },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-memory-'))
    const bound = memoryBound(NEEDED)
    t.after(() => {
      bound?.remove()
      rmSync(folder, { recursive: true, force: true })
    })
    const server = await startService(memoryEnvironment(folder), undefined, bound)
    try {
      await write(callerOf(server), { created: 150, changed: 50 })
      const peak = peakMegabytes(server.pid)
      t.diagnostic(`${Math.round(peak)} MB, ${bound ? `bound by a ${bound.kind} of ${NEEDED} MB` : 'not bound'}`)
      assert.ok(peak < (bound ? NEEDED : MAX_UNBOUND), `${Math.round(peak)} MB`)
      if (bound) assert.equal(bound.kills(), 0)
    } finally {
      await server.stop()
    }
  },
)
