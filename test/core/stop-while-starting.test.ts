import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { forEachEngine } from '../engines.ts'
import { serve, TASUKI } from '../processes.ts'
import { migratedDatabase } from './migrated-folder.ts'

const LONG_MIGRATION = join(import.meta.dirname, '../fixtures/plugins/long-migration.ts')

forEachEngine('a stop during a start', engine => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-stop-'))
  const env: Record<string, string> = {
    DATA_DIR: join(folder, 'data'),
    CONFIG: join(folder, 'config.json'),
    // A statement of PostgreSQL outlives its connection, and the next start waits for its end.
    LONG_MIGRATION_SECONDS: '5',
  }
  let dropDatabase: (() => Promise<void>) | undefined
  before(async () => {
    writeFileSync(env['CONFIG']!, JSON.stringify({ plugins: { [LONG_MIGRATION]: {} } }))
    dropDatabase = await migratedDatabase(engine, env)
  })
  after(async () => {
    await dropDatabase?.()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`${signal} during a migration ends the process at once, with 0`, { timeout: 120_000 }, async () => {
      const child = spawn(TASUKI.file, TASUKI.args, {
        cwd: folder,
        env: { PATH: process.env['PATH'], PORT: '0', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let problem = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text))
      const ended = once(child, 'close')
      for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
        if ((text as string).includes('the long migration begins')) break
      child.kill(signal)
      assert.deepEqual(await ended, [0, null])
      assert.equal(problem, 'tasuki: stopped before the start was complete\n')
    })

  test('the next start migrates', async () => {
    const { stop, output } = await serve(TASUKI, { cwd: folder, env: { ...env, LONG_MIGRATION_SECONDS: '0' } })
    assert.match(output.stdout, /"migrated":\["long_migration\/0001_wait"\]/)
    assert.equal(await stop(), 0)
  })
})
