import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { CommandResult } from '../../../core/plugin/command.ts'
import { forEachEngine } from '../../engines.ts'
import { sharedHost, type Newcomer } from '../../shared-host.ts'
import { testHost } from 'tasuki/testing'

// oxlint-disable-next-line typescript/no-explicit-any -- content of files
type Json = any

/** Texts that other formats or programs could misinterpret. */
const HOSTILE = [
  '=HYPERLINK("http://evil.example","x")',
  '+1',
  '-2',
  '@cmd',
  "'=1",
  "''@",
  "'quoted",
  '＝全角',
  'a,b;c\td',
  '"',
  '""',
  'He said "no", and left',
  '買い物 🛒 牛乳',
  '\u200bzero width',
  'null',
  '{}',
  '[x] step',
  '[ ] open',
  '# heading',
  '`code` <b>bold</b> & co',
  '%s $1 \\n \\',
]
const BODIES = [
  ...HOSTILE,
  'two\nlines',
  'crlf\r\nline',
  '\n=first line empty',
  '  indented',
  '\ttab',
  'a\n\n\n```\n# no\n```\n',
  '',
]

/** Makes a generator of numbers below a bound, the same in every run. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return bound => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % bound
  }
}

forEachEngine('export', engine => {
  const shared = sharedHost(engine)
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-export-'))
  after(() => rm(folder, { recursive: true }))

  const call = async (name: string, args: object): Promise<{ output: string; last: CommandResult }> => {
    let output = ''
    for (let current = args; ;) {
      const result = await shared.command(name, current)
      output += result.output ?? ''
      if (!result.next) return { output, last: result }
      current = result.next.args
    }
  }
  const exported = async (user: Newcomer, format: string, more: object = {}): Promise<string> =>
    (await call('export items', { project: 'APP', user: user.email, format, ...more })).output
  const fileOf = (content: string, name: string): string => {
    const path = join(mkdtempSync(join(folder, 'f')), name)
    writeFileSync(path, content)
    return path
  }
  const newUser = async (): Promise<Newcomer> => {
    const user = await shared.newUser()
    await user.createProject('APP')
    return user
  }
  const importInto = async (content: string, name: string): Promise<{ user: Newcomer; rows: Json[] }> => {
    const user = await newUser()
    const file = fileOf(content, name)
    const { last } = await call('import file', { file, project: 'APP', user: user.email, yes: true })
    return { user, rows: [...last.rows!] }
  }
  /** Returns the items without data that differs between projects: references, ids and the times of the import. */
  const plain = (text: string): Json[] => {
    const { items } = JSON.parse(text) as { items: Json[] }
    const titles = new Map(items.map(item => [item.id, item.title]))
    return items
      .map(
        ({ id: _id, ref: _ref, project: _project, updated_at: _updated, imported_from: _from, parent, ...item }) => ({
          ...item,
          ...(parent && { parent: titles.get(parent.id) }),
          ...(item.relations && {
            relations: item.relations.map(({ key: _key, ref: _other, ...relation }: Json) => relation),
          }),
        }),
      )
      .toSorted((a, b) => (a.title < b.title ? -1 : 1))
  }

  async function fill(user: Newcomer, count: number): Promise<void> {
    const next = numbers(20_261_123)
    const any = <T>(list: readonly T[]): T => list[next(list.length)]!
    const some = <T>(list: readonly T[], most: number): T[] => [
      ...new Set(Array.from({ length: next(most + 1) }, () => any(list))),
    ]
    await user.call('project_custom_fields_create', { project_key: 'APP', label: 'Customer' })
    await user.call('versions_create', { project_key: 'APP', name: '1.0' })
    await user.call('project_areas_create', { project_key: 'APP', name: 'Backend' })
    await user.call('project_areas_create', { project_key: 'APP', name: 'API', parent_path: 'Backend' })
    const sprint = await user.call('sprints_create', { project_key: 'APP', name: 'First, and "last"' })
    const refs: string[] = []
    for (let n = 0; n < count; n++) {
      const { item } = await user.call('items_create', {
        project_key: 'APP',
        title: `${any(HOSTILE)} ${n}`,
        detail: any(BODIES),
        labels: some(['a', 'b, c', '"d"', '=e', 'f g', '日本'], 3),
        priority: any(['urgent', 'high', 'normal', 'low']),
        kind: any(['task', 'bug', 'story']),
        ...(next(2) === 0 && { due_date: '2026-12-0' + (1 + next(9)) }),
        ...(next(3) === 0 && refs.length > 0 && { parent: any(refs) }),
        ...(next(3) === 0 && { area_path: any(['Backend', 'Backend/API']) }),
        ...(next(3) === 0 && { version: '1.0' }),
        ...(next(3) === 0 && { sprint: sprint.sprint.name }),
      })
      if (refs.length > 0 && next(3) === 0)
        await user.call('relations_create', {
          source_item_ref: item.ref,
          target_item_ref: any(refs),
          relation_type: any(['reference', 'duplicate']),
        })
      if (next(3) === 0) await user.call('agile_meta_patch', { item_ref: item.ref, estimate: any(['1', '2.5', '8']) })
      refs.push(item.ref)
      for (const body of some(
        BODIES.filter(text => text !== ''),
        2,
      ))
        await user.call('discussions_create', { item_ref: item.ref, body })
      for (const content of some(HOSTILE, 2)) await user.call('checklist_add', { item_ref: item.ref, content })
      if (next(3) === 0)
        await user.call('items_set_custom_fields', { item_ref: item.ref, custom_fields: { customer: any(HOSTILE) } })
      if (next(4) === 0) await user.call('items_complete', { item_ref: item.ref })
    }
    await user.call('notes_create', { project_key: 'APP', title: 'A note', body: '# Head\n\ntext' })
  }

  test('the content of JSON and CSV survives an export and import', async () => {
    const user = await newUser()
    await fill(user, 40)
    const json = await exported(user, 'json')
    const first = await importInto(json, 'app.json')
    assert.deepEqual(first.rows, [])
    const again = await exported(first.user, 'json')
    assert.deepEqual(plain(again), plain(json))

    const csv = await exported(user, 'csv')
    const second = await importInto(csv, 'app.csv')
    assert.deepEqual(second.rows, [])
    const inTables = (text: string): Json[] =>
      plain(text).map(({ comments: _comments, relations: _relations, custom_fields: _fields, ...item }) => item)
    assert.deepEqual(inTables(await exported(second.user, 'json')), inTables(json))
    // A cell that a spreadsheet would run as a formula begins with an apostrophe.
    for (const row of parse(csv, { bom: true }))
      for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@＝＋－＠\t\r\n]/)
  })

  test('an export is written in pages, and importing it adds no duplicates', async () => {
    const user = await newUser()
    const rows = Array.from({ length: 1100 }, (_, n) => `K-${n},Item ${n}`)
    const file = fileOf(['key,title', ...rows].join('\n'), 'items.csv')
    await call('import file', { file, project: 'APP', user: user.email, yes: true })
    const first = await shared.command('export items', { project: 'APP', user: user.email, format: 'json' })
    assert.deepEqual([first.next?.done, first.next?.total], [500, 1100])
    const json = await exported(user, 'json')
    assert.equal(new Set(JSON.parse(json).items.map(({ id }: Json) => id)).size, 1100)
    const { last } = await call('import file', {
      file: fileOf(json, 'app.json'),
      project: 'APP',
      user: user.email,
      yes: true,
    })
    assert.match(last.text!, /Imported 0 items into APP; 1100 were there already/)
  })

  test('a CSV has the author and the assignee of an import, also after it was imported again', async () => {
    const { user } = await importInto('key,title,assignee,reporter\nX-1,Pay,Ann Lee,Bob\n', 'other.csv')
    const csv = await exported(user, 'csv')
    assert.match(csv, /,parent_id,author,assignee,/)
    assert.match(csv, /,Bob,Ann Lee,/)
    const { user: other } = await importInto(csv, 'app.csv')
    assert.match(await exported(other, 'csv'), /,Bob,Ann Lee,/)
  })

  test('a filter selects items, of all projects or of one project', async () => {
    const user = await newUser()
    await user.createProject('WEB')
    await user.call('items_create', { project_key: 'APP', title: 'One', labels: ['bug'] })
    await user.call('items_create', { project_key: 'WEB', title: 'Two', labels: ['bug'] })
    await user.call('items_create', { project_key: 'WEB', title: 'Three' })
    const titles = async (args: object): Promise<string[]> =>
      JSON.parse((await call('export items', { user: user.email, format: 'json', ...args })).output).items.map(
        ({ title }: Json) => title,
      )
    assert.deepEqual(await titles({ filter: 'label:bug' }), ['One', 'Two'])
    assert.deepEqual(await titles({ filter: 'label:bug', project: 'WEB' }), ['Two'])
    assert.deepEqual(await titles({ filter: 'label:none-such' }), [])
    await assert.rejects(titles({}), { code: 'invalid_argument' })
    await assert.rejects(titles({ filter: 'is:nonsense' }), { code: 'invalid_query' })
    await assert.rejects(titles({ project: 'NONE' }), { code: 'not_found' })
  })

  test('a member exports only what the member may see', async () => {
    const [owner, other] = [await newUser(), await shared.newUser()]
    await owner.createProject('SECRET')
    const hidden = await owner.call('items_create', { project_key: 'SECRET', title: 'Hidden parent' })
    const shown = await owner.call('items_create', { project_key: 'APP', title: 'Shown' })
    await owner.call('relations_create', {
      source_item_ref: shown.item.ref,
      target_item_ref: hidden.item.ref,
      relation_type: 'reference',
    })
    await owner.call('items_patch', { item_ref: shown.item.ref, parent: hidden.item.ref })
    await owner.share('APP', other.email, 'viewer')
    for (const format of ['json', 'csv', 'markdown']) {
      const { output } = await call('export items', { user: other.email, format, filter: 'Shown OR Hidden' })
      assert.match(output, /Shown/)
      assert.doesNotMatch(output, /Hidden parent|SECRET|parent_ref":|Part of/)
      assert.ok(!output.includes(hidden.item.id ?? 'none'))
    }
  })

  test('importing an edited file drops invalid values and reports them', async () => {
    const wrong = {
      labels: 5,
      comments: [{ body: 1 }],
      checklist: 'x',
      estimate: { value: 1 },
      numbers: [{ prefix: '<x>', number: -1 }],
      relations: [null],
      custom_fields: {},
      area: [],
      sprint: 1,
      version: null,
    }
    const items = [
      { id: 'a', title: 'Wrong', ...wrong },
      { id: 'b', title: 'Right', labels: ['a'], numbers: [{ prefix: 'OLD', number: 7 }] },
      7,
    ]
    const { user, rows } = await importInto(JSON.stringify({ format: 'tasuki-items', version: 1, items }), 'x.json')
    assert.deepEqual(
      rows
        .filter(({ line }) => String(line) === '1')
        .map(({ field }) => String(field))
        .toSorted(),
      Object.keys(wrong).toSorted(),
    )
    const kept = plain(await exported(user, 'json'))
    assert.deepEqual(
      kept.map(({ title, labels, numbers: had }: Json) => [title, labels ?? null, had ?? null]),
      [
        ['Right', ['a'], [{ prefix: 'OLD', number: 7 }]],
        ['Wrong', null, null],
      ],
    )
  })

  test('Markdown shows the direction of a relation', async () => {
    const user = await newUser()
    const make = async (title: string): Promise<string> =>
      (await user.call('items_create', { project_key: 'APP', title })).item.ref
    const [copy, original] = [await make('Copy'), await make('Original')]
    await user.call('relations_create', {
      source_item_ref: copy,
      target_item_ref: original,
      relation_type: 'generated_from',
    })
    const text = await exported(user, 'markdown')
    assert.match(text, /^- generated from → APP#2 Original$/m)
    assert.match(text, /^- generated from ← APP#1 Copy$/m)
  })

  test('Markdown reads as a document', async () => {
    const user = await newUser()
    const { item } = await user.call('items_create', {
      project_key: 'APP',
      title: 'Write *docs*',
      detail: '# Top\n\n```\n# code\n```\n\ntext',
      labels: ['docs'],
      due_date: '2026-12-01',
    })
    await user.call('checklist_add', { item_ref: item.ref, content: 'Draft' })
    await user.call('discussions_create', { item_ref: item.ref, body: 'first\nsecond' })
    const text = (await exported(user, 'markdown')).replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC/g, '<time>')
    assert.equal(
      text,
      `# APP – Project APP

1 item, exported <time>.

## APP#1 Write *docs*

- **State:** Backlog
- **Due:** 2026-12-01
- **Made:** <time>
- **Labels:** docs

### Top

\`\`\`
# code
\`\`\`

text

### Checklist

- [ ] Draft

### Comments

**${user.email.split('@')[0]}**, <time>:

> first
> second
`,
    )
  })
})

test('parts whose plugin is off are reported by a dry run and by the import', async t => {
  const host = await testHost(t, { config: { plugins: { labels: false } } })
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-off-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const items = [{ id: 'a', ref: 'APP#1', project: 'APP', closed: false, title: 'One', labels: ['red'] }]
  writeFileSync(join(folder, 'app.json'), JSON.stringify({ format: 'tasuki-items', version: 1, items }))
  writeFileSync(join(folder, 'app.csv'), 'ref,title,id,parent_ref,parent_id,archived_at,labels\nAPP#2,Two,b,,,,red\n')
  for (const name of ['app.json', 'app.csv'])
    for (const yes of [false, true]) {
      const { rows } = await host.command('import file', { file: join(folder, name), project: 'INBOX', yes })
      assert.deepEqual(
        rows?.map(({ field, problem }) => [field, problem]),
        [['labels', 'no plugin that is on keeps it']],
      )
    }
})
