import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { strToU8, zipSync } from 'fflate'
import { definePlugin } from 'tasuki/plugin'
import type { CommandResult } from '../../../core/plugin/command.ts'
import { markdownOf } from '../../../plugins/transfer/formats/html.ts'
import { importFormats } from '../../../plugins/transfer/points.ts'
import { limitsFor, MEMORY_LIMITS } from '../../../plugins/transfer/memory-limits.ts'
import { testHost } from '../../../core/testing/index.ts'
import { forEachEngine } from '../../engines.ts'
import { sharedHost, type Newcomer } from '../../shared-host.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- results of any tool
type Json = any

const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name)

/** A third-party format with one line per task, as in todo.txt. */
const todoTxt = definePlugin({
  name: 'todo_txt',
  version: '1.0.0',
  api: 1,
  group: 'todo_txt',
  dependsOn: ['transfer'],
  contributes: [
    importFormats({
      name: 'todo.txt',
      matches: ({ name }) => name === 'todo.txt',
      read: ({ text }) => ({
        items: text
          .split('\n')
          .filter(line => line.trim() !== '')
          .map((line, n) => ({
            line: n + 1,
            key: line,
            title: line.replace(/^x /, '').replaceAll(/\s[+@]\S+/g, ''),
            closed: line.startsWith('x '),
            parts: { labels: [...line.matchAll(/\s\+(\S+)/g)].map(match => match[1]!) },
          })),
        problems: [],
        ignored: ['contexts'],
      }),
    }),
  ],
})

/** A third-party format whose file holds the items themselves. */
const rich = definePlugin({
  name: 'rich',
  version: '1.0.0',
  api: 1,
  group: 'rich',
  dependsOn: ['transfer'],
  contributes: [
    importFormats({
      name: 'rich',
      matches: ({ name }) => name === 'rich.json',
      read: ({ text }) => ({ items: JSON.parse(text), problems: [], ignored: [] }),
    }),
  ],
})

forEachEngine('formats of imports', engine => {
  const shared = sharedHost(engine, { plugins: [todoTxt, rich] })
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-formats-'))
  after(() => rm(folder, { recursive: true }))

  const fileOf = (content: string | Uint8Array, name: string): string => {
    const path = join(mkdtempSync(join(folder, 'f')), name)
    writeFileSync(path, content)
    return path
  }
  const run = async (user: Newcomer, file: string, more: object = {}): Promise<CommandResult> =>
    shared.command('import file', { file, project: 'APP', user: user.email, yes: true, ...more })
  const list = async (user: Newcomer, more: object = {}): Promise<Json[]> =>
    (
      await user.call('tasks_list', {
        project_key: 'APP',
        sort: 'created',
        order: 'asc',
        limit: 100,
        include_area: true,
        include_agile: true,
        ...more,
      })
    ).items
  const newUser = async (): Promise<Newcomer> => {
    const user = await shared.newUser()
    await user.createProject('APP')
    return user
  }
  const byTitle = (items: readonly { title: string }[]) => new Map(items.map(item => [item.title, item]))

  test('Todoist: tasks with sections, levels, labels, notes and dates; importing twice adds nothing', async () => {
    const user = await newUser()
    const { text, rows } = await run(user, fixture('todoist.csv'))
    assert.match(text!, /Imported 5 items/)
    assert.deepEqual(rows, [])
    const items = await list(user)
    const call = items.find(({ title }) => title === 'Call the plumber')
    assert.deepEqual(
      [call.detail, call.priority, call.due_date, call.due_time, call.labels],
      ['About the tap', 'urgent', '2026-12-01', '10:30', ['home', 'phone']],
    )
    const child = items.find(({ title }) => title === 'Find the number')
    assert.equal((await user.call('items_get', { item_ref: child.ref })).item.parent_ref, call.ref)
    assert.deepEqual(
      items.filter(({ title }) => title === 'Water plants').map(item => [item.priority, item.area_path ?? null]),
      [
        ['low', null],
        ['normal', 'Garden'],
      ],
    )
    const { discussions } = await user.call('discussions_list', { item_ref: call.ref })
    assert.deepEqual([discussions[0].author, discussions[0].body], ['Bo', 'He comes on Monday'])
    assert.match((await run(user, fixture('todoist.csv'))).text!, /Imported 0 items into APP; 5 were/)
  })

  test('Todoist: a deadline is the date of a task without one, and else a remark', async () => {
    const user = await newUser()
    const rows = ['task,Pay,4,1,,2026-12-10', 'task,Call,4,1,2026-12-05,2026-12-10']
    const file = fileOf(`TYPE,CONTENT,PRIORITY,INDENT,DATE,DEADLINE\n${rows.join('\n')}\n`, 'a.csv')
    assert.deepEqual((await run(user, file)).rows, [
      { line: 3, field: 'deadline', problem: '"2026-12-10" is left out: the task has a date, too' },
    ])
    const items = byTitle(await list(user)) as ReadonlyMap<string, { due_date?: string }>
    assert.deepEqual(
      ['Pay', 'Call'].map(title => items.get(title)?.due_date),
      ['2026-12-10', '2026-12-05'],
    )
  })

  test('a table of Asana keeps parents by title, times and tasks with the same name', async () => {
    const user = await newUser()
    const rows = [
      '1,2026-10-01,,Plan launch,2026-12-01,',
      '2,2026-10-01,2026-10-05,Write copy,24.12.2026,Plan launch',
      '3,2026-10-02,,Write copy,,Plan launch',
      '4,2026-10-02,,Which,,Write copy',
    ]
    const file = fileOf(`Task ID,Created At,Completed At,Name,Due Date,Parent task\n${rows.join('\n')}\n`, 'asana.csv')
    const { text, rows: remarks } = await run(user, file)
    assert.match(text!, /Imported 4 items/)
    assert.deepEqual(remarks, [
      { line: 5, field: 'parent', problem: 'its parent "Write copy" is not among the imported items' },
    ])
    const items = await list(user)
    const done = items.find(({ system_status: state }) => state === 'closed')
    assert.equal(done.due_date, '2026-12-24')
    const { item } = await user.call('items_get', { item_ref: done.ref })
    assert.deepEqual(
      [item.parent_ref, item.completed_at, item.created_at],
      [items.find(({ title }) => title === 'Plan launch').ref, '2026-10-05T00:00:00.000Z', '2026-10-01T00:00:00.000Z'],
    )
  })

  test('rows with one title are items of their own, but a row that stands there twice is one', async () => {
    const user = await newUser()
    const rows = ['Pay rent,2026-11-01', 'Pay rent,2026-12-01', 'Pay rent,2026-11-01', 'Pay rent,2027-01-01']
    const file = fileOf(`Title,Due\n${rows.join('\n')}\n`, 'rent.csv')
    const { text, rows: remarks } = await run(user, file)
    assert.match(text!, /Imported 3 items/)
    assert.deepEqual(remarks, [{ line: 4, field: 'key', problem: 'the same key is in line 2: left out' }])
    assert.deepEqual(
      (await list(user)).map(({ due_date: due }) => due),
      ['2026-11-01', '2026-12-01', '2027-01-01'],
    )
    assert.match((await run(user, file)).text!, /Imported 0 items.*3 /s)
  })

  test('tasks that repeat become the next task and a template that goes on', async () => {
    const user = await newUser()
    const rows = ['every friday at 16:00', 'ev other day', 'every! 3 days', '毎週金曜日'].map(
      (date, n) => `task,Water ${n} @home,4,1,${date}`,
    )
    const file = fileOf(`TYPE,CONTENT,PRIORITY,INDENT,DATE\n${rows.join('\n')}\n`, 'a.csv')
    assert.match((await run(user, file, { yes: false })).text!, /7 items would be/)
    const { text, rows: remarks } = await run(user, file)
    assert.match(text!, /Imported 7 items/)
    assert.deepEqual(remarks, [
      {
        line: 4,
        field: 'recurrence',
        problem: 'repeats (every! 3 days): imported without a date; a template repeats it',
      },
    ])
    const { templates } = await user.call('task_templates_list', { project_key: 'APP' })
    assert.deepEqual(templates.map(({ title, recurrence_rule: rule }: Json) => [title, rule]).toSorted(), [
      ['Water 0', 'FREQ=WEEKLY;BYDAY=FR;BYHOUR=16'],
      ['Water 1', 'FREQ=DAILY;INTERVAL=2'],
      ['Water 3', 'FREQ=WEEKLY;BYDAY=FR'],
    ])
    const items = await list(user, { q: 'type:task' })
    const [friday, , unknown] = ['Water 0', 'Water 1', 'Water 2'].map(title => items.find(item => item.title === title))
    assert.deepEqual([friday.due_time, new Date(friday.due_date).getUTCDay(), friday.labels], ['16:00', 5, ['home']])
    assert.equal(unknown.due_date, undefined)
    // The task is the current occurrence of its template, which continues a week later.
    const { item } = await user.call('items_get', { item_ref: friday.ref })
    const template = templates.find(({ title }: Json) => title === 'Water 0')
    assert.equal(item.template_ref, template.ref)
    assert.equal(Date.parse(template.next_occurrence) - Date.parse(item.occurrence), 7 * 86_400_000)
    const made = await user.call('items_get', { item_ref: template.ref })
    assert.deepEqual([made.item.labels, made.item.generation_strategy], [['home'], 'skip_if_previous_open'])
    assert.match((await run(user, file)).text!, /Imported 0 items into APP; 7 were/)
  })

  test('templates of an export are imported, with the rule, its start and its state', async () => {
    const user = await newUser()
    const rule = 'DTSTART:20300107T090000\nFREQ=WEEKLY;BYDAY=MO'
    const created = await user.call('templates_create', {
      project_key: 'APP',
      title: 'Report',
      recurrence_rule: rule,
      timezone: 'Europe/Paris',
      generation_strategy: 'always',
    })
    const exported = await shared.command('export items', { project: 'APP', user: user.email, format: 'json' })
    await user.createProject('NEW')
    const file = fileOf(exported.output!, 'own.json')
    const { text, rows } = await run(user, file, { project: 'NEW' })
    assert.match(text!, /Imported 1 item /)
    assert.deepEqual(rows, [])
    const { templates } = await user.call('task_templates_list', { project_key: 'NEW' })
    const { ref: _ref, ...fields } = templates[0]
    assert.deepEqual(fields, {
      title: 'Report',
      recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO',
      timezone: 'Europe/Paris',
      generation_strategy: 'always',
      enabled: true,
      next_occurrence: created.next_occurrences[0],
    })
  })

  test('a cell of millions of doubled quotes is refused before it is read, and many short ones are read', async () => {
    const user = await newUser()
    const cell = (quotes: number): string => `"${'""'.repeat(quotes)}"`
    const long = fileOf(`title,detail\n"a ""b""",${cell(2_000_001)}\n`, 'a.csv')
    await assert.rejects(run(user, long), /a cell of more than 4000000 characters/)
    const rows = Array.from({ length: 105 }, (_, n) => `t${n},${cell(20_000)}\n`)
    const short = fileOf(`title,detail\n${rows.join('')}`, 'b.csv')
    await run(user, short)
    assert.equal((await user.call('tasks_list', { project_key: 'APP', include_total: true })).total, 105)
  })

  test('Todoist: a backup has one table for each project', async () => {
    const user = await newUser()
    const table = readFileSync(fixture('todoist.csv'))
    const archive = zipSync({
      'Home [123].csv': table,
      'Work.csv': strToU8('TYPE,CONTENT,PRIORITY,INDENT\ntask,Write,4,1\n'),
    })
    const { text } = await run(user, fileOf(archive, 'backup.zip'))
    assert.match(text!, /Imported 6 items/)
    const areas = byTitle(await list(user)) as ReadonlyMap<string, { area_path?: string }>
    assert.deepEqual(
      ['Write', 'Call the plumber'].map(title => areas.get(title)?.area_path),
      ['Work', 'Home'],
    )
    await assert.rejects(run(user, fileOf(Buffer.from('PK\x03\x04 broken'), 'broken.zip')), {
      code: 'invalid_argument',
    })
    // Attachments are not unpacked, so they do not count.
    const large = new Uint8Array(MEMORY_LIMITS.bytes + 1)
    const withFile = zipSync({ 'Work.csv': strToU8('TYPE,CONTENT,PRIORITY,INDENT\ntask,Read,4,1\n'), 'a.bin': large })
    assert.match((await run(user, fileOf(withFile, 'backup.zip'))).text!, /Imported 1 item/)
    await assert.rejects(
      run(user, fileOf(zipSync({ 'Work.csv': large }), 'bomb.zip')),
      /unpacked, it has more than \d+ MB or/,
    )
    assert.deepEqual(
      [limitsFor(512), limitsFor(24_000)].map(({ heapMb, bytes, rows }) => [
        heapMb,
        Math.round(bytes / 1024 / 1024),
        rows,
      ]),
      [
        [68, 13, 66_667],
        [1024, 200, 1_000_000],
      ],
    )
  })

  test('Vikunja: an archive with tasks, buckets, comments, relations and numbers', async () => {
    const user = await newUser()
    const archive = zipSync({ 'data.json': readFileSync(fixture('vikunja.json')), VERSION: strToU8('v0.24.0') })
    const { text, rows } = await run(user, fileOf(archive, 'export.zip'))
    assert.match(text!, /Imported 4 items/)
    assert.deepEqual(rows, [])
    const { item } = await user.call('items_get', { item_ref: 'HSE-1' })
    assert.deepEqual(
      [item.title, item.detail, item.priority, item.due_date, item.due_time, item.labels, item.status, item.area_path],
      [
        'Build a shelf',
        'Of **oak** & glue\n\n- cut\n\n- glue',
        'urgent',
        '2026-12-05',
        // In the file 10:00 in UTC.
        '19:00',
        ['wood'],
        'In progress',
        'House',
      ],
    )
    const child = await user.call('items_get', { item_ref: 'HSE-2' })
    assert.deepEqual([child.item.parent_ref, child.item.status], [item.ref, 'Done'])
    const { relations } = await user.call('relations_list', { item_ref: item.ref })
    assert.ok(
      relations.some((each: Json) => each.relation_type === 'reference' && each.target_title === 'Ask for leave'),
    )
  })

  test('Jira: sprints, versions, custom fields and links', async () => {
    const user = await newUser()
    const head =
      'Summary,Issue key,Issue Type,Status,Sprint,Sprint,Fix Version/s,Custom field (Customer),Outward issue link (Blocks),Inward issue link (Duplicate)'
    const file = fileOf(
      `${head}\nOne,SHOP-1,Task,To Do,Old,Now/later,1.0,Acme,SHOP-2,\nTwo,SHOP-2,Task,To Do,,,,,,SHOP-1\n`,
      'jira.csv',
    )
    const { rows } = await run(user, file)
    assert.deepEqual(rows, [])
    const { item } = await user.call('items_get', { item_ref: 'SHOP-1' })
    assert.deepEqual(
      [item.sprint_path, item.version_name, item.custom_fields[0].label, item.custom_fields[0].value],
      ['Now-later', '1.0', 'Customer', 'Acme'],
    )
    const { relations } = await user.call('relations_list', { item_ref: 'SHOP-1' })
    assert.deepEqual(
      relations.map((each: Json) => [each.relation_type, each.source_title, each.target_title]).toSorted(),
      [
        ['duplicate', 'One', 'Two'],
        ['reference', 'One', 'Two'],
      ],
    )
  })

  test('Trello: archived cards are archived here too', async () => {
    const user = await newUser()
    await run(user, fixture('trello.json'))
    assert.deepEqual(
      (await list(user, { q: 'is:archived' })).map(({ title }) => title),
      ['Gone'],
    )
  })

  test('a due date with its zone becomes the day and time of the owner', async () => {
    const user = await newUser()
    await run(user, fixture('trello.json'))
    const cells = ['2026-12-01T15:00:00Z', '2026-12-01T23:30:00-05:00', '2026-12-01T10:00', '2026-12-01']
    await run(
      user,
      fileOf(`title,due,start\n${cells.map((cell, n) => `Row ${n},${cell},${cell}`).join('\n')}\n`, 'a.csv'),
    )
    const items = [...(await list(user, { q: 'title:row' })), ...(await list(user, { q: 'has:due -title:row' }))]
    assert.deepEqual(
      items
        .map(({ title, due_date, due_time, start_date }: Json) => [title, due_date, due_time, start_date].join(' '))
        .toSorted(),
      [
        'Paint the door 2026-04-02 19:00 ',
        'Row 0 2026-12-02  2026-12-02',
        'Row 1 2026-12-02 13:30 2026-12-02',
        'Row 2 2026-12-01 10:00 2026-12-01',
        'Row 3 2026-12-01  2026-12-01',
      ],
    )
  })

  test('columns of any table can be chosen', async () => {
    const user = await newUser()
    const file = fileOf('Betreff,Bis,Gruppe\nEinkaufen,2026-12-01,Haus\n', 'table.csv')
    await assert.rejects(run(user, file), { code: 'invalid_argument' })
    await run(user, file, { format: 'csv', map: 'title=Betreff,due=Bis,labels=Gruppe' })
    const [item] = await list(user)
    assert.deepEqual([item.title, item.due_date, item.labels], ['Einkaufen', '2026-12-01', ['Haus']])
    await assert.rejects(run(user, file, { format: 'csv', map: 'title=Titel' }), /no column "Titel"/)
    await assert.rejects(run(user, file, { format: 'csv', map: 'colour=Bis' }), /no field "colour"/)
    await assert.rejects(run(user, file, { format: 'csv', map: 'title' }), { code: 'invalid_argument' })
  })

  test('a set of items has more rows of each part than a statement has parameters', async () => {
    const user = await newUser()
    const many = 500
    // The embedded engine needs 16 seconds for all of them.
    const [comments, links, steps] = engine === 'postgres' ? [14, 23, 17] : [14, 0, 0]
    const items = Array.from({ length: many }, (_, n) => ({
      line: n + 1,
      key: `K${n}`,
      title: `Item ${n}`,
      parts: {
        comments: Array.from({ length: comments }, (__, c) => ({ author: 'Bo', at: null, body: `Comment ${c}` })),
        relations: Array.from({ length: links }, (__, r) => ({
          type: 'reference',
          outgoing: true,
          key: `K${(n + r + 1) % many}`,
        })),
        checklist: Array.from({ length: steps }, (__, s) => ({ content: `Step ${s}`, done: false })),
      },
    }))
    const { text, rows } = await run(user, fileOf(JSON.stringify(items), 'rich.json'))
    assert.match(text!, /Imported 500 items/)
    assert.equal(rows!.length, 0)
    const on = { item_ref: 'APP#1' }
    const lists = [
      (await user.call('discussions_list', { ...on, limit: 30 })).discussions,
      (await user.call('relations_list', on)).relations,
      (await user.call('checklist_list', on)).checklist,
    ]
    assert.deepEqual(
      lists.map(list => list.length),
      [comments, 2 * links, steps],
    )
  })

  test('HTML with tags that do not end is read in linear time', async () => {
    for (const piece of ['<a ', '<li ', '<pre ', '<x']) {
      const before = process.cpuUsage()
      markdownOf(`<p>${piece.repeat(100_000)}`)
      const { user } = process.cpuUsage(before)
      // In milliseconds; it took three seconds per 100,000 characters.
      assert.ok(user / 1000 < 1000, `${piece} took ${user / 1000} ms`)
    }
    assert.equal(
      markdownOf('<ul><li class="x" data-checked="true">Buy <a class="y" href="u">milk</a></li></ul>'),
      '- [x] Buy [milk](u)',
    )
  })

  test('times of a file are compared with the clock of the service', async t => {
    const host = await testHost(t, { engine, now: () => new Date('2030-01-01T00:00:00Z') })
    const file = fileOf('Summary,Status,Created\nOld,Done,2029-12-01 10:00\nNew,Done,\n', 'clock.csv')
    const map = 'title=Summary,status=Status,created=Created'
    await host.command('import file', { file, project: 'INBOX', format: 'csv', map, yes: true })
    const completed = ['INBOX#1', 'INBOX#2'].map(
      async item_ref => (await host.call('items_get', { item_ref })).item.completed_at,
    )
    assert.deepEqual(await Promise.all(completed), ['2029-12-01T10:00:00.000Z', '2030-01-01T00:00:00.000Z'])
  })

  test('a format of another package is found and read', async () => {
    const user = await newUser()
    const { text } = await run(user, fileOf('Call Ann +phone @work\nx Done thing\n', 'todo.txt'))
    assert.match(text!, /Imported 2 items/)
    assert.deepEqual(
      (await list(user)).map(({ title, labels, status }) => [title, labels ?? null, status]),
      [
        ['Call Ann', ['phone'], 'Backlog'],
        ['Done thing', null, 'Done'],
      ],
    )
  })
})
