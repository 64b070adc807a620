import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { testHost, ToolFailure, type TestCaller, type TestHost } from 'tasuki/testing'
import { eachCall, KEY } from './bench/statements.ts'
import { suiteScope } from './core/suite-scope.ts'
import { forEachEngine } from './engines.ts'
import { acceptAll } from './members.ts'
import { verifies } from './verifies.ts'

type Fields = Readonly<Record<string, unknown>>

const BOB = 'bob@example.com'
/** Bob's name for the owner's project, because he has a project with the same key. */
const THEIRS = `owner@example.com/${KEY}`
const ROWS = 9

/** Matches the key, or a reference with it, without an owner. */
const BARE = new RegExp(String.raw`(?<![\w/])${KEY}(#\d+)?(?!\w)`, 'g')
const EXACT = new RegExp(`^${THEIRS}#\\d+$`)

/** Matches parameters that name a record: the error for an unknown name lists the existing ones. */
const NAMES = /^(sprint|next_sprint|version|parent|area_path|series_key|field_key|to_project)$|_(ref|refs|id|ids)$/

/** Tells whether a record is Bob's: the names of his records begin with "Own", and his workflow is also that of his Inbox. */
const isOwn = (record: Fields): boolean =>
  ['title', 'name', 'path'].some(field => String(record[field] ?? '').startsWith('Own ')) ||
  [record['project_keys'], record['projects']].some(keys => Array.isArray(keys) && keys.includes('INBOX'))

forEachEngine('a shared project whose key the reader also owns', engine => {
  const scope = suiteScope()
  /** Answers of every tool to Bob, including refusals and questions. */
  const answers: { readonly tool: string; readonly answer: Fields }[] = []
  /** References that lead to another item than the answer claims. */
  const astray: string[] = []
  let host: TestHost
  let bob: TestCaller

  before(async () => {
    const now = (): Date => new Date(Date.parse('2026-06-09T01:00:00Z') + performance.now())
    host = await testHost(scope, { engine, config: { plugins: { project_admin: {} } }, now })
    const checked = new Set<string>()
    const keep = async (tool: string, answer: Fields): Promise<void> => {
      answers.push({ tool, answer })
      for (const [ref, title] of referencesIn(answer)) {
        if (checked.has(`${ref} ${title}`)) continue
        checked.add(`${ref} ${title}`)
        const read = await bob.call('items_get', { item_ref: ref }).catch((error: ToolFailure) => error)
        const found = read instanceof Error ? read.message : read.item.title
        if (found !== title) astray.push(`${tool}: ${ref} is ${title}, and items_get finds ${found}`)
      }
    }
    const call = async (tool: string, args: Fields): Promise<void> => {
      const answer = await bob.call(tool, args).catch((error: ToolFailure) => error)
      if (!(answer instanceof ToolFailure)) return keep(tool, answer)
      const { code, message, hint, allowed, details } = answer
      const { confirm_token, ...otherDetails } = details ?? {}
      await keep(tool, { code, message, hint, allowed, otherDetails })
      if (code === 'confirmation_required') await call(tool, { ...args, confirm_token })
    }
    await eachCall(
      host,
      ROWS,
      async (tool, _kind, args) => {
        const exact = withOwner(args)
        for (const field of Object.keys(exact).filter(name => NAMES.test(name)))
          for (const other of ['No such thing', `${THEIRS}#999`, 'INBOX#1'])
            await call(tool, { ...exact, [field]: Array.isArray(exact[field]) ? [other] : other })
        await call(tool, exact)
      },
      async () => {
        bob = await host.user(BOB)
        await host.call('project_members_set', { project_key: KEY, email: BOB, role: 'editor' })
        await host.write(ctx => acceptAll(ctx, BOB))
        await bob.call('projects_create', { key: KEY, name: 'Own project' })
        for (let n = 0; n < ROWS + 4; n++)
          await bob.call('items_create', {
            project_key: KEY,
            title: `Own deploy ${n}`,
            detail: 'Deploy',
            priority: 'high',
          })
        await bob.call('sprints_create', { project_key: KEY, name: 'Own sprint', status: 'active' })
      },
    )
    await host.call('discussions_create', { item_ref: `${KEY}#1`, body: '@bob look', kind: 'fact' })
    await call('agile_improvement_suggest', { project_key: THEIRS })
    await host.call('sprints_close', { project_key: KEY, sprint: 'Next' })
    for (const [tool, args] of Object.entries({
      items_context_get: { item_ref: `${THEIRS}#1` },
      items_facet: { facet_by: 'project', project_key: THEIRS },
      notifications_list: {},
      sprints_list: {},
      tasks_list: { project_key: THEIRS },
      notes_list: { project_key: THEIRS },
    }))
      await call(tool, args)
  })

  verifies('ownership.own_first', 'no answer of any tool names a shared record by the bare key', t => {
    const tools = new Set(answers.map(({ tool }) => tool))
    assert.ok(tools.size >= 100)
    const bare = new Set<string>()
    for (const { tool, answer } of answers)
      eachText(answer, tool, (text, path, record) => {
        // The summary of a conversation has references from arguments and answers, and Bob created his own items in it.
        if (isOwn(record) || path === 'me_overview.conversations[].summary') return
        for (const [found] of text.matchAll(BARE))
          // In a text that mentions both items, the bare reference means Bob's.
          if (!new RegExp(`/${found}(?!\\d)`).test(text)) bare.add(`${path}: ${found} in ${text.slice(0, 160)}`)
      })
    t.diagnostic(`${bare.size} bare names in the answers to ${answers.length} calls`)
    assert.deepEqual([...bare].toSorted(), [])
  })

  test('the history names items as the reader knows them', async () => {
    const item = { item_ref: `${KEY}#2` }
    const { relation } = await bob.call('relations_create', {
      source_item_ref: `${THEIRS}#2`,
      target_item_ref: `${THEIRS}#4`,
      relation_type: 'generated_from',
    })
    await bob.call('items_patch', { item_ref: `${THEIRS}#2`, parent: `${THEIRS}#4` })
    assert.equal(relation.target_ref, `${THEIRS}#4`)
    const changedTo = async (caller: TestCaller, args: object): Promise<unknown[]> =>
      (await caller.call('activities_list', { ...args, limit: 2 })).activities.map(({ to }: { to: unknown }) => to)
    const link = { relation_type: 'generated_from', role: 'source' }
    assert.deepEqual(await changedTo(host, item), [`${KEY}#4`, { ...link, item: `${KEY}#4` }])
    assert.deepEqual(await changedTo(bob, { item_ref: `${THEIRS}#2` }), [
      `${THEIRS}#4`,
      { ...link, item: `${THEIRS}#4` },
    ])
  })

  test("notifications name shared projects by their owner, and the filter relates means the reader's own items", async () => {
    const { notifications } = await bob.call('notifications_list')
    const titles = notifications.map(({ title }: { title: string }) => title).join('\n')
    assert.match(titles, new RegExp(`mentioned on ${THEIRS}#1 `))
    assert.match(titles, new RegExp(`^${THEIRS}: sprint "Next" closed`, 'm'))
    const linked = async (q: string): Promise<number> => (await bob.call('tasks_list', { q })).items.length
    assert.equal(await linked(`relates:${KEY}#4`), 0)
    assert.equal(await linked('relates:#4'), 0)
    assert.ok((await linked(`relates:${THEIRS}#4`)) > 0)
  })

  test('every reference in an answer leads to its own item', t => {
    const exact = new Set(
      answers
        .flatMap(({ answer }) => [...referencesIn(answer)])
        .filter(([ref]) => EXACT.test(ref))
        .map(([ref, title]) => `${ref} ${title}`),
    )
    t.diagnostic(`${exact.size} references to shared items, ${astray.length} astray`)
    assert.deepEqual(astray, [])
    assert.ok(exact.size >= ROWS)
  })
})

/** Adds the owner of the project to Bob's arguments. */
function withOwner(args: Fields): Fields {
  return JSON.parse(JSON.stringify(args), (_name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(BARE, (_all, number: string = '') => `${THEIRS}${number}`) : value,
  ) as Fields
}

/** Visits each text of an answer with its record; a list of texts counts as one text. */
function eachText(value: unknown, path: string, visit: (text: string, path: string, record: Fields) => void): void {
  const walk = (each: unknown, at: string, record: Fields): void => {
    if (typeof each === 'string') return visit(each, at, record)
    if (Array.isArray(each)) {
      if (each.every(member => typeof member === 'string')) return visit(each.join(' '), `${at}[]`, record)
      return each.forEach(member => walk(member, `${at}[]`, record))
    }
    if (typeof each !== 'object' || each === null) return
    for (const [name, member] of Object.entries(each)) walk(member, `${at}.${name}`, each as Fields)
  }
  walk(value, path, {})
}

/** Yields the references of an answer with their titles. */
function* referencesIn(value: unknown): Generator<readonly [ref: string, title: string]> {
  if (Array.isArray(value)) for (const each of value) yield* referencesIn(each)
  else if (typeof value === 'object' && value !== null) {
    const record = value as Fields
    for (const [name, member] of Object.entries(record)) {
      const match = /^(\w+_)?ref$/.exec(name)
      if (match && typeof member === 'string' && member.includes('#')) {
        const title = record[`${match[1] ?? ''}title`] ?? (match[1] === 'item_' ? record['title'] : undefined)
        if (typeof title === 'string') yield [member, title]
      }
      yield* referencesIn(member)
    }
  }
}
