import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { definePlugin, defineTool } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { loggerOptions } from '../../core/host/log-stream.ts'
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

describe('a faulty tool', () => {
  const thrown = { nothing: null, text: 'out of paper', number: 7n }
  const faulty = (name: string, run: () => Promise<object>) =>
    defineTool({ name, class: 'R', title: name, summary: 'Fails.', input: {}, output: {}, run })
  const plugin = definePlugin({
    name: 'faulty',
    version: '1.0.0',
    api: 1,
    tools: [
      ...Object.entries(thrown).map(([name, value]) => faulty(`faulty_${name}`, () => Promise.reject(value))),
      faulty('faulty_bigint', async () => ({ amount: 1n })),
    ],
  })

  test('is answered as internal whatever it throws or returns, and its name is in the log', async t => {
    const lines: { level: number; call?: string; err?: { message: string } }[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const logger = { ...loggerOptions({ logLevel: 'error' }), stream }
    const host = await testHost(t, { only: [], plugins: [plugin], logger })
    for (const { name } of plugin.spec.tools!) await assert.rejects(host.call(name), { code: 'internal' })
    assert.deepEqual(
      lines.map(({ call, err }) => [call, err?.message]),
      [
        ['faulty_nothing', 'null'],
        ['faulty_text', 'out of paper'],
        ['faulty_number', '7'],
        ['faulty_bigint', 'Do not know how to serialize a BigInt'],
      ],
    )
  })
})
