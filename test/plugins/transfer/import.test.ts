import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { rm } from 'node:fs/promises'
import type { CommandResult } from '../../../core/plugin/command.ts'
import { forEachEngine } from '../../engines.ts'
import { sharedHost, type Newcomer } from '../../shared-host.ts'

const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name)

forEachEngine('import', engine => {
  const shared = sharedHost(engine)
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-import-'))
  after(() => rm(folder, { recursive: true }))

  const fileOf = (content: string | Uint8Array, name = 'items.csv'): string => {
    const path = join(mkdtempSync(join(folder, 'f')), name)
    writeFileSync(path, content)
    return path
  }
  /** Runs the command in as many transactions as the command line does. */
  const run = async (user: Newcomer, file: string, more: object = {}): Promise<CommandResult> => {
    let args: object = { file, project: 'APP', user: user.email, ...more }
    for (;;) {
      const result = await shared.command('import file', args)
      if (!result.next) return result
      args = result.next.args
    }
  }
  const newUser = async (): Promise<Newcomer> => {
    const user = await shared.newUser()
    await user.createProject('APP')
    return user
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- results of any tool
  const list = async (user: Newcomer, more: object = {}): Promise<any[]> =>
    (await user.call('tasks_list', { project_key: 'APP', sort: 'created', order: 'asc', limit: 100, ...more })).items

  test('a due date with a time in the same cell keeps the time, except midnight', async () => {
    const user = await newUser()
    const dates = [
      '2026/12/1 15:00',
      '"December 1, 2026 3:05 PM"',
      '2026年12月1日 9:30',
      '01/Dec/26 12:00 AM',
      'Dec 1 2026',
    ]
    await run(user, fileOf(`title,due_date\n${dates.map((date, index) => `${index},${date}\n`).join('')}`), {
      yes: true,
    })
    assert.deepEqual(
      (await list(user)).map(item => [item.title, item.due_date, item.due_time]),
      ['15:00', '15:05', '09:30', undefined, undefined].map((time, index) => [String(index), '2026-12-01', time]),
    )
  })

  test('names of columns do not control the terminal, and end where they end', async () => {
    const { text } = await run(await newUser(), fileOf('title,Risk,Team. Done\u001b]0;x\u0007\nA,1,2\n'))
    assert.match(text!, /\nLeft out: Risk, "Team\. Done \]0;x"\.$/)
  })

  test('times of day are read as people write them, and what an event or a time lacks is noted', async () => {
    const user = await newUser()
    const table = 'title,due_date,due_time\nA,2026-12-01,9:30\nB,2026-12-01,4pm\nC,2026-12-01,noon\nD,,10:00\n'
    const { rows } = await run(user, fileOf(table), { yes: true })
    assert.deepEqual(
      rows!.map(row => [row['line'], row['field']]),
      [
        [4, 'dueTime'],
        [5, 'dueTime'],
      ],
    )
    const times = (await list(user)).map(({ title, due_time }) => [title, due_time])
    assert.deepEqual(times, [
      ['A', '09:30'],
      ['B', '16:00'],
      ['C', undefined],
      ['D', undefined],
    ])
    const events = [
      { type: 'event', title: 'Fair', due_date: '2026-12-01', due_time: '10:00' },
      { type: 'event', title: 'Party' },
    ]
    const file = fileOf(JSON.stringify({ format: 'tasuki-items', version: 1, items: events }), 'items.json')
    const made = await run(user, file, { yes: true })
    assert.deepEqual(made.rows, [{ line: 2, field: 'dueDate', problem: 'an event without a date is in no calendar' }])
  })

  test('a Jira file becomes items with their comments, labels, parents, dates, estimates and keys', async () => {
    const user = await newUser()
    const planned = await run(user, fixture('jira.csv'))
    assert.match(planned.text!, /Of this jira file 3 items would be; 0 were imported before/)
    assert.match(planned.text!, /would be; 0 were imported before/)
    assert.deepEqual(await list(user), [])
    const { text, rows } = await run(user, fixture('jira.csv'), { yes: true })
    assert.match(text!, /Imported 3 items into APP; 0 were there already/)
    assert.deepEqual(
      rows!.map(row => [row['line'], row['field']]),
      [
        [4, 'status'],
        [4, 'dueDate'],
        [4, 'priority'],
        [5, 'title'],
      ],
    )
    const { item } = await user.call('items_get', { item_ref: 'SHOP-7' })
    assert.deepEqual(
      [
        item.title,
        item.status,
        item.priority,
        item.agile_kind,
        item.due_date,
        item.created_at,
        item.labels,
        item.estimate,
      ],
      [
        'Pay by card, or by invoice',
        'In progress',
        'high',
        'story',
        '2026-03-20',
        '2026-03-14T10:01:00.000Z',
        ['web', 'payments'],
        '5',
      ],
    )
    assert.deepEqual(item.imported_from, { format: 'jira', key: 'SHOP-7', author: 'ann', assignee: 'bob' })
    const { discussions } = await user.call('discussions_list', { item_ref: 'SHOP-7' })
    assert.deepEqual(
      // oxlint-disable-next-line typescript/no-explicit-any -- results of any tool
      discussions.map((each: any) => [each.author, each.author_kind, each.body, each.created_at]),
      [
        ['bob', 'imported', 'Second\nin two lines', '2026-03-15T09:00:00.000Z'],
        ['ann', 'imported', 'First; with a semicolon', '2026-03-14T13:05:00.000Z'],
      ],
    )
    const child = await user.call('items_get', { item_ref: 'SHOP-9' })
    assert.equal(child.item.parent_ref, item.ref)
    const done = await user.call('items_get', { item_ref: 'SHOP-11' })
    assert.deepEqual([done.item.status, done.item.agile_kind], ['Done', 'bug'])
    const { activities } = await user.call('activities_list', { item_ref: 'SHOP-7' })
    assert.match(activities.at(-1).reason, /^Imported from jira\.csv: SHOP-7$/)
  })

  test('importing twice adds nothing, and an interrupted run continues', async () => {
    const user = await newUser()
    const rows = Array.from({ length: 1100 }, (_, n) => `K-${n + 1},Item ${n + 1}`)
    const file = fileOf(['key,title', ...rows].join('\n'))
    const first = await shared.command('import file', { file, project: 'APP', user: user.email, yes: true })
    await assert.rejects(
      shared.command('import file', { file: '/nope.csv', project: 'APP', user: user.email }),
      /nope\.csv is not there\./,
    )
    assert.deepEqual([first.next?.done, first.next?.total], [500, 1100])
    const again = await run(user, file, { yes: true })
    assert.match(again.text!, /Imported 600 items into APP; 500 were there already/)
    const third = await run(user, file, { yes: true })
    assert.match(third.text!, /Imported 0 items into APP; 1100 were there already/)
    const { total } = await user.call('tasks_list', { project_key: 'APP', limit: 1, include_total: true })
    assert.equal(total, 1100)
  })

  test('a file that cannot be read is refused in a sentence', { skip: process.platform !== 'linux' }, async () => {
    const { email } = await newUser()
    const importOf = (file: string) => shared.command('import file', { file, project: 'APP', user: email })
    await assert.rejects(importOf('/proc/self/mem'), /mem cannot be read\./)
    await assert.rejects(importOf('/proc'), /proc is not a file\./)
  })

  test('children follow their parents in any order, across batches, and a cycle is broken', async () => {
    const user = await newUser()
    const rows = Array.from({ length: 600 }, (_, n) => `c${n},Child ${n},top`)
    const file = fileOf(['key,title,parent', ...rows, 'top,Top,', 'x,X,y', 'y,Y,x', 'z,Z,nobody'].join('\n'))
    const { text, rows: problems } = await run(user, file, { yes: true })
    assert.match(text!, /Imported 604 items/)
    assert.deepEqual(
      problems!.map(row => [row['line'], row['field']]),
      [
        [604, 'parent'],
        [605, 'parent'],
      ],
    )
    const { total } = await user.call('tasks_list', {
      project_key: 'APP',
      q: 'parent:any',
      limit: 1,
      include_total: true,
    })
    assert.equal(total, 601)
  })

  test('files of Excel and files with hostile text are read, and long texts are truncated with a note', async () => {
    const user = await newUser()
    const text = `件名,説明,ラベル\n買い物,牛乳\u200bと卵,"家,急ぎ"\n${'長'.repeat(300)},,\n`
    const utf16 = fileOf(Buffer.from(`\ufeff${text}`, 'utf16le'))
    const { rows } = await run(user, utf16, { yes: true })
    assert.deepEqual(
      rows!.map(row => [row['line'], row['field']]),
      [[3, 'title']],
    )
    const items = await list(user)
    assert.deepEqual(
      items.map(item => [item.title.length, item.labels]),
      [
        [3, ['家', '急ぎ']],
        [200, undefined],
      ],
    )
    const shiftJis = fileOf(Buffer.from([0x8c, 0x8f, 0x96, 0xbc, 0x0a, 0x8b, 0x8d, 0x93, 0xfb, 0x0a]))
    await run(user, shiftJis, { yes: true })
    assert.equal((await list(user)).at(-1).title, '牛乳')
    const hostile = fileOf('title;detail\nA\0B;"x\0y"\n')
    await run(user, hostile, { yes: true })
    assert.equal((await list(user, { title_contains: 'AB' })).length, 1)
    await assert.rejects(run(user, fileOf('title\nA\n"unclosed\n')), /no table: .* at line 3/)
    const { rows: quoted } = await run(user, fileOf('title,detail\n"Say "hi" to her",x\n'), { yes: true })
    assert.match(quoted![0]!['problem'] as string, /quote within a quoted cell/)
    assert.equal((await list(user)).at(-1).title, 'Say "hi" to her')
  })

  test('Linear, GitHub and Trello exports are recognised', async () => {
    const user = await newUser()
    for (const name of ['linear.csv', 'github.json', 'trello.json']) await run(user, fixture(name), { yes: true })
    const items = await list(user)
    assert.deepEqual(
      items
        .toSorted((a, b) => (a.title < b.title ? -1 : 1))
        .map(({ title, status, labels, due_date: due }) => [title, status, labels ?? null, due ?? null]),
      [
        ['Crash on start', "Won't fix", ['Bug'], '2026-05-01'],
        ['From gh', 'Backlog', ['docs'], null],
        ['Paint the door', 'In progress', ['garden', 'red'], '2026-04-02'],
        ['Part of it', "Won't fix", null, null],
        ['Ship it', 'In progress', ['Bug', 'Mobile'], '2026-04-01'],
      ],
    )
    const door = items.find(({ title }) => title === 'Paint the door')
    const steps = await user.call('checklist_list', { item_ref: door.ref })
    assert.deepEqual(
      // oxlint-disable-next-line typescript/no-explicit-any -- results of any tool
      (Object.values(steps).find(Array.isArray) as any[]).map(({ content, done }) => [content, done]),
      [
        ['Sand', true],
        ['Paint', false],
      ],
    )
    const { discussions } = await user.call('discussions_list', { item_ref: door.ref })
    assert.deepEqual(
      // oxlint-disable-next-line typescript/no-explicit-any -- results of any tool
      discussions.map((each: any) => [each.author, each.body]),
      [
        ['Bo', 'Later'],
        ['Al', 'Earlier'],
      ],
    )
    const { item } = await user.call('items_get', { item_ref: 'WEB_SHOP-14' })
    assert.deepEqual(item.imported_from, { format: 'github', key: 'acme/web-shop#14', author: 'cy' })
  })

  test('states are mapped, and files that cannot be imported are refused with the next step', async () => {
    const user = await newUser()
    const file = fileOf('title,status\nA,Icebox\n')
    const { rows } = await run(user, file, { yes: true, states: 'Icebox=In review' })
    assert.deepEqual(rows, [])
    assert.equal((await list(user))[0].status, 'In review')
    for (const yes of [true, false])
      await assert.rejects(run(user, file, { yes, states: 'Icebox=Nope' }), {
        code: 'not_found',
        message: 'APP has no state "Nope".',
        help: { field: 'states', allowed: ['Backlog', 'In progress', 'In review', 'Done', 'Duplicate', "Won't fix"] },
      })
    await assert.rejects(run(user, fileOf('\x89PNG')), { code: 'invalid_argument' })
    await assert.rejects(run(user, join(folder, 'missing.csv')), { code: 'invalid_argument' })
    await assert.rejects(run(user, file, { format: 'excel' }), { code: 'invalid_argument' })
    await assert.rejects(run(user, file, { project: 'NONE' }), { code: 'not_found' })
  })

  test('a viewer imports nothing, and an editor no numbers', async () => {
    const [owner, other] = [await newUser(), await shared.newUser()]
    await owner.share('APP', other.email, 'editor')
    const { rows } = await run(other, fileOf('key,title\nNO-1,A\n'), { yes: true })
    assert.deepEqual(
      rows!.map(row => row['problem']),
      ['only the owner chooses numbers'],
    )
    const viewer = await shared.newUser()
    await owner.share('APP', viewer.email, 'viewer')
    await assert.rejects(run(viewer, fileOf('title\nB\n'), { yes: true }), { code: 'forbidden' })
  })
})
