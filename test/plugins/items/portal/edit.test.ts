import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { acceptAll } from '../../../members.ts'
import { portalHost, type Browser } from '../../portal/portal-host.ts'

forEachEngine('the page that edits an item', engine => {
  const portal = portalHost(engine, { config: { plugins: { portal: {}, project_admin: true } } })
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  before(async () => {
    caller = await portal.newUser()
    browser = await portal.signedIn(caller.email)
  })
  const create = async (args: object = {}, tool = 'items_create') => {
    const { item } = await caller.call(tool, { project_key: 'INBOX', title: 'Buy milk', ...args })
    return { ref: item.ref as string, at: `/projects/INBOX/items/${item.ref.split('#')[1]}` }
  }
  const read = async (ref: string) => (await caller.call('items_get', { item_ref: ref })).item
  /** Sends the form as the page shows it, with changes. */
  const send = async (at: string, values: object, form = 'edit') => {
    const { text } = await browser.get(`${at}/edit`)
    const [, shown] = /name="shown" value="([^"]*)"/.exec(text)!
    return browser.send(`${at}/${form}`, { shown: shown!.replaceAll('&quot;', '"'), ...values })
  }
  const asShown = { title: 'Buy milk', detail: '', due_date: '', due_time: '', start_date: '', priority: '' }

  test('a person changes title, description, dates and priority', async () => {
    const { ref, at } = await create()
    assert.match((await browser.get(at)).text, new RegExp(`href="${at}/edit">Edit</a>`))
    const values = {
      title: ' Buy oat milk ',
      detail: 'Two litres.\r\nCold.',
      due_date: '2027-03-01',
      due_time: '09:30',
      start_date: '2027-02-01',
      priority: 'high',
    }
    const sent = await send(at, values)
    assert.deepEqual([sent.status, sent.location], [303, at])
    assert.match((await browser.get(at)).text, /Saved\./)
    const item = await read(ref)
    assert.equal(item.title, 'Buy oat milk')
    assert.equal(item.detail, 'Two litres.\nCold.')
    assert.deepEqual([item.due_date, item.due_time, item.start_date], ['2027-03-01', '09:30', '2027-02-01'])
    assert.equal(item.priority, 'high')
    // A priority can be taken away again.
    await send(at, { ...values, title: 'Buy oat milk', priority: '' })
    assert.equal((await read(ref)).priority, undefined)
    // Another date keeps the time; no date has none.
    await send(at, { ...values, title: 'Buy oat milk', due_date: '2027-03-02' })
    assert.equal((await read(ref)).due_time, '09:30')
    await send(at, { ...values, title: 'Buy oat milk', due_date: '' })
    assert.deepEqual([(await read(ref)).due_date, (await read(ref)).due_time], [undefined, undefined])
  })

  test('a warning of the tool is said to people in their language, without names of tools', async () => {
    const { ref, at } = await create({ due_date: '2027-03-01' })
    await caller.call('reminders_create', { item_ref: ref, lead_time_minutes: 60 })
    const values = { ...asShown, due_date: '' }
    await send(at, values)
    const english = (await browser.get(at)).text
    assert.match(english, /Saved\. \S+ has no due date now, so its reminders before it is due wait until it has one\.</)
    await caller.call('items_patch', { item_ref: ref, archived_at: '2026-01-01T00:00:00Z' })
    const { text } = await browser.get(`${at}/edit`, { 'accept-language': 'ja' })
    const [, shown] = /name="shown" value="([^"]*)"/.exec(text)!
    const edited = { ...values, shown: shown!.replaceAll('&quot;', '"'), title: 'Archived' }
    await browser.send(`${at}/edit`, edited, { 'accept-language': 'ja' })
    assert.match((await browser.get(at, { 'accept-language': 'ja' })).text, /保存しました。\S+ はアーカイブ済みのため/)
  })

  test('a start after the due date is said with the names and days of the page', async () => {
    const { at } = await create({ due_date: '2026-06-05' })
    for (const [language, says] of [
      ['en', /Saved\. The start, Jun 20, is after the due date, Jun 5\./],
      ['ja', /保存しました。開始日（6月21日）が期限（6月5日）より後になっています。/],
    ] as const) {
      await browser.get(`/language/${language}`)
      const start_date = language === 'en' ? '2026-06-20' : '2026-06-21'
      assert.equal((await send(at, { ...asShown, due_date: '2026-06-05', start_date })).status, 303)
      assert.match((await browser.get(at)).text, says)
    }
    await browser.get('/language/en')
  })

  test('what was not edited stays as it is, also where it changed meanwhile', async () => {
    const { ref, at } = await create({ detail: 'first\n\n' })
    const { text } = await browser.get(`${at}/edit`)
    const shown = /name="shown" value="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')
    await caller.call('items_patch', { item_ref: ref, priority: 'low' })
    const values = { ...asShown, detail: 'first' }
    await browser.send(`${at}/edit`, { shown, ...values, title: 'Buy tea' })
    const item = await read(ref)
    assert.deepEqual([item.title, item.priority, item.detail], ['Buy tea', 'low', 'first\n\n'])
    // Edited here and elsewhere: shown with what is stored now.
    await browser.get(`${at}/edit`)
    const refused = await browser.send(`${at}/edit`, { shown, ...values, title: 'Buy coffee' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /changed meanwhile to “Buy tea”/)
    assert.match(refused.text, /value="Buy coffee"/)
    assert.equal((await read(ref)).title, 'Buy tea')
  })

  test('wrong values are said at their fields, and nothing is changed', async () => {
    const { ref, at } = await create()
    for (const [values, says] of [
      [{ title: '' }, /Enter|required|missing/i],
      [{ due_date: '2027-02-30' }, /Due: Due must be a date YYYY-MM-DD, got &quot;2027-02-30&quot;/],
      [{ due_time: '10:00' }, /Time: A time needs a date\. Fill in “Due” too/],
      [{ due_date: '2027-02-28', due_time: '25:00' }, /Time: Time must be a time of day from 00:00 to 23:59, got/],
      [{ priority: 'soon' }, /Priority must be one of urgent, high/],
    ] as const) {
      const refused = await send(at, { ...asShown, ...values })
      assert.equal(refused.status, 422, JSON.stringify(values))
      assert.match(refused.text, says)
    }
    await browser.get('/language/ja')
    assert.match((await send(at, { ...asShown, due_time: '10:00' })).text, /「期限」も入力/)
    assert.match((await send(at, { ...asShown, due_date: 'x' })).text, /lang="en">期限 must be a date YYYY-MM-DD, got/)
    await browser.get('/language/en')
    assert.equal((await read(ref)).title, 'Buy milk')
  })

  test('a person changes labels, sprint, version and area', async () => {
    await browser.get('/projects')
    await browser.send('/projects', { key: 'APP', name: 'App', description: '' })
    const named = async (tool: string, name: string): Promise<string> => {
      const { area, sprint, version } = await caller.call(tool, { project_key: 'APP', name })
      return (area ?? sprint ?? version).id
    }
    const area = await named('project_areas_create', 'Backend')
    const sprint = await named('sprints_create', 'Sprint 1')
    const version = await named('versions_create', '1.0')
    const { item } = await caller.call('items_create', {
      project_key: 'APP',
      title: 'Buy milk',
      labels: ['+bug', '++1'],
    })
    const at = `/projects/APP/items/${item.ref.split('#')[1]}`
    const page = (await browser.get(`${at}/edit`)).text
    assert.match(page, /name="labels"[^>]* value="bug, \+1"/)
    assert.match(page, /The project has: &quot;bug&quot;, &quot;\+1&quot;/)
    const values = { ...asShown, labels: '+1、Urgent, ordered', sprint, version, area }
    assert.equal((await send(at, values)).status, 303)
    const now = await read(item.ref)
    assert.deepEqual(now.labels.toSorted(), ['+1', 'Urgent', 'ordered'])
    assert.deepEqual([now.sprint_path, now.version_name, now.area_path], ['Sprint 1', '1.0', 'Backend'])
    // What was changed elsewhere stays, unless it was edited here, too.
    const { text } = await browser.get(`${at}/edit`)
    const shown = /name="shown" value="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')
    await caller.call('items_patch', { item_ref: item.ref, labels: ['+new'] })
    await caller.call('project_areas_assign_item', { item_ref: item.ref, area_path: null })
    const kept = { ...values, shown, labels: 'ordered, +1, Urgent' }
    const entered = /name="labels"[^>]* value="([^"]*)"/.exec(text)![1]!
    assert.equal((await browser.send(`${at}/edit`, { ...kept, labels: entered, sprint: '' })).status, 303)
    const left = await read(item.ref)
    assert.deepEqual([left.labels.length, left.sprint_path, left.area_path], [4, undefined, undefined])
    await browser.get(`${at}/edit`)
    const refused = await browser.send(`${at}/edit`, { ...kept, area: '', version: '' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /Labels: This was changed meanwhile to “[^”]*new/)
    // An error is at its field.
    const wrong = await send(at, { ...values, labels: 'x'.repeat(70) })
    assert.match(wrong.text, /#[\w-]*-labels">Labels: /)
    assert.match((await send(at, { ...values, sprint: 'x' })).text, /#[\w-]*-sprint">Sprint: /)
    const both = await send(at, { ...values, sprint: 'x', area: 'y' })
    assert.match(both.text, /Area: [^]*Sprint: /, 'all problems are named at once')
    await caller.call('items_patch', { item_ref: item.ref, archived_at: '2026-01-01T00:00:00Z' })
    assert.equal((await send(at, { ...values, labels: 'ordered', sprint: '' })).status, 303)
    assert.match((await browser.get(at)).text, /Saved\. \S+ is archived/, 'warnings of these fields are shown')
    // Without the feature, and where nothing can be chosen, there is no such field.
    await caller.call('project_features_set', { project_key: 'APP', features: { sprints: false } })
    assert.doesNotMatch((await browser.get(`${at}/edit`)).text, /name="sprint"/)
    const other = await create()
    assert.doesNotMatch((await browser.get(`${other.at}/edit`)).text, /name="(sprint|area|version)"/)
  })

  test('a note has no dates, an event no start, and a long description stays out of the form', async () => {
    const note = await create({ body: 'x' }, 'notes_create')
    const page = (await browser.get(`${note.at}/edit`)).text
    assert.match(page, /name="detail"/)
    assert.doesNotMatch(page, /name="due_date"|name="priority"/)
    await send(note.at, { title: 'Renamed', detail: 'y' })
    assert.deepEqual([(await read(note.ref)).title, (await read(note.ref)).detail], ['Renamed', 'y'])
    const long = await create({ detail: 'word '.repeat(6100) })
    const form = (await browser.get(`${long.at}/edit`)).text
    assert.match(form, /too long to edit here/)
    assert.doesNotMatch(form, /name="detail"/)
    await send(long.at, { title: 'Short title', due_date: '', due_time: '', start_date: '', priority: '' })
    const item = await read(long.ref)
    assert.equal(item.title, 'Short title')
    assert.ok(item.detail.length > 30_000)
  })

  test('a description as long as the form accepts is opened again, in Japanese too', async () => {
    const { ref, at } = await create()
    const longest = '編集した長い説明です。\n'.repeat(2490).trim()
    assert.equal((await send(at, { ...asShown, detail: longest })).status, 303)
    const { text } = await browser.get(`${at}/edit`)
    assert.ok(text.includes(longest))
    assert.ok(text.length < 1.5 * longest.length + 20_000, 'it is not in the form twice')
    const other = `${longest.slice(0, -10)}\n終わりだけを変えました。`
    assert.equal((await send(at, { ...asShown, detail: other })).status, 303)
    assert.equal((await read(ref)).detail, other)
    const refused = await send(at, { ...asShown, detail: 'x'.repeat(30_001) })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /Description: Use at most 30000 characters/)
    assert.ok(refused.text.includes('x'.repeat(30_001)))
    await caller.call('items_patch', { item_ref: ref, detail: 'Changed elsewhere' })
    const { text: page } = await browser.get(`${at}/edit`)
    assert.match(page, /Changed elsewhere<\/textarea>/)
  })

  test('after the session has ended, only what was edited is shown', async () => {
    const { at } = await create({ detail: 'As it was\n'.repeat(300), due_date: '2027-03-01', priority: 'high' })
    const values = { ...asShown, detail: 'As it was\n'.repeat(300), due_date: '2027-03-01', priority: 'high' }
    const other = await portal.signedIn(caller.email)
    const { text } = await other.get(`${at}/edit`)
    const shown = /name="shown" value="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')
    const proof = other.proof(`${at}/edit`)!
    other.cookies.delete('tasuki-session')
    const out = await other.post(`${at}/edit`, { proof, shown, ...values, title: 'Buy oat milk' })
    assert.deepEqual(
      [...out.text.matchAll(/<textarea[^>]*name="(\w+)"/g)].map(match => match[1]),
      ['title'],
    )
    assert.match(out.text, /Buy oat milk<\/textarea>/)
    assert.match(out.text, /type="hidden" name="due_date" value="2027-03-01"/)
  })

  test('a description that grows too long while it is edited is refused, and the entered text is kept', async () => {
    const { ref, at } = await create({ detail: 'first' })
    const { text } = await browser.get(`${at}/edit`)
    const shown = /name="shown" value="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')
    await caller.call('items_patch', { item_ref: ref, detail: 'word '.repeat(6100) })
    const values = { ...asShown, shown, title: 'Renamed', detail: 'Written for an hour' }
    const refused = await browser.send(`${at}/edit`, values)
    assert.equal(refused.status, 409)
    assert.match(refused.text, />\s*Written for an hour<\/textarea>/)
    assert.equal((await read(ref)).title, 'Buy milk')
    // Unedited, it is not in the way.
    assert.equal((await browser.send(`${at}/edit`, { ...values, detail: 'first' })).status, 303)
    assert.deepEqual([(await read(ref)).title, (await read(ref)).detail.length], ['Renamed', 30_500])
  })

  test('an event keeps a date, and its other fields are edited also where an import had none', async () => {
    const { ref, at } = await create({ due_date: '2027-03-01', due_time: '10:00' }, 'events_create')
    const values = { title: 'Lunch', detail: '', due_date: '', due_time: '' }
    const refused = await send(at, values)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /An event needs a date\./)
    assert.equal((await read(ref)).due_date, '2027-03-01')
    await portal.host
      .sql`update items.items set due_date = null, due_time = null where title = 'Buy milk' and type = 'event'`
    assert.equal((await send(at, values)).status, 303)
    assert.equal((await read(ref)).title, 'Lunch')
  })

  test('an item is archived and comes back', async () => {
    const { ref, at } = await create()
    await send(at, { archived: 'yes' }, 'archive')
    assert.match((await browser.get(at)).text, /archived/)
    assert.notEqual((await read(ref)).archived_at, null)
    assert.match((await browser.get(`${at}/edit`)).text, /Unarchive/)
    await send(at, { archived: 'no' }, 'archive')
    assert.equal((await read(ref)).archived_at, null)
  })

  test('viewers have no such page', async () => {
    const guest = await portal.newUser()
    await browser.get('/projects')
    await browser.send('/projects', { key: 'SHOP', name: 'Shop', description: '' })
    const { item } = await caller.call('items_create', { project_key: 'SHOP', title: 'Shared' })
    await browser.get('/projects/SHOP/members')
    await browser.send('/projects/SHOP/members', { email: guest.email, role: 'viewer' })
    await portal.host.write(ctx => acceptAll(ctx, guest.email))
    const viewer = await portal.signedIn(guest.email)
    const at = `/projects/${encodeURIComponent(`${caller.email}/SHOP`)}/items/${item.ref.split('#')[1]}`
    assert.doesNotMatch((await viewer.get(at)).text, />Edit</)
    assert.equal((await viewer.get(`${at}/edit`)).status, 403)
  })
})
