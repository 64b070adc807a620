import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { portalHost, type Browser, type SentFile } from '../portal/portal-host.ts'

/** The smallest PNG. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

forEachEngine('the files of an item in the portal', engine => {
  const portal = portalHost(engine)
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  let ref: string
  let at: string
  before(async () => {
    ;({ caller, browser } = await portal.withProject())
    const { item } = await caller.call('items_create', { project_key: 'WEB', title: 'Draw the logo' })
    ref = item.ref
    at = `/projects/WEB/items/${item.ref.split('#')[1]}`
  })
  const add = async (name: string, bytes: SentFile['bytes']) => {
    await browser.get(at)
    return browser.upload(`${at}/files`, {}, [{ field: 'file', name, bytes }])
  }
  const files = async () => {
    const { attachments } = await caller.call('attachments_list', { parent_kind: 'item', parent_ref: ref })
    return attachments.map((file: { filename: string; mime_type: string }) => `${file.filename} ${file.mime_type}`)
  }
  const idOf = async (name: string): Promise<string> => {
    const { attachments } = await caller.call('attachments_list', { parent_kind: 'item', parent_ref: ref })
    return attachments.find(({ filename }: { filename: string }) => filename === name).id
  }
  const addressOf = async (name: string) => `${at}/files/${await idOf(name)}/delete`

  test('a person puts files on an item, of the types that their names and bytes tell', async () => {
    for (const [name, bytes] of [
      ['logo.PNG', PNG],
      ['ロゴ.md', '# Logo'],
      ['settings.yaml', 'a: 1'],
    ] as const) {
      const { status, location } = await add(name, bytes)
      assert.deepEqual([status, location], [303, `${at}#files`], name)
      assert.match((await browser.get(at)).text, /File added\./)
    }
    assert.deepEqual((await files()).toSorted(), [
      'logo.PNG image/png',
      'settings.yaml text/plain',
      'ロゴ.md text/markdown',
    ])
    const { text } = await browser.get(at)
    assert.match(text, /logo\.PNG<\/a>/)
    assert.match(text, /Added file/, 'it is in the history')
  })

  test('a file that is not taken is refused at the field, and the form stays open', async () => {
    const before = await files()
    for (const [name, bytes, says] of [
      ['run.exe', Buffer.from([0x4d, 0x5a, 0, 1]), /Files of type &quot;\.exe&quot; are not taken\./],
      ['logo.png', 'no picture', /The file is not image\/png: /],
      ['empty.txt', '', /empty/],
      ['large.txt', Buffer.alloc(20 * 1024 * 1024 + 1, 'a'), /more than 20 ?MB/],
    ] as const) {
      const { status, text } = await add(name, bytes)
      assert.equal(status, 422, name)
      assert.match(text, says)
      assert.match(text, /#projects-WEB-items-\d+-files-file">File: /)
      assert.match(text, /<details class="edit" +open>\s*<summary>Add file/)
    }
    assert.equal((await browser.upload(`${at}/files`, {}, [])).status, 422)
    assert.deepEqual(await files(), before)
    const wrong = await browser.upload(`${at}/files`, { proof: 'x' }, [{ field: 'file', name: 'a.txt', bytes: PNG }])
    assert.equal(wrong.status, 403)
    await browser.get('/language/ja')
    assert.match((await add('run.exe', Buffer.from([0]))).text, /この種類のファイルは扱えません/)
    await browser.get('/language/en')
  })

  test('a person deletes a file, and reads before what is lost', async () => {
    await add('contract.pdf.txt', 'signed')
    await add('plan.txt', 'later')
    await caller.call('items_patch', { item_ref: ref, detail: `See [the plan](/files/${await idOf('plan.txt')}).` })
    const address = await addressOf('contract.pdf.txt')
    const link = address.replace(at, '').replace('/delete', '')
    const shown = (await browser.get(at)).text
    const summary = 'Delete<span class="unseen"> contract.pdf.txt</span>'
    assert.ok(shown.includes(`<summary>${summary}</summary>`))
    assert.match(shown, /<p>Once deleted, &quot;contract\.pdf\.txt&quot; \(6 bytes\) cannot be restored\.<\/p>/)
    assert.match(
      shown,
      /deleted, &quot;plan\.txt&quot; \(5 bytes\) cannot be restored\. The description of this item names it/,
    )

    const deleted = await browser.send(address)
    assert.deepEqual([deleted.status, deleted.location], [303, `${at}#files`])
    const after = (await browser.get(at)).text
    assert.match(after, /File deleted\./)
    assert.match(after, /Deleted file<\/strong>\s*<q>contract\.pdf\.txt<\/q>/)
    assert.equal((await files()).filter((file: string) => file.startsWith('contract')).length, 0)
    assert.equal((await browser.get(link)).status, 404)
  })

  test('a file that another tab has deleted meanwhile is refused with a sentence', async () => {
    const tab = await portal.signedIn(caller.email)
    for (const [language, says] of [
      ['en', /The file has already been deleted\./],
      ['ja', /このファイルはすでに削除されています。/],
    ] as const) {
      await add(`${language}.txt`, 'twice')
      const address = await addressOf(`${language}.txt`)
      await tab.get(at)
      await browser.get(`/language/${language}`)
      await browser.get(at)
      assert.equal((await tab.send(address)).status, 303)
      const late = await browser.send(address)
      assert.equal(late.status, 409)
      assert.match(late.text, says)
      assert.match(late.text, /logo\.PNG<\/a>/, 'the page of the item is shown again')
    }
    await browser.get('/language/en')
  })

  test('a viewer sees the files and no form', async () => {
    const guest = await portal.newUser()
    await browser.get('/projects/WEB/members')
    await browser.send('/projects/WEB/members', { email: guest.email, role: 'viewer' })
    await portal.host.write(ctx => acceptAll(ctx, guest.email))
    const viewer = await portal.signedIn(guest.email)
    const { text } = await viewer.get(at.replace('WEB', encodeURIComponent(`${caller.email}/WEB`)))
    assert.match(text, /logo\.PNG<\/a>/)
    assert.doesNotMatch(text, /Add file|Delete</)
  })
})
