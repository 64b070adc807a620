import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testHost, type TestHostOptions } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { eventually } from '../../eventually.ts'
import { ITEMS, SECRET } from './stuck.ts'

forEachEngine('an import whose process is killed within a set', engine => {
  test('continues within seconds of a restart, and imports nothing twice', async t => {
    let database: TestHostOptions['database']
    let where: Record<string, string>
    let folder: string | undefined
    if (engine === 'postgres') {
      const first = await testHost(t, { engine })
      database = first.databaseOptions
      await first.close()
      assert.ok(database.engine === 'postgres')
      where = { DATABASE_URL: database.url }
    } else {
      folder = await mkdtemp(join(tmpdir(), 'tasuki-killed-import-'))
      where = { DATABASE_FOLDER: join(folder, 'db') }
      database = { engine, dataDir: join(folder, 'db') }
    }
    const child = spawn(
      process.execPath,
      ['--conditions=tasuki-source', join(import.meta.dirname, 'stuck-instance.ts')],
      { env: { ...process.env, ...where }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    t.after(() => child.kill('SIGKILL'))
    const [said] = await once(child.stdout, 'data')
    const id = String(said).trim().split('/').at(-1)!
    child.kill('SIGKILL')
    await once(child, 'exit')

    const host = await testHost(t, { database, secret: SECRET })
    // After the host has closed, which still writes to it: hooks run in the order in which they are added.
    if (folder !== undefined) t.after(() => rm(folder, { recursive: true, force: true }))
    const read = async () => {
      const [row] = await host.sql<{ state: string; from: number; created: number; known: number; items: number }>`
        select u.state, (u.position ->> 'from')::int as from, (u.position ->> 'created')::int as created,
          (u.position ->> 'known')::int as known, (select count(*)::int from items.items) as items
        from transfer.uploads u where u.id = ${id}`
      return row!
    }
    assert.deepEqual(await read(), { state: 'running', from: 500, created: 500, known: 0, items: 500 })
    await host.queue.start(host.runner)
    await eventually(async () => assert.equal((await read()).state, 'done'))
    assert.deepEqual(await read(), { state: 'done', from: ITEMS, created: ITEMS, known: 0, items: ITEMS })
    const [{ doubled } = { doubled: -1 }] = await host.sql<{ doubled: number }>`
      select count(*)::int as doubled from (select from items.items group by title having count(*) > 1) d`
    assert.equal(doubled, 0)
    const chunks = await host.sql`select from transfer.chunks`
    assert.equal(chunks.length, 0)
  })
})
