import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { httpCaller } from '../http-caller.ts'
import { serve, shownToken, TASUKI } from '../processes.ts'

const HASTY = join(import.meta.dirname, '../fixtures/plugins/hasty.ts')

test('a statement that fails and that a plugin does not await is logged, and the service serves on', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-hasty-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'tasuki.json'), JSON.stringify({ plugins: { [HASTY]: {} } }))
  const env = { CONFIG: join(folder, 'tasuki.json'), DATA_DIR: join(folder, 'data'), LOG_FORMAT: 'json' }
  const serving = await serve(TASUKI, { cwd: folder, env })
  t.after(() => serving.stop())
  const { call } = httpCaller(serving.origin, shownToken(serving))
  assert.deepEqual(await call('hasty_count'), { ok: true })
  await eventually(() => assert.match(serving.output.stdout, /"level":50.*hasty\.missing.*nobody awaits/))
  assert.ok(await call('items_create', { project_key: 'INBOX', title: 'Buy milk' }))
  assert.equal(await serving.stop(), 0)
})
