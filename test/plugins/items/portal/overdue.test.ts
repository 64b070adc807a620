import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { acceptAll } from '../../../members.ts'
import { portalHost } from '../../portal/portal-host.ts'

forEachEngine('overdue tasks', engine => {
  const portal = portalHost(engine, { config: { plugins: { portal: {}, project_admin: true } } })

  test('board, calendar and item page mark in words what is:overdue finds, and nothing else', async () => {
    const { caller, browser } = await portal.withProject()
    // It is 18:00 in Tokyo on 1 June.
    const make = async (title: string, due: object, tool = 'items_create') =>
      (await caller.call(tool, { project_key: 'WEB', title, ...due })).item.ref as string
    const late = await make('Yesterday', { due_date: '2026-05-31' })
    await make('A minute ago', { due_date: '2026-06-01', due_time: '17:59' })
    await make('Now', { due_date: '2026-06-01', due_time: '18:00' })
    await make('Some time today', { due_date: '2026-06-01' })
    await make('Tomorrow', { due_date: '2026-06-02' })
    await make('Never', {})
    const done = await make('Kept', { due_date: '2026-05-30' })
    await caller.call('items_complete', { item_ref: done })
    const party = await make('Past event', { due_date: '2026-05-29' }, 'events_create')
    const { items } = await caller.call('tasks_list', { project_key: 'WEB', q: 'is:overdue' })
    const expected = items.map((item: { title: string }) => item.title).sort()
    assert.deepEqual(expected, ['A minute ago', 'Yesterday'])
    const shown = async (addresses: readonly string[], entry: RegExp, word: string) => {
      const texts = []
      for (const address of addresses) texts.push((await browser.get(address)).text)
      const entries = texts.join('').match(entry)!
      assert.ok(entries.length >= 7, String(entries.length))
      const marked = entries.filter(text => text.includes(`<span class="tag bad">${word}</span>`))
      // Titles alone, at the end of a link: the random proof of a card's form may contain a short one.
      return [...marked.join('').matchAll(/([A-Z][\w ]*\w)\s*<\/a/g)].map(([, title]) => title!).toSorted()
    }
    const months = ['2026-05', '2026-06'].map(month => `/projects/WEB/calendar?month=${month}`)
    for (const [language, word, day] of [
      ['ja', '期限超過', '5月31日'],
      ['en', 'Overdue', 'May 31'],
    ] as const) {
      await browser.get(`/language/${language}`)
      assert.deepEqual(await shown(['/projects/WEB/board'], /<li class="card"[\s\S]*?<\/li>/g, word), expected)
      assert.deepEqual(await shown(months, /<li[^>]*>\s*<a href="[^"]*items[\s\S]*?<\/li>/g, word), expected)
      for (const ref of [late, done, party]) {
        const { text } = await browser.get(`/projects/WEB/items/${ref.split('#')[1]}`)
        assert.equal(text.includes(`${ref === late ? day : '-'} <span class="tag bad">${word}</span>`), ref === late)
      }
    }
  })

  test('a task is overdue for all members at the time of its owner, also after the owner moved', async () => {
    const { caller } = await portal.withProject()
    const late = { project_key: 'WEB', title: 'Late', due_date: '2026-06-01', due_time: '17:59' }
    const { ref } = (await caller.call('items_create', late)).item
    const email = 'nia@example.com'
    const nia = await portal.host.user(email, { timeZone: 'America/New_York' })
    await nia.call('items_create', {
      project_key: 'INBOX',
      title: 'Later today',
      due_date: '2026-06-01',
      due_time: '17:59',
    })
    await portal.host.browser(email)
    await caller.call('project_members_set', { project_key: 'WEB', email, role: 'viewer' })
    await portal.host.write(ctx => acceptAll(ctx, email))
    const browser = await portal.signedIn(email)
    const seen = async (): Promise<unknown> => {
      const { projects, open_tasks: tasks } = await nia.call('me_overview')
      const { items } = await nia.call('tasks_list', { q: 'is:overdue' })
      const pages = []
      for (const page of ['board', 'calendar?month=2026-06', `items/${ref.split('#')[1]}`])
        pages.push((await browser.get(`/projects/WEB/${page}`)).text.includes('<span class="tag bad">Overdue</span>'))
      return {
        overview: projects.map((project: { overdue_tasks: number }) => project.overdue_tasks),
        tasks: tasks
          .map((task: { title: string; overdue?: boolean }) => `${task.title} ${task.overdue ?? false}`)
          .sort(),
        listed: items.map((item: { title: string }) => item.title),
        pages,
      }
    }
    await browser.get('/language/en')
    // 18:00 in Tokyo, 5:00 in New York.
    const tokyo = {
      overview: [0, 1],
      tasks: ['Late true', 'Later today false'],
      listed: ['Late'],
      pages: [true, true, true],
    }
    assert.deepEqual(await seen(), tokyo)
    const page = `/projects/WEB/items/${ref.split('#')[1]}`
    assert.match((await browser.get(page)).text, /Jun 1 17:59 \(Asia\/Tokyo\) </)
    await portal.host.write(ctx => ctx.users.update(caller.userId, { name: 'Ann', timeZone: 'America/New_York' }))
    assert.deepEqual(await seen(), {
      overview: [0, 0],
      tasks: ['Late false', 'Later today false'],
      listed: [],
      pages: [false, false, false],
    })
    assert.match((await browser.get(page)).text, /Jun 1 17:59</)
  })
})
