import assert from 'node:assert/strict'
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileOfEntry, tableOfPart } from '../../../core/archive/format.ts'
import { readArchive, textOf } from '../../../core/archive/read.ts'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { portalHost } from '../portal/portal-host.ts'

interface Row {
  readonly owner_id: string
  readonly filename?: string
  readonly bytes?: string
}

forEachEngine('a file that waits for its import', engine => {
  const portal = portalHost(engine)

  test('is in the export of its user alone, and goes with the user or the owner of its project', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-waiting-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const { host } = portal
    const [ann, ben] = [await portal.newUser(), await portal.newUser()]
    await host.command('project create', { key: 'SHOP', name: 'Shop', user: ann.email })
    const owner = await portal.signedIn(ann.email)
    await owner.get('/projects/SHOP/members')
    await owner.send('/projects/SHOP/members', { email: ben.email, role: 'editor' })
    await host.write(ctx => acceptAll(ctx, ben.email))
    /** Two chunks. */
    const content = (name: string) =>
      ['key,title', ...Array.from({ length: 90_000 }, (_, n) => `${name}${n},T`)].join('\n')
    const upload = async (person: typeof ann, name: string) => {
      const browser = await portal.signedIn(person.email)
      const page = await browser.get('/imports')
      const project = /<option\s+value="([^"]+)"[^>]*>[^<]*SHOP/.exec(page.text)![1]!
      const fields = { format: 'detect', project, key: '', name: '' }
      const file = { field: 'file', name, bytes: content(name) }
      const { location, text } = await browser.upload('/imports', fields, [file])
      assert.ok(location, text)
    }
    await upload(ann, 'ann.csv')
    await upload(ben, 'ben.csv')
    const count = async () => {
      const [row] = await host.sql<{ uploads: number; chunks: number }>`
        select (select count(*)::int from transfer.uploads) as uploads, (select count(*)::int from transfer.chunks) as chunks`
      return row!
    }
    assert.deepEqual(await count(), { uploads: 2, chunks: 4 })

    const file = join(folder, 'ann.tar.gz')
    await host.command('user export', { email: ann.email, file })
    const tables = new Map<string, Row[]>()
    const files: string[] = []
    await readArchive(createReadStream(file), {
      manifest: () => undefined,
      async entry({ name, bytes }) {
        const stored = fileOfEntry(name)
        if (stored) files.push(stored.key)
        const table = tableOfPart(name)
        if (table === null) return
        const rows = (await textOf(bytes))
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line) as Row)
        tables.set(table, [...(tables.get(table) ?? []), ...rows])
      },
    })
    assert.deepEqual(
      tables.get('transfer.uploads')!.map(row => [row.owner_id, row.filename]),
      [[ann.userId, 'ann.csv']],
    )
    const chunks = tables.get('transfer.chunks')!
    assert.ok(chunks.every(row => row.owner_id === ann.userId))
    const whole = Buffer.concat(chunks.map(({ bytes }) => Buffer.from(bytes!, 'base64'))).toString()
    assert.equal(whole, content('ann.csv'))

    const stored = (): readonly string[] => {
      const path = join(host.dataDir, 'attachments', 'files')
      return existsSync(path) ? readdirSync(path, { recursive: true }).map(String) : []
    }
    const before = stored()
    await host.command('user delete', { email: ann.email, yes: true })
    assert.deepEqual(await count(), { uploads: 0, chunks: 0 })
    // The bytes are in the database alone.
    assert.deepEqual(stored(), before)
    assert.deepEqual(files, [])
  })
})
