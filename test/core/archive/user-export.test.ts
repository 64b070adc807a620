import assert from 'node:assert/strict'
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { Readable } from 'node:stream'
import type { Manifest } from '../../../core/archive/format.ts'
import { fileOfEntry, tableOfPart } from '../../../core/archive/format.ts'
import { readArchive, textOf } from '../../../core/archive/read.ts'
import { forEachEngine } from '../../engines.ts'
import { eventually } from '../../eventually.ts'
import { PASSWORD, portalHost } from '../../plugins/portal/portal-host.ts'
import { fillEverything } from '../../plugins/portal/fill-portal.ts'

type Row = Readonly<Record<string, unknown>>

async function contentOf(source: Readable) {
  let manifest: Manifest | undefined
  const tables = new Map<string, Row[]>()
  const files: string[] = []
  await readArchive(source, {
    manifest: read => void (manifest = read),
    async entry({ name, bytes }) {
      const table = tableOfPart(name)
      const file = fileOfEntry(name)
      if (file) files.push(file.key)
      if (table === null) return
      const lines = (await textOf(bytes)).trimEnd().split('\n')
      tables.set(table, [...(tables.get(table) ?? []), ...lines.map(line => JSON.parse(line) as Row)])
    },
  })
  return { manifest: manifest!, tables, files }
}

forEachEngine('export of a user', engine => {
  const portal = portalHost(engine, { config: { limits: { requests_per_minute: 0, writes_per_minute: 0 } } })
  type Person = Awaited<ReturnType<typeof portal.newUser>>
  let ann: Person, ben: Person
  before(async () => {
    ;[ann, ben] = [await portal.newUser(), await portal.newUser()]
    for (const person of [ann, ben]) await fillEverything(portal, person, await portal.signedIn(person.email))
    await portal.host.calls.flush()
    await portal.host.audit.flush('all')
  })

  const check = ({ manifest, tables, files }: Awaited<ReturnType<typeof contentOf>>): void => {
    assert.equal(manifest.kind, 'export')
    assert.deepEqual(manifest.user, { id: ann.userId, email: ann.email })
    assert.ok(tables.size >= 30, `${tables.size} tables`)
    assert.equal(files.length, 1)
    assert.ok(files.every(key => key.startsWith(`${ann.userId}/`)))
    for (const secret of [
      'core.tokens',
      'core.oauth_artifacts',
      'portal.passwords',
      'portal.sessions',
      'portal.authenticators',
      'portal.recovery_codes',
      'search.documents',
    ])
      assert.ok(!tables.has(secret), secret)
    for (const [name, rows] of tables)
      for (const row of rows)
        assert.ok(
          Object.values(row).includes(ann.userId) || Object.values(row).includes(ann.email),
          `${name}: ${JSON.stringify(row)}`,
        )
  }

  test('has every row that deleting the user would delete, but for credentials, and is recorded', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-export-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'ann.tar.gz')
    const { host } = portal
    const said = (await host.command('user delete', { email: ann.email })).text!
    await host.command('user export', { email: ann.email, file })
    const content = await contentOf(createReadStream(file))
    check(content)
    const counted = said.split('\n').flatMap(line => {
      const [, table, rows] = /^ {2}([\w.]+): (\d+)$/.exec(line) ?? []
      return table === undefined ? [] : [[table, Number(rows)] as const]
    })
    const left = counted.filter(([table, rows]) => content.tables.get(table)?.length !== rows).map(([table]) => table)
    for (const table of left)
      assert.match(
        table,
        /^(core\.(tokens|oauth_artifacts|confirmations|page_confirmations|idempotency_keys)|(portal|search)\.\w+|projects\.invitations)$/,
      )
    const [entry] =
      await host.sql<Row>`select target, details from core.audit where action = 'user.exported' and owner_id = ${ann.userId}`
    assert.equal(entry?.['target'], ann.email)
    await assert.rejects(host.command('user export', { email: ann.email, file }), /there already/)
  })

  test('does not tell the owner of a project what invited people and members keep to themselves', async () => {
    const { caller, browser } = await portal.withProject()
    const [member, decliner] = [await portal.newUser(), await portal.newUser()]
    const { host } = portal
    for (const { email } of [member, decliner])
      await host.command('project invite', { key: 'WEB', email, user: caller.email })
    await host.command('project accept', { project: `${caller.email}/WEB`, user: member.email })
    await host.command('project decline', { project: `${caller.email}/WEB`, user: decliner.email })
    await host.sql`update core.tokens set name = 'name of a token' where user_id = ${member.userId}`
    const { item } = await member.call('items_create', { project_key: 'WEB', title: 'Item of the member' })
    const file = { parent_kind: 'item', parent_ref: item.ref, filename: 'a.txt', mime_type: 'text/plain' }
    await member.call('attachments_upload', { ...file, content_base64: 'aGVsbG8=' })
    await browser.get('/settings/account')
    const { bytes } = await browser.send('/settings/account/export', { confirm_password: PASSWORD })
    const { tables, files } = await contentOf(Readable.from([bytes]))
    const text = JSON.stringify([...tables])
    assert.ok(text.includes('Item of the member') && text.includes(member.userId) && files.length === 1)
    for (const secret of ['name of a token', decliner.userId, decliner.email]) assert.ok(!text.includes(secret), secret)
  })

  test('people create an export in the portal, after entering their password', async () => {
    const browser = await portal.signedIn(ann.email)
    await browser.get('/settings/account')
    const asked = await browser.send('/settings/account/export')
    assert.match(asked.text, /Enter your password|パスワードを入力/)
    assert.equal(asked.headers['content-disposition'], undefined)
    const response = await browser.send('/settings/account/export', { confirm_password: PASSWORD })
    assert.equal(response.status, 200)
    assert.match(
      String(response.headers['content-disposition']),
      /^attachment; filename="tasuki-export-[\dTZ-]+\.tar\.gz"$/,
    )
    assert.equal(response.headers['content-type'], 'application/gzip')
    check(await contentOf(Readable.from([response.bytes])))
  })

  test('one export of a user is under way at a time, and none stays on the disk', async () => {
    const browser = await portal.signedIn(ann.email)
    await browser.get('/settings/account')
    // As from several pages: a double click on one is answered in turn.
    let pages = 0
    const make = () => browser.send('/settings/account/export', { confirm_password: PASSWORD, once: `page ${++pages}` })
    const answers = await Promise.all([make(), make(), make()])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422, 422],
    )
    await browser.get('/settings/account')
    assert.equal((await make()).status, 200)
    await eventually(() => assert.deepEqual(readdirSync(join(portal.host.dataDir, 'exports')), []))
  })
})
