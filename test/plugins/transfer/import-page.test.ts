import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { definePlugin } from 'tasuki/plugin'
import { importFormats } from '../../../plugins/transfer/points.ts'
import { sweep } from '../../../plugins/transfer/run-import.ts'
import { acceptAll } from '../../members.ts'
import { forEachEngine } from '../../engines.ts'
import { eventually } from '../../eventually.ts'
import { zip } from '../attachments/files.ts'
import { portalHost, type Browser, type Page } from '../portal/portal-host.ts'

const fixture = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  Uint8Array.from(await readFile(join(import.meta.dirname, 'fixtures', name)))
const TABLE = 'Summary,Stage,Tags\nOne,QA,a\nTwo,Done,b\n,QA,c\n'

/** A format of a third party. */
const lines = definePlugin({
  name: 'lines',
  version: '1.0.0',
  api: 1,
  group: 'x',
  dependsOn: ['transfer'],
  contributes: [
    importFormats({
      name: 'lines',
      matches: ({ text }) => text.startsWith('LINES\n'),
      read({ text }) {
        const rows = text.trim().split('\n').slice(1)
        if (rows.includes('boom')) throw new TypeError('a fault of the format')
        return {
          items: rows.map((title, n) => ({ line: n + 2, key: title, title, parts: {} })),
          problems: [],
          ignored: ['colours'],
        }
      },
    }),
  ],
})

forEachEngine('the page of imports', engine => {
  const portal = portalHost(engine, {
    plugins: [lines],
    config: { plugins: { transfer: { upload_bytes: 300_000, open_uploads: 3 } } },
  })

  /** Uploads a file to a project with this key, or to a new one. */
  const upload = async (
    browser: Browser,
    bytes: Uint8Array<ArrayBuffer> | string,
    { name = 'items.csv', project = 'INBOX', format = 'detect', ...more }: Partial<Record<string, string>> = {},
  ): Promise<Page> => {
    const page = await browser.get(`/imports?project=${encodeURIComponent(project)}`)
    const chosen = project === 'new' ? 'new' : /<option\s+value="([^"]+)" selected>[^<]* – /.exec(page.text)?.[1]
    assert.ok(chosen, page.text)
    const fields = { format, project: chosen, key: '', name: '', ...more }
    return browser.upload('/imports', fields, [{ field: 'file', name, bytes }])
  }
  const begin = async (browser: Browser, address: string): Promise<void> => {
    await browser.get(address)
    assert.equal((await browser.send(`${address}/start`)).status, 303)
  }
  /** Runs the queue until the page of an import says that the import has ended. */
  const finish = async (browser: Browser, address: string): Promise<Page> => {
    await portal.host.queue.start(portal.host.runner)
    await eventually(async () => assert.doesNotMatch((await browser.get(address)).text, /The import is running/))
    return browser.get(address)
  }
  const titles = async (user: Awaited<ReturnType<typeof portal.newUser>>, key = 'INBOX'): Promise<string[]> => {
    const { items } = await user.call('tasks_list', { project_key: key, sort: 'created', order: 'asc', limit: 100 })
    return items.map(({ title }: { title: string }) => title)
  }

  test('a file that people take for an export is refused with what it is, and with what to do instead', async () => {
    const browser = await portal.signedIn()
    const calendar =
      '\uFEFFBEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:Title\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
    const book = zip({ 'xl/workbook.xml': '<workbook/>' })
    const pages = zip({ 'Page.md': '# Page', 'Tasks.csv': 'a' })
    for (const [name, bytes, english, japanese] of [
      [
        'home.ics',
        calendar,
        /This is an iCalendar file, which is not imported\. Save its entries/,
        /iCalendar ファイルのため/,
      ],
      ['plan.pdf', '%PDF-1.7\n', /This is a PDF file/, /PDF ファイルのため/],
      ['plan.csv', new Uint8Array(book), /This is an Excel file/, /Excel ファイルのため/],
      ['export.zip', new Uint8Array(pages), /Unpack it, and import one of its CSV/, /展開して/],
    ] as const) {
      const refused = await upload(browser, bytes, { name })
      assert.equal(refused.status, 422, name)
      assert.match(refused.text, english)
      await browser.get('/language/ja')
      assert.match((await upload(browser, bytes, { name })).text, japanese)
      await browser.get('/language/en')
    }
  })

  test('the preview shows due dates as pages do, and instants in the time zone of the owner', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const table = 'title,due\nDay,2026-06-05\nInstant,2026-06-05T20:00:00Z\nOdd,some time\n'
    const { location } = await upload(browser, table)
    const dues = (text: string) =>
      [...text.matchAll(/data-label="(?:due date|期限)">\s*([^<]*?)\s*</g)].map(([, due]) => due)
    assert.deepEqual(dues((await browser.get(location!)).text), ['Jun 5', 'Jun 6 05:00', 'some time'])
    const japanese = await browser.get(location!, { 'accept-language': 'ja' })
    assert.deepEqual(dues(japanese.text), ['6月5日', '6月6日 05:00', 'some time'])
    await browser.get(location!)
    assert.equal((await browser.send(`${location}/stop`)).status, 303)
  })

  test('a file is inspected, mapped, imported by a job and reported', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const sent = await upload(browser, TABLE, { project: 'INBOX' })
    assert.equal(sent.status, 303, sent.text)
    const address = sent.location!
    const page = await browser.get(address)
    assert.match(page.text, /<dt>To be imported<\/dt>\s*<dd>2<\/dd>/)
    assert.match(page.text, /<dt>Skipped<\/dt>\s*<dd>1<\/dd>/)
    assert.match(page.text, /it has no title, so it is left out/)
    const japanese = (await browser.get(address, { 'accept-language': 'ja' })).text
    assert.match(japanese, /<h1>「items\.csv」のインポート<\/h1>/)
    assert.match(page.text, /Summary\s*<\/th>\s*<td[^>]*>title/)
    assert.match(page.text, /Stage\s*<\/th>\s*<td[^>]*><span class="quiet">skipped/)
    assert.match(page.text, /<h2>First items of the file<[\s\S]*>One<\/th>[^]*?data-label="labels">a<\/td>/)
    assert.deepEqual(await titles(user), [], 'nothing is imported before it is confirmed')
    const mapped = await browser.send(`${address}/options`, {
      format: 'csv',
      columns: ['["status","Stage"]', '', 'nonsense'],
      states: [],
    })
    assert.equal(mapped.status, 303, mapped.text)
    assert.match((await browser.get(address)).text, /QA\s*<\/th>\s*<td[^>]*>2<\/td>/)
    const stated = await browser.send(`${address}/options`, {
      format: 'csv',
      columns: ['["status","Stage"]'],
      states: ['["QA","In progress"]'],
    })
    assert.equal(stated.status, 303)
    assert.match((await browser.get(address, { 'accept-language': 'ja' })).text, /<td[^>]*>進行中<\/td>/)
    await begin(browser, address)
    await portal.host.sql`update transfer.uploads
      set position = '{"from":0,"created":0,"known":0,"problems":[],"more":0}' where owner_id = ${user.userId}`
    const running = await browser.get(address)
    assert.doesNotMatch(running.text, /Remarks|No remarks/, 'the remarks are known at the end')
    assert.match(running.text, /<progress\s+max="3"\s+value="0"/)
    assert.equal(running.headers['refresh'], '2')
    assert.equal((await browser.get(`${address}?still=1`)).headers['refresh'], undefined)
    const ended = await finish(browser, address)
    assert.match(ended.text, /The import is done/)
    assert.match(ended.text, /<dt>Imported<\/dt>\s*<dd>2<\/dd>/)
    assert.match(ended.text, /href="\/projects\/INBOX\/board"/)
    assert.equal(ended.headers['refresh'], undefined)
    const { items } = await user.call('tasks_list', { project_key: 'INBOX', limit: 10, q: 'is:open' })
    assert.deepEqual(
      items.map(({ title, status }: { title: string; status: string }) => [title, status]),
      [['One', 'In progress']],
    )
    const { notifications } = await user.call('notifications_list')
    assert.deepEqual(
      notifications.map(({ kind }: { kind: string }) => kind).filter((kind: string) => kind !== 'access.device'),
      ['import.done'],
    )
    assert.match(
      (await browser.get('/notifications', { 'accept-language': 'ja' })).text,
      /items\.csv&quot; のインポートが完了しました/,
    )
    const [{ chunks } = { chunks: -1 }] = await portal.host.sql<{ chunks: number }>`
      select count(*)::int as chunks from transfer.chunks where owner_id = ${user.userId}`
    assert.equal(chunks, 0, 'the file goes with the import')
    const [audited] = await portal.host.sql<{ details: object }>`
      select details from core.audit where action = 'items.imported' and owner_id = ${user.userId}`
    assert.deepEqual(audited?.details, { format: 'csv', file: 'items.csv', created: 2, known: 0, problems: 1 })
    const again = await upload(browser, TABLE)
    assert.match((await browser.get(again.location!)).text, /There is nothing to import/)
  })

  test('a preview counts templates, and lists what the import will remark', async () => {
    const browser = await portal.signedIn((await portal.newUser()).email)
    const repeating = `TYPE,CONTENT,PRIORITY,INDENT,DATE\ntask,Water,4,1,every friday\n`
    const todoist = await upload(browser, repeating, { project: 'new', key: 'HOME', name: 'Home' })
    const page = (await browser.get(todoist.location!)).text
    assert.match(page, /<dt>To be imported<\/dt>\s*<dd>2<\/dd>/)
    assert.match(page, /<dt>Skipped<\/dt>\s*<dd>0<\/dd>/)
    const rows = ['Title,Estimate,Parent,Created,Completed', 'One,1 apple,Nobody,1/2/26,2/2/26', 'Two,2,One,1.2.2026,']
    const sent = await upload(browser, rows.join('\n'), { project: 'new', key: 'APP', name: 'App' })
    const remarks = ({ text }: Page): readonly string[] =>
      [...text.matchAll(/data-label="Remark"[^>]*>(.*)<\/td>/g)].map(([, remark]) => remark!).toSorted()
    const expected = [
      '&quot;1 apple&quot; is not an estimate in points.',
      '&quot;1/2/26&quot; is no time in the past that can be read: left out',
      '&quot;2/2/26&quot; is no time in the past that can be read: left out',
      'its parent &quot;Nobody&quot; is not among the imported items',
    ]
    const preview = await browser.get(sent.location!)
    assert.deepEqual(remarks(preview), expected, preview.text)
    const japanese = await browser.get(sent.location!, { 'accept-language': 'ja' })
    assert.doesNotMatch(japanese.text, /<span lang="en">/)
    await begin(browser, sent.location!)
    assert.deepEqual(remarks(await finish(browser, sent.location!)), expected)
  })

  test('every format is recognised, including formats of other plugins, and any can be selected', async () => {
    const browser = await portal.signedIn()
    for (const [name, said] of [
      ['jira.csv', 'Jira CSV'],
      ['linear.csv', 'Linear CSV'],
      ['todoist.csv', 'Todoist CSV / ZIP'],
      ['github.json', 'GitHub JSON'],
      ['trello.json', 'Trello JSON'],
      ['vikunja.json', 'Vikunja JSON / ZIP'],
    ] as const) {
      const { location, text } = await upload(browser, await fixture(name), { name })
      assert.ok(location, text)
      const page = await browser.get(location)
      assert.match(page.text, new RegExp(`<dt>Format</dt>\\s*<dd>${said}</dd>`), name)
      await browser.send(`${location}/stop`)
    }
    const own = await upload(browser, 'LINES\nx', { name: 'a.txt' })
    const page = await browser.get(own.location!)
    assert.match(page.text, /<dd>lines<\/dd>/)
    assert.match(page.text, /Also skipped: colours/)
    const other = await browser.send(`${own.location}/options`, { format: 'csv' })
    assert.equal(other.status, 303, 'a table with one column, without a title')
  })

  test('a new project is created by its first import, not before', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    for (const [key, said] of [
      ['', /cannot be a project key/],
      ['INBOX', /There is already a project INBOX/],
    ] as const) {
      const refused = await upload(browser, TABLE, { project: 'new', key })
      assert.equal(refused.status, 422)
      assert.match(refused.text, said)
    }
    const { location } = await upload(browser, TABLE, { project: 'new', key: 'fresh', name: 'Fresh' })
    assert.match((await browser.get(location!)).text, /To be imported<\/dt>\s*<dd>2/)
    const keys = async () =>
      (await user.call('projects_list')).projects.map(({ key }: { key: string }) => key).toSorted()
    assert.deepEqual(await keys(), ['INBOX'])
    await begin(browser, location!)
    await finish(browser, location!)
    assert.deepEqual(await keys(), ['FRESH', 'INBOX'])
    assert.deepEqual(await titles(user, 'FRESH'), ['One', 'Two'])
  })

  test('a file that cannot be read is refused with the next step, and is not kept', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const cases: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer> | string, more?: object])[] = [
      ['empty.csv', ''],
      ['spaces.csv', ' \n \n'],
      ['noise.bin', Uint8Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256)],
      ['zeros.bin', new Uint8Array(1000)],
      ['broken.json', '{"cards": ['],
      ['null.json', 'null'],
      ['list.json', '[null, 1, "x", {}]'],
      ['cut.zip', Uint8Array.from([0x50, 0x4b, 3, 4, 1, 2, 3])],
      ['text.txt', 'just a sentence without a table'],
      ['deep.json', '['.repeat(100_000)],
      ['picture.png', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0])],
      ['boom.txt', 'LINES\nboom'],
      ['jira.csv', 'a,b\n1,2', { format: 'trello' }],
      ['jira.csv', 'a,b\n1,2', { format: 'github' }],
      ['jira.csv', '{"cards":[1,null,{"id":5,"labels":7,"idList":{}}],"lists":[null,3]}', { format: 'vikunja' }],
      ['any.csv', TABLE, { format: 'nonsense' }],
      ['large.csv', 'title\n'.repeat(60_000)],
    ]
    for (const [name, bytes, more] of cases) {
      const page = await upload(browser, bytes, { name, ...more })
      if (page.status === 303) {
        // Some formats find no items in the file; the page says so.
        assert.match((await browser.get(page.location!)).text, /There is nothing to import|cannot be read/, name)
        await browser.send(`${page.location}/stop`)
        continue
      }
      assert.equal(page.status, 422, `${name}: ${page.text}`)
      assert.match(page.text, /There is a problem/, name)
      assert.doesNotMatch(page.text, /TypeError|RangeError|SyntaxError|at Object/, name)
    }
    const none = await upload(browser, TABLE).then(() => browser.get('/imports'))
    const noFile = await browser.upload('/imports', { format: 'detect', project: 'new', key: 'A', name: '' }, [])
    assert.equal(noFile.status, 422)
    assert.match(noFile.text, /Choose a file/)
    assert.match(none.text, /items\.csv/)
    const unknown = await browser
      .get('/imports')
      .then(() =>
        browser.upload('/imports', { format: 'detect', project: 'nonsense', key: '', name: '' }, [
          { field: 'file', name: 'a.csv', bytes: TABLE },
        ]),
      )
    assert.equal(unknown.status, 422)
    const cut = await browser.post('/imports', {}, { 'content-type': 'multipart/form-data; boundary=x' })
    assert.ok(cut.status === 400 || cut.status === 403, String(cut.status))
    for (const odd of ['/imports/none', '/imports/00000000-0000-7000-8000-000000000000'])
      assert.equal((await browser.get(odd)).status, 404)
  })

  test('names of files are shown as text, without a folder', async () => {
    const browser = await portal.signedIn()
    const { location } = await upload(browser, TABLE, { name: '../../<b>x</b>"\u202E.csv' })
    const page = await browser.get(location!)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /<b>x/)
  })

  test('viewers cannot import, and nobody sees the file of another user', async () => {
    const [owner, viewer] = [await portal.newUser(), await portal.newUser()]
    const browser = await portal.signedIn(owner.email)
    await browser.get('/projects')
    await browser.send('/projects', { key: 'TEAM', name: 'Team', description: '' })
    await browser.get('/projects/TEAM/members')
    await browser.send('/projects/TEAM/members', { email: viewer.email, role: 'editor' })
    await portal.host.write(ctx => acceptAll(ctx, viewer.email))
    const theirs = await portal.signedIn(viewer.email)
    const key = `${owner.email}/TEAM`
    const page = await theirs.get('/imports')
    const [, id] = new RegExp(`<option\\s+value="([^"]+)"[^>]*>TEAM`).exec(page.text) ?? []
    assert.ok(id, `an editor may choose ${key}`)
    const file = [{ field: 'file', name: 'a.csv', bytes: TABLE }]
    const fields = { format: 'detect', project: id, key: '', name: '' }
    const sent = await theirs.upload('/imports', fields, file)
    assert.equal(sent.status, 303)
    assert.equal((await browser.get(sent.location!)).status, 404, 'not even its project’s owner')
    await theirs.get(sent.location!)
    await browser.get('/projects/TEAM/members')
    await portal.host.sql`update projects.members set role = 'viewer' where user_id = ${viewer.userId}`
    portal.host.authenticator.forget()
    // A viewer cannot import a file that they uploaded as an editor.
    assert.equal((await theirs.send(`${sent.location}/start`)).status, 303)
    const stopped = await finish(theirs, sent.location!)
    assert.match(stopped.text, /The import stopped/)
    assert.match(stopped.text, /You may look at/)
    assert.deepEqual(await titles(owner, 'TEAM'), [])
    await theirs.get('/imports')
    assert.equal((await theirs.upload('/imports', fields, file)).status, 403)
  })

  test('a file is accepted only from a form of the same person', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const stranger = await portal.signedIn()
    const file = [{ field: 'file', name: 'a.csv', bytes: TABLE }]
    await stranger.get('/imports')
    const foreign = stranger.proof('/imports')!
    await browser.get('/imports')
    for (const proof of ['', foreign, 'x'])
      assert.equal((await browser.upload('/imports', { proof, project: 'new', key: 'A' }, file)).status, 403)
    const guest = portal.browser()
    const unsigned = await guest.upload('/imports', { proof: foreign }, file)
    assert.equal(unsigned.status, 403)
    const rows = await portal.host.sql`select from transfer.uploads where owner_id = ${user.userId}`
    assert.equal(rows.length, 0)
  })

  test('an import is cancelled, discarded and removed; files are bounded and expire', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const [first, , third] = [
      await upload(browser, TABLE),
      await upload(browser, TABLE),
      await upload(browser, TABLE),
    ].map(({ location }) => location!)
    const full = await upload(browser, TABLE)
    assert.equal(full.status, 422)
    assert.match(full.text, /Finish or discard one/)
    await browser.get(first!)
    assert.equal((await browser.send(`${first}/stop`)).location, '/imports')
    assert.equal((await browser.get(first!)).status, 404)
    await portal.host.sql`update transfer.uploads set state = 'running' where id = ${third!.split('/').at(-1)!}`
    await browser.get(third!)
    assert.equal((await browser.send(`${third}/stop`)).location, third)
    assert.match((await browser.get(third!)).text, /was cancelled/)
    assert.equal((await browser.send(`${third}/stop`)).location, '/imports')
    assert.deepEqual(await titles(user), [])
    await portal.host.sql`update transfer.uploads set expires_at = '2026-01-01' where owner_id = ${user.userId}`
    await portal.host.write(ctx => sweep.run(ctx, {}))
    const rows = await portal.host.sql`select from transfer.chunks where owner_id = ${user.userId}`
    assert.equal(rows.length, 0)
  })
})
