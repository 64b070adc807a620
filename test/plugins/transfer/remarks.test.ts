import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { strToU8, zipSync } from 'fflate'
import { readTime } from '../../../plugins/transfer/formats/dates.ts'
import { FORMATS } from '../../../plugins/transfer/formats/index.ts'
import { parseFile, type Content, type ContentChoice } from '../../../plugins/transfer/parse-file.ts'
import { parseInThread } from '../../../plugins/transfer/parse-thread.ts'
import { fieldName } from '../../../plugins/transfer/portal/import-texts.ts'
import { translateRemark } from '../../../plugins/transfer/portal/remark-texts.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const CHOICE: ContentChoice = { columns: new Map() }

/** Cards that Trello archived at an unknown time get the current one. */
const untimed = (content: Content | null) => ({
  ...content,
  items: content?.items.map(({ archivedAt, ...item }) => ({ ...item, isArchived: archivedAt !== undefined })),
})

test('every fixture, and an archive, is parsed alike in a worker thread', async () => {
  const files = readdirSync(FIXTURES).map(name => ({ name, bytes: readFileSync(join(FIXTURES, name)) }))
  const archive = zipSync({ 'data.json': readFileSync(join(FIXTURES, 'vikunja.json')), VERSION: strToU8('v0.24.0') })
  for (const file of [...files, { name: 'export.zip', bytes: archive }]) {
    const here = await parseFile(file, CHOICE, FORMATS, () => [])
    assert.ok(here !== null && here.items.length > 0, file.name)
    assert.deepEqual(untimed(await parseInThread(file, CHOICE)), untimed(here), file.name)
  }
  const refused = { name: 'a.csv', bytes: Buffer.from('title\n"open') }
  await assert.rejects(parseInThread(refused, CHOICE), { name: 'ToolError', code: 'invalid_argument' })
  assert.equal(await parseInThread({ name: 'a.txt', bytes: Buffer.from('hello') }, CHOICE), null)
})

test('an archive unpacks no more bytes than its entries declare', async () => {
  const archive = Buffer.from(zipSync({ 'data.json': new Uint8Array(50_000_000) }))
  const entry = archive.lastIndexOf('PK\u0001\u0002', undefined, 'latin1')
  for (const declared of [10, 0xffff_fff0]) {
    archive.writeUInt32LE(declared, entry + 24)
    const file = { name: 'export.zip', bytes: archive }
    await assert.rejects(
      parseFile(file, CHOICE, FORMATS, () => []),
      /^ToolError: The archive cannot be read: /,
    )
  }
})

const vikunjaTask = async (task: object) => {
  const tasks = [{ id: 1, title: 'Water', ...task }]
  const bytes = Buffer.from(JSON.stringify([{ id: 1, title: 'House', identifier: '', tasks }]))
  return (await parseFile({ name: 'data.json', bytes }, CHOICE, FORMATS, () => []))!
}

test('a relation of Vikunja with the name of a member of all objects is left out', async () => {
  const { items } = await vikunjaTask({ related_tasks: { constructor: [{ id: 2 }], related: [{ id: 3 }] } })
  assert.deepEqual(items[0]!.parts.relations, [{ type: 'reference', outgoing: true, key: '3' }])
})

test('a repetition of Vikunja is read as a rule, and times are taken', async () => {
  const repeats = async (task: object) => {
    const { items, problems } = await vikunjaTask(task)
    return [items[0]!.parts.recurrence?.rule, ...problems.map(({ problem }) => problem)]
  }
  assert.deepEqual(await repeats({ repeat_after: 86_400 }), ['FREQ=DAILY'])
  assert.deepEqual(await repeats({ repeat_after: 1_209_600, repeat_mode: 0 }), ['FREQ=WEEKLY;INTERVAL=2'])
  assert.deepEqual(await repeats({ repeat_after: 7200 }), ['FREQ=HOURLY;INTERVAL=2'])
  assert.deepEqual(await repeats({ repeat_after: 0, repeat_mode: 1 }), ['FREQ=MONTHLY'])
  assert.deepEqual(await repeats({ repeat_after: 259_200, repeat_mode: 2 }), [
    'FREQ=DAILY;INTERVAL=3',
    'repeats (FREQ=DAILY;INTERVAL=3) from its completion: a template repeats it by the calendar',
  ])
  assert.deepEqual(await repeats({ repeat_after: 5400 }), ['every 5400 seconds'])
  assert.deepEqual(await repeats({ repeat_after: 0, repeat_mode: 2 }), [undefined])
  const due = async (text: string) => {
    const { items } = await vikunjaTask({ due_date: text })
    return items.map(({ dueDate }) => dueDate)
  }
  assert.deepEqual(await due('2026-12-05T16:30:00Z'), ['2026-12-05T16:30:00Z'])
  assert.deepEqual(await due('0001-01-01T00:00:00Z'), [undefined])
})

test('dates of Todoist that repeat are read as rules in words, and times are taken in any notation', async () => {
  const table = async (date: string) =>
    (await parseFile(
      { name: 'a.csv', bytes: Buffer.from(`TYPE,CONTENT,PRIORITY,INDENT,DATE\ntask,Water,4,1,${date}\n`) },
      CHOICE,
      FORMATS,
      () => [],
    ))!
  for (const date of ['every friday', 'every! 3 days at 9am', 'ev weekday', 'daily', '毎週金曜日']) {
    const { items, problems } = await table(date)
    assert.equal(items[0]!.dueDate, undefined)
    assert.deepEqual([items[0]!.parts.recurrence, problems], [{ rule: date }, []])
  }
  assert.deepEqual(
    await Promise.all(
      ['2026-12-01 10:30', '5 Dec 2026 4pm', '2026-12-01', '5 Dec 2026 12:15 am'].map(async date => {
        const { items } = await table(date)
        return [items[0]!.dueDate, items[0]!.dueTime]
      }),
    ),
    [
      ['2026-12-01', '10:30'],
      ['2026-12-05', '16:00'],
      ['2026-12-01', undefined],
      ['2026-12-05', '00:15'],
    ],
  )
  assert.equal(readTime('2026-12-01T25:00'), undefined)
})

test('what a format leaves out is named in the language of the page', async () => {
  for (const field of (await vikunjaTask({})).ignored) assert.match(fieldName('ja', field), /[^ -~]/, field)
})

test('remarks of this plugin are in Japanese on Japanese pages, those of others in English', () => {
  const examples = {
    'it has no title, so it is left out': 'タイトルがない',
    'longer than 200 characters: cut, and the whole is in the body': '200文字',
    '"Weird" is unknown: left out': '"Weird" に当たる値がないため取り込みません',
    '"QA" is unknown: "To do"': '"QA" に当たる値がないため、"To do" にします',
    '"soon" is no date that can be read: left out': '日付として読み取れない',
    '"noon" is no time of a day that can be read: left out': '日時として読み取れない',
    'an event without a date is in no calendar': 'カレンダー',
    'has files, which are left out': '添付ファイル',
    'has a quote within a quoted cell that is not doubled: read as part of the text': '引用符',
    'repeats (FREQ=DAILY): only this occurrence is imported; a template repeats it': '繰り返し（FREQ=DAILY）',
    'repeats (FREQ=DAILY) from its completion: a template repeats it by the calendar': '完了日',
    'repeats (FREQ=WEEKLY;COUNT=1): left out': '繰り返し（FREQ=WEEKLY;COUNT=1）',
    'the same key is in line 3: left out': '3行目',
    'its parent "K-1" is not among the imported items': '"K-1"',
    'APP-3 is taken by another item': 'APP-3',
  }
  for (const [remark, part] of Object.entries(examples)) {
    assert.equal(translateRemark('en', remark), remark)
    assert.ok(translateRemark('ja', remark)?.includes(part), remark)
  }
  assert.equal(translateRemark('ja', 'whatever another plugin says'), null)
})
