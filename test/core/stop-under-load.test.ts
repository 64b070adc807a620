import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { forEachEngine } from '../engines.ts'
import { httpCaller } from '../http-caller.ts'
import { serve, TASUKI } from '../processes.ts'
import { migratedDatabase } from './migrated-folder.ts'

const TOKEN = `svc_pat_${'St0pL0ad99'.repeat(4)}`
const SLOW = join(import.meta.dirname, '../fixtures/plugins/slow.ts')
/** What a caller is told without a doubt about whether the call ran. */
const REFUSED = /^(?:503|ECONNREFUSED)$/

forEachEngine('a stop while clients call without pause', engine => {
  test('answers what came before and refuses what comes later', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-stop-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const env: Record<string, string> = { DATA_DIR: join(folder, 'data'), CONFIG: join(folder, 'tasuki.json') }
    writeFileSync(env['CONFIG']!, JSON.stringify({ plugins: { [SLOW]: true } }))
    t.after(await migratedDatabase(engine, env))
    const server = await serve(TASUKI, {
      cwd: folder,
      env: { ...env, BOOTSTRAP_EMAIL: 'o@example.com', BOOTSTRAP_TOKEN: TOKEN },
    })
    const { call } = httpCaller(server.origin, TOKEN)
    let answered = 0
    const callers = Array.from({ length: 6 }, async (_, caller) => {
      await sleep(caller * 30)
      for (;;) {
        await call('slow_wait', { ms: 200 })
        answered++
      }
    })
    const refusals = Promise.all(callers.map(caller => caller.catch((error: unknown) => error)))
    while (answered < callers.length) await sleep(50)
    assert.equal(await server.stop(), 0)
    for (const refusal of await refusals) {
      const { status, cause } = refusal as { status?: number; cause?: { code?: string } }
      assert.match(String(status ?? cause?.code), REFUSED, String(refusal))
    }
    assert.doesNotMatch(server.output.stdout, /their time to end ran out|"level":50/)
  })
})
