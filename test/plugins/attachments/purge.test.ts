import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inProcess } from '../../core/in-process.ts'
import { migratedDatabase } from '../../core/migrated-folder.ts'
import { httpCaller } from '../../http-caller.ts'
import { serve, shownToken, TASUKI, type Ended } from '../../processes.ts'
import { startObjectStore, type ObjectStore } from './object-store.ts'
import { forEachStore } from './setup.ts'

const SOMEBODY_ELSE = '01890000-0000-7000-8000-000000000000/01890000-0000-7000-8000-000000000001'

forEachStore('the purge of attachments', (engine, store) => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-purge-'))
  const files = join(folder, 'data', 'attachments', 'files')
  const env: Record<string, string> = { DATA_DIR: join(folder, 'data') }
  let objects: ObjectStore | null = null
  let dropDatabase: (() => Promise<void>) | undefined
  before(async () => {
    if (store === 's3') objects = await startObjectStore()
    dropDatabase = await migratedDatabase(engine, env)
  })
  after(async () => {
    await objects?.close()
    await dropDatabase?.()
    rmSync(folder, { recursive: true, force: true })
  })
  const configured = (attachments: object | false): Record<string, string> => {
    const CONFIG = join(folder, attachments ? 'on.json' : 'off.json')
    writeFileSync(CONFIG, JSON.stringify({ plugins: { attachments } }))
    return { ...env, CONFIG }
  }
  const tasuki = (...args: string[]): Promise<Ended> => inProcess(args, configured(false))
  const purge = (...args: string[]) =>
    tasuki('purge', 'attachments', ...args, ...(objects ? ['--settings', JSON.stringify(objects.settings)] : []))
  const kept = async (): Promise<string[]> =>
    objects
      ? objects.keys()
      : existsSync(files)
        ? readdirSync(files).flatMap(owner => readdirSync(join(files, owner)).map(name => `${owner}/${name}`))
        : []

  test('deletes files and tables, but no files of other deployments', async () => {
    const server = await serve(TASUKI, { cwd: folder, env: configured(objects?.settings ?? {}) })
    try {
      const { call } = httpCaller(server.origin, shownToken(server))
      const { item } = await call('items_create', { project_key: 'INBOX', title: 'x' })
      for (const filename of ['a.txt', 'b.txt'])
        await call('attachments_upload', {
          parent_kind: 'item',
          parent_ref: item.ref,
          filename,
          mime_type: 'text/plain',
          content_base64: 'YQ==',
        })
    } finally {
      await server.stop()
    }
    if (!objects) {
      mkdirSync(join(files, SOMEBODY_ELSE.split('/')[0]!))
      writeFileSync(join(files, SOMEBODY_ELSE), 'not ours')
    }
    const foreign = objects ? [] : [SOMEBODY_ELSE]
    assert.equal((await kept()).length, 2 + foreign.length)
    // On PostgreSQL a plugin counts as off once a writing process has started without it.
    if (engine === 'postgres') await tasuki('token', 'revoke', '00000000-0000-4000-8000-000000000000')

    const look = await purge()
    assert.equal(look.code, 0, look.stderr)
    assert.match(look.stdout, /^attachments\.attachments +2$/m)
    assert.match(look.stdout, objects ? /and 2 files in bucket attachments under / : /and 2 files in .*attachments$/m)
    if (objects) {
      const blind = await tasuki('purge', 'attachments', '--yes')
      assert.equal(blind.code, 1)
      assert.match(blind.stderr, /attachments has files, but none are in .*--settings/)
    }
    assert.equal((await kept()).length, 2 + foreign.length)

    const left = (await kept()).filter(key => !foreign.includes(key))
    const done = await purge('--yes')
    assert.equal(done.code, 0, done.stderr)
    assert.match(done.stdout, /Deleted attachments\..*\nDeleted 2 files in /)
    assert.deepEqual(await kept(), foreign)
    // Skipped for buckets, because each case opens the embedded engine, which takes long.
    if (objects) return

    assert.match((await purge('--yes')).stderr, /attachments has no data here/)
    // The state after a first run was killed once it had dropped the tables.
    mkdirSync(join(files, left[0]!.split('/')[0]!), { recursive: true })
    writeFileSync(join(files, left[0]!), 'a')
    assert.match(
      (await purge('--yes')).stdout,
      /attachments has no tables any more, but 1 file in [^]*Deleted 1 file in /,
    )
    assert.deepEqual(await kept(), foreign)
  })
})
