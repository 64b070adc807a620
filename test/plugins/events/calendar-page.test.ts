import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { plusDays } from 'tasuki/plugin'
import { monthOf } from '../../../plugins/events/portal/month.ts'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { portalHost, type Browser } from '../portal/portal-host.ts'

const PATH = '/projects/WEB/calendar'

describe('a month of the calendar', () => {
  test('every month from 1900 to 2999 is shown in whole weeks from Monday, and leads to the next', () => {
    let name = '1900-01'
    for (let n = 0; n < 1100 * 12; n++) {
      const month = monthOf(name, '2026-11-26')
      const days = month.weeks.flat()
      const own = days.filter(day => day.startsWith(name))
      assert.equal(own.length, new Date(Number(name.slice(0, 4)), Number(name.slice(5)), 0).getDate(), name)
      assert.equal(new Date(days[0]!).getUTCDay(), 1, name)
      assert.ok(month.weeks.every((week, at) => week.length === 7 && week.some(day => day.startsWith(name)) && at < 6))
      days.reduce((day, next) => {
        assert.equal(next, plusDays(day, 1))
        return next
      })
      if (n > 0) assert.equal(monthOf(month.previous, '').next, name)
      name = month.next
    }
    assert.equal(name, '3000-01')
  })

  test('anything else is the month of today', () => {
    for (const asked of [undefined, '', '2026', '2026-13', '2026-00', '3000-01', '0001-01', '2026-1', "2026-01'"])
      assert.equal(monthOf(asked, '2026-11-26').name, '2026-11', asked)
  })
})

forEachEngine('the calendar page', engine => {
  const portal = portalHost(engine)
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  before(async () => {
    ;({ caller, browser } = await portal.withProject())
  })
  const add = async (fields: Record<string, string>) => {
    await browser.get(PATH)
    return browser.send(PATH, { title: 'Event', due_date: '2026-06-10', due_time: '', recurrence_rule: '', ...fields })
  }
  /** Returns what the cells of days show, without markup. */
  const cellsOf = (text: string): ReadonlyMap<string, string> =>
    new Map(
      [...text.matchAll(/<time datetime="([\d-]+)">(.*?)<\/td>/gs)].map(([, day, content]) => [
        day!,
        content!
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ]),
    )

  test('events and due tasks are shown on their day, those of the whole day first, and closed tasks struck out', async () => {
    const done = await add({ title: 'Lunch <b>', due_time: '12:30' })
    assert.deepEqual([done.status, done.location], [303, `${PATH}?month=2026-06`])
    await add({ title: 'Holiday' })
    await caller.call('items_create', { project_key: 'WEB', title: 'Pay', due_date: '2026-06-10', due_time: '09:00' })
    const { item } = await caller.call('items_create', { project_key: 'WEB', title: 'Old', due_date: '2026-07-05' })
    await caller.call('items_complete', { item_ref: item.ref })
    await caller.call('items_create', { project_key: 'WEB', title: 'Next month', due_date: '2026-07-06' })
    const { text } = await browser.get(`${PATH}?month=2026-06`)
    assert.match(text, /<h1>June 2026<\/h1>/)
    const cells = cellsOf(text)
    assert.equal(cells.size, 35)
    assert.equal(cells.get('2026-06-10'), 'Wed 10 All day Holiday Task 09:00 Pay 12:30 Lunch &lt;b&gt;')
    assert.equal(cells.get('2026-07-05'), 'Sun 5 Task Old')
    assert.match(text, /<s>Old<\/s>/)
    assert.ok(!text.includes('Next month</a>\n  </li>'))
    assert.match(text, /<td\s+class="today"\s+aria-current="date"/)
    assert.match((await browser.get(`${PATH}?month=2027-01`)).text, /Nothing in this month/)
  })

  test('an event may repeat, and wrong values are refused at their fields', async () => {
    await add({ title: 'Every Monday', due_date: '2026-06-01', due_time: '10:00', recurrence_rule: 'every Monday' })
    const { text: page } = await browser.get(`${PATH}?month=2026-06`)
    assert.match(page, /Events that repeat appear four weeks ahead/)
    const cells = cellsOf(page)
    for (const day of ['08', '15', '22']) assert.match(cells.get(`2026-06-${day}`)!, /10:00 Every Monday/)
    for (const [name, value, expected] of [
      ['title', '', /Enter a value/],
      ['due_date', '2026-02-30', /a date YYYY-MM-DD/],
      ['due_date', '30.2.2026', /a date YYYY-MM-DD/],
      ['due_time', '24:00', /a time of day from 00:00 to 23:59/],
      ['recurrence_rule', 'sometimes', /not understood/],
    ] as const) {
      const { status, text } = await add({ [name]: value })
      assert.equal(status, 422, text)
      assert.match(text, new RegExp(`href="#projects-WEB-calendar-${name}"`))
      assert.match(text, expected)
    }
  })

  test('the first event of a series is on screen, and the notice says when it is not on the entered day', async t => {
    const before = portal.now
    t.after(() => void (portal.now = before))
    portal.now = new Date('2026-06-20T09:00:00Z')
    const later = await portal.signedIn(caller.email)
    await later.get(PATH)
    const series = { title: 'Pay', due_date: '2026-06-30', due_time: '', recurrence_rule: 'every month on the 1st' }
    const sent = await later.send(PATH, series)
    assert.equal(sent.location, `${PATH}?month=2026-07`)
    const { text } = await later.get(sent.location)
    assert.match(text, /“Pay” added\. No event is on Jun 30: the first by the rule is on Jul 1\./)
    assert.match(cellsOf(text).get('2026-07-01')!, /Pay/)
  })

  test('the form belongs to the month on screen, and stays there when it is refused', async () => {
    const dayOf = (text: string) => /name="due_date"[^>]*value="([^"]*)"/.exec(text)?.[1]
    assert.equal(dayOf((await browser.get(PATH)).text), '2026-06-01')
    assert.equal(dayOf((await browser.get(`${PATH}?month=2026-06`)).text), '2026-06-01')
    assert.equal(dayOf((await browser.get(`${PATH}?month=2026-09`)).text), '2026-09-01')
    const refused = await add({ due_date: '2026-09-12', title: '' })
    assert.match(refused.text, /<h1>September 2026<\/h1>/)
    assert.equal(dayOf(refused.text), '2026-09-12')
    assert.match((await add({ due_date: '', title: '' })).text, /<h1>June 2026<\/h1>/)
  })

  test('a viewer sees the events and no form; without the calendar there is neither page nor menu entry', async () => {
    const viewer = await portal.newUser()
    await browser.get('/projects/WEB/members')
    await browser.send('/projects/WEB/members', { email: viewer.email, role: 'viewer' })
    await portal.host.write(ctx => acceptAll(ctx, viewer.email))
    await add({ title: 'Seen by all' })
    const reading = await portal.signedIn(viewer.email)
    const shared = PATH.replace('WEB', `${caller.email}%2FWEB`)
    const { text } = await reading.get(`${shared}?month=2026-06`)
    assert.match(text, /Seen by all/)
    assert.doesNotMatch(text, /New event/)
    assert.match((await browser.get('/projects/WEB/board')).text, /href="\/projects\/WEB\/calendar"/)
    await browser.get('/projects/WEB/features')
    await browser.send('/projects/WEB/features', { features: 'sprints' })
    assert.doesNotMatch((await browser.get('/projects/WEB/board')).text, /href="\/projects\/WEB\/calendar"/)
    const off = await browser.get(PATH)
    assert.doesNotMatch(off.text, /Seen by all|New event/)
    assert.equal(off.status, 404)
  })
})
