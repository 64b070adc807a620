import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { generateDue } from '../../../plugins/templates/index.ts'
import { portalHost } from '../portal/portal-host.ts'

forEachEngine('the next occurrence of a template in the portal', engine => {
  const portal = portalHost(engine, { config: { plugins: { portal: {}, project_admin: true } } })

  verifies('templates.skip', 'is skipped and moved by a button; the others stay, and the history says so', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const { item } = await user.call('templates_create', {
      title: 'Report',
      recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9',
      timezone: 'Asia/Tokyo',
    })
    const page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
    const next = async (): Promise<string> =>
      (await user.call('items_get', { item_ref: item.ref })).item.next_occurrence.slice(0, 16)
    const shown = async (): Promise<string> => /Next: ([^<]*)/.exec((await browser.get(page)).text)![1]!
    assert.equal(await shown(), 'Jun 8 09:00, Jun 15 09:00, Jun 22 09:00')

    const nextAt = `${await next()}:00.000Z`
    assert.equal((await browser.send(`${page}/occurrences/skip`, { next: nextAt })).status, 303)
    assert.equal(await shown(), 'Jun 15 09:00, Jun 22 09:00, Jun 29 09:00')
    assert.match((await browser.send(`${page}/occurrences/skip`, { next: nextAt })).text, /has changed meanwhile/)

    await browser.get(page)
    const move = (to: string, at: string) => browser.send(`${page}/occurrences/move`, { next: at, to })
    assert.equal((await move('2026-06-16 18:30', '2026-06-15T00:00:00.000Z')).status, 303)
    assert.equal(await shown(), 'Jun 16 18:30, Jun 22 09:00, Jun 29 09:00')
    assert.match((await move('2020-01-01', '2026-06-16T09:30:00.000Z')).text, /still to come/)

    const { items } = await user
      .call('activities_list', { item_ref: item.ref })
      .then(({ activities }) => ({ items: activities }))
    assert.deepEqual(
      items.slice(0, 2).map(({ kind }: { kind: string }) => kind),
      ['template.moved', 'template.skipped'],
    )
    portal.now = new Date('2026-06-16T09:31:00Z')
    await portal.host.write(ctx => generateDue(ctx))
    const { items: tasks } = await user.call('tasks_list', { q: 'is:recurring' })
    assert.deepEqual(
      tasks.map((task: { due_date: string; due_time: string }) => `${task.due_date} ${task.due_time}`),
      ['2026-06-16 18:30'],
    )
    assert.equal(await next(), '2026-06-22T00:00')
  })

  test('the history names occurrences of whole days by their dates', async () => {
    portal.now = new Date('2026-06-01T01:00:00Z')
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const { item } = await user.call('templates_create', {
      project_key: 'INBOX',
      title: 'Rent',
      recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO',
      timezone: 'Asia/Tokyo',
    })
    const page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
    const send = async (form: string, day: string, to?: string) => {
      await browser.get(page)
      const next = new Date(`${day}T00:00+09:00`).toISOString()
      assert.equal((await browser.send(`${page}/occurrences/${form}`, { next, ...(to && { to }) })).status, 303)
    }
    await send('skip', '2026-06-08')
    await send('move', '2026-06-15', '2026-06-16')
    portal.now = new Date('2026-06-16T01:00:00Z')
    await portal.host.write(ctx => generateDue(ctx))
    const { activities } = await user.call('activities_list', { item_ref: item.ref })
    assert.deepEqual(
      activities.slice(0, 3).map(({ kind, from, to }: Record<string, object>) => [kind, from, to]),
      [
        ['template.generated', undefined, { item: 'INBOX#2', occurrence: '2026-06-16' }],
        ['template.moved', { occurrence: '2026-06-15' }, { next: '2026-06-16', occurrence: '2026-06-16' }],
        ['template.skipped', { occurrence: '2026-06-08' }, { next: '2026-06-15' }],
      ],
    )
    const { text } = await (await portal.signedIn(user.email)).get(`${page}/history`)
    for (const day of ['Jun 8', 'Jun 15', 'Jun 16']) assert.ok(text.includes(`<q>${day}</q>`), day)
  })

  verifies(
    'templates.skip',
    'an event that was made ahead of time is archived or moved, and not made again',
    async () => {
      portal.now = new Date('2026-06-01T01:00:00Z')
      const user = await portal.newUser()
      const browser = await portal.signedIn(user.email)
      const { item } = await user.call('events_create', {
        project_key: 'INBOX',
        title: 'Standup',
        due_date: '2026-06-08',
        due_time: '10:00',
        recurrence_rule: 'FREQ=WEEKLY',
        timezone: 'Asia/Tokyo',
      })
      const page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
      const made = async (): Promise<string[]> => {
        const { text } = await browser.get(page)
        const [, list = ''] = /Next: (.*?)<\/p>/s.exec(text) ?? []
        return list
          .replaceAll(/<[^>]*>/g, '')
          .split(', ')
          .map(each => each.replace(/^#\d+ /, ''))
      }
      assert.deepEqual(await made(), ['Jun 8 10:00', 'Jun 15 10:00', 'Jun 22 10:00'])
      const skipped = { next: '2026-06-08T01:00:00.000Z' }
      const answer = await browser.send(`${page}/occurrences/skip`, skipped)
      assert.equal(answer.status, 303)
      assert.match((await browser.get(answer.location!)).text, /Skipped: #\d+ is archived\./)
      assert.deepEqual(await made(), ['Jun 15 10:00', 'Jun 22 10:00', 'Jun 29 10:00'])
      const event = `/projects/INBOX/items/${Number(item.ref.split('#')[1]) + 1}`
      assert.match((await browser.get(event, { 'accept-language': 'ja' })).text, /繰り返しのうちこの回だけをスキップ/)
      await browser.get(page)
      assert.match((await browser.send(`${page}/occurrences/skip`, skipped)).text, /has changed meanwhile/)

      await browser.get(page)
      const move = (to: string) => browser.send(`${page}/occurrences/move`, { next: '2026-06-15T01:00:00.000Z', to })
      assert.match((await move('2020-01-01')).text, /still to come/)
      await browser.get(page)
      const moved = await move('2026-06-16 11:30')
      assert.match((await browser.get(moved.location!)).text, /Moved: #\d+ is now on Jun 16 11:30\./)
      assert.deepEqual(await made(), ['Jun 16 11:30', 'Jun 22 10:00', 'Jun 29 10:00'])
      const { activities } = await user.call('activities_list', { item_ref: item.ref })
      assert.deepEqual(
        activities.slice(0, 2).map(({ kind }: { kind: string }) => kind),
        ['template.moved', 'template.skipped'],
      )
      for (const next of ['x', '+010000-01-01T00:00:00.000Z', '2026-07-07T01:00:00.000Z']) {
        await browser.get(page)
        assert.match((await browser.send(`${page}/occurrences/skip`, { next })).text, /has changed meanwhile/)
      }
      // Neither is made again, and what follows comes as before.
      portal.now = new Date('2026-06-09T01:00:00Z')
      await portal.host.write(ctx => generateDue(ctx))
      const { items } = await user.call('events_list', {})
      assert.deepEqual(items.map((event: { due_date: string }) => event.due_date).toSorted(), [
        '2026-06-16',
        '2026-06-22',
        '2026-06-29',
        '2026-07-06',
      ])
    },
  )

  test('in an archived project, a series is paused and cannot be skipped or moved', async () => {
    const { caller, browser } = await portal.withProject()
    const daily = { project_key: 'WEB', title: 'Daily', recurrence_rule: 'FREQ=DAILY' }
    const { item } = await caller.call('templates_create', daily)
    const page = `/projects/WEB/items/${item.ref.split('#')[1]}`
    assert.match((await browser.get(page)).text, /Skip next/)
    await browser.get('/projects/WEB/settings')
    await browser.send('/projects/WEB/archive', { archived: 'yes' })
    const { text } = await browser.get(page)
    assert.match(text, /No items are created while the template is closed, or it or its project is archived/)
    assert.match((await browser.get('/projects/WEB/add')).text, /Nothing can be added: the project is archived/)
    assert.doesNotMatch(text, /Skip next|Move next/)
  })

  test('a series shows all its times, and the form for the next one, in its own time zone, until its last event', async () => {
    portal.now = new Date('2026-06-01T01:00:00Z')
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const { item } = await user.call('events_create', {
      project_key: 'INBOX',
      title: 'Call the island',
      due_date: '2026-06-08',
      due_time: '09:15',
      recurrence_rule: 'FREQ=WEEKLY;COUNT=5',
      timezone: 'Australia/Lord_Howe',
    })
    const page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
    const show = async (): Promise<string> => (await browser.get(page)).text
    const text = await show()
    const plain = text.replaceAll(/<[^>]*>/g, '')
    assert.match(plain, /Next: #\d+ Jun 8 09:15, #\d+ Jun 15 09:15, #\d+ Jun 22 09:15/)
    assert.match(plain, /Not made yet: Jul 6 09:15/)
    assert.match(text, /name="to"[^>]* value="2026-06-08 09:15"/)
    portal.now = new Date('2026-06-20T01:00:00Z')
    await portal.host.write(ctx => generateDue(ctx))
    assert.doesNotMatch(await show(), /has ended/)
    portal.now = new Date('2026-07-20T01:00:00Z')
    assert.match((await (await portal.signedIn(user.email)).get(page)).text, /has ended/)
  })

  verifies(
    'portal.quick_add',
    'one line becomes a task with its date, or a template with its next three dates',
    async () => {
      portal.now = new Date('2026-07-01T03:00:00Z')
      const user = await portal.newUser()
      const browser = await portal.signedIn(user.email)
      const page = '/projects/INBOX/add'
      const add = async (line: string): Promise<string> => {
        await browser.get(page)
        const { status, location, text } = await browser.send(page, { line })
        return status === 303 ? (await browser.get(location!)).text : text
      }
      assert.match(await add('Buy milk tomorrow 15:00'), /Added, due Jul 2 15:00\./)
      assert.match(await add('来週の火曜 会議'), /Added, due Jul 7\./)
      assert.match(
        await add('Report every second Friday at 16:00'),
        /Added: Every 2 weeks on Friday at 16:00\. Next: Jul 3 16:00, Jul 17 16:00, Jul 31 16:00\./,
      )
      assert.match(await add('Plain title'), /Added without a date\./)
      assert.match(await add('tomorrow'), /Say what is to be done/)
      const { items } = await user.call('tasks_list', {})
      const all = items.map(({ title, due_date: date, due_time: time }: Record<string, string>) => [title, date, time])
      assert.deepEqual(all, [
        ['Buy milk', '2026-07-02', '15:00'],
        ['会議', '2026-07-07', undefined],
        ['Plain title', undefined, undefined],
      ])
      assert.match(
        (await browser.get(page)).text,
        /Recurring tasks[\s\S]*>Report<[\s\S]*Every 2 weeks on Friday at 16:00/,
      )
      for (const place of ['board', 'library'])
        assert.match((await browser.get(`/projects/INBOX/${place}`)).text, /href="\/projects\/INBOX\/add#recurring"/)
      const { templates } = await user.call('task_templates_list', {})
      assert.deepEqual([templates.length, templates[0].title, templates[0].timezone], [1, 'Report', 'Asia/Tokyo'])
    },
  )

  test('a line that says only how often is refused in both languages, and a full stop keeps its words', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const page = '/projects/INBOX/add'
    for (const [language, line, refusal] of [
      ['en', 'Gym twice a week', /Say on which days or at which times[^<]*A full stop at the end keeps the words/],
      ['ja', 'ジム 週2回', /曜日や時刻を入力してください。行末に「。」を付けると/],
    ] as const) {
      const headers = { 'accept-language': language }
      await browser.get(page, headers)
      const { status, text } = await browser.send(page, { line }, headers)
      assert.equal(status, 422)
      assert.match(text, refusal)
      assert.match(text, new RegExp(`value="${line}"`))
      const stop = language === 'en' ? '.' : '。'
      await browser.get(page, headers)
      assert.equal((await browser.send(page, { line: line + stop }, headers)).status, 303)
    }
    const { items } = await user.call('tasks_list', {})
    assert.deepEqual(
      items.map(({ title }: { title: string }) => title),
      ['Gym twice a week.', 'ジム 週2回。'],
    )
    const { templates } = await user.call('task_templates_list', {})
    assert.equal(templates.length, 0)
  })
})
