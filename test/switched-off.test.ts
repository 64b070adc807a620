import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { testHost, type TestCaller, type TestHost } from 'tasuki/testing'
import { makeCaller } from '../core/testing/caller.ts'
import { countStatements } from './bench/statements.ts'
import { suiteScope } from './core/suite-scope.ts'
import { forEachEngine } from './engines.ts'
import {
  configOf,
  mentionsOfDisabled,
  names,
  namesWithout,
  toolsNamed,
  withDependencies,
  wordsOfDisabled,
} from './plugin-words.ts'
import { verifies } from './verifies.ts'

type Json = Readonly<Record<string, unknown>>

/** Plugins on which items do not depend. */
const OPTIONAL = names.filter(name => !withDependencies('items').includes(name))
/** Parts of signed addresses that differ on each request. */
const SIGNED = /(?<=[?&](?:token|signature|expires)=)[^"&]+/g

forEachEngine('data of plugins that are off', engine => {
  const scope = suiteScope()
  const secret = randomBytes(32)
  const clock = { now: new Date('2026-06-03T09:00:00Z') }
  /** Calls of reading tools, with all their include flags. */
  const reads = new Map<string, object>()
  let host: TestHost
  let caller: TestCaller
  let refs: readonly string[]

  const start = async (on: readonly string[]): Promise<TestHost> => {
    const snapshot = await host?.database.embedded?.dump()
    await host?.close()
    const database = snapshot ? ({ engine: 'pglite', dataDir: null, snapshot } as const) : host?.databaseOptions
    host = await testHost(scope, {
      engine,
      secret,
      now: () => clock.now,
      config: configOf(on),
      ...(host && { database, dataDir: host.dataDir }),
    })
    caller = caller ? makeCaller(host.app, caller.userId, caller.token) : host
    return host
  }

  /** Returns the arguments that a tool accepts, and all its include flags. */
  const fitting = (tool: string, args: object): object => {
    const { properties } = host.registry.tools.get(tool)!.input
    const flags = Object.keys(properties).filter(key => key.startsWith('include_'))
    return {
      ...Object.fromEntries(Object.entries(args).filter(([key]) => key in properties)),
      ...Object.fromEntries(flags.map(key => [key, true])),
    }
  }

  const readAll = async (items: readonly string[]): Promise<Record<string, unknown>> => {
    const results: Record<string, unknown> = {}
    const read = async (tool: string, args: object, label = tool): Promise<void> => {
      if (!host.registry.tools.has(tool)) return
      const result: unknown = await caller.call(tool, fitting(tool, args)).catch((error: unknown) => ({ error }))
      // Conversations also record these reads, so they are excluded.
      results[label] = JSON.parse(JSON.stringify(result).replaceAll(SIGNED, 'signed'), (key, value: Json) =>
        key === 'conversations' ? null : value,
      ) as unknown
    }
    for (const [tool, args] of reads) await read(tool, args)
    await read('tasks_list', { limit: 100, sort: 'created', order: 'asc' }, 'all tasks')
    for (const item_ref of items)
      for (const tool of ['items_get', 'items_context_get', 'activities_list', 'discussions_list', 'relations_list'])
        await read(tool, { item_ref }, `${tool} ${item_ref}`)
    return results
  }

  before(async () => {
    await start(names)
    const calls = await countStatements(host, 6, async (tool, args) => {
      const { q: _, ...rest } = args as Json
      // The filter of tasks_list names a label, so it is dropped.
      if (host.registry.tools.get(tool)!.class === 'R') reads.set(tool, tool === 'tasks_list' ? rest : args)
    })
    assert.deepEqual(
      calls.filter(({ result }) => result === null),
      [],
    )
    const rows = await host.sql<{ ref: string }>`
      select p.key || '#' || i.number as ref from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where i.owner_id = ${host.userId} order by 1`
    refs = rows.map(({ ref }) => ref)
    assert.ok(refs.length > 10 && reads.size > 30)
  })

  verifies(
    'plugins.off',
    'is visible nowhere, everything else works, and their data is unchanged when they are on again',
    async () => {
      const all = await readAll(refs)
      const found: string[] = []
      // Individually only on PostgreSQL, which restarts faster.
      for (const off of [OPTIONAL, ...(engine === 'postgres' ? OPTIONAL.map(name => [name]) : [])]) {
        const on = namesWithout(off)
        await start(on)
        const label = off.length > 1 ? 'all' : off[0]!
        found.push(...mentionsOfDisabled(host.registry.tools.values(), on).map(each => `${label}: ${each}`))
        const { prompts, resources } = host.registry
        const { instructions } = host.registry.view({ profile: undefined, scope: 'write' })!
        const advertised = { instructions, prompts: [...prompts.values()], resources }
        const results: Record<string, unknown> = {
          advertised,
          ...(await readAll(off === OPTIONAL ? refs : refs.slice(0, 1))),
        }
        found.push(...(await works()).map(each => `${label}: ${each}`))
        for (const [name, result] of Object.entries(results)) {
          const error = (result as Json)['error']
          if (error) found.push(`${label}: ${name}: ${JSON.stringify(error)}`)
          const words = keysOf(result)
          for (const [word, owner] of wordsOfDisabled(on))
            if (words.has(word)) found.push(`${label}: ${name} shows ${word} of ${owner}`)
          // The history keeps changes and the tools that made them.
          if (/^(activities_list|me_overview)/.test(name)) continue
          for (const owner of names.filter(each => !on.includes(each)))
            for (const tool of toolsNamed(JSON.stringify(result), owner)) found.push(`${label}: ${name} names ${tool}`)
        }
      }
      await start(names)
      assert.deepEqual([...new Set(found)], [])
      assert.deepEqual(await readAll(refs), all)
    },
  )

  verifies('plugins.off', 'is brought up to date when they are on again', async () => {
    const call = (tool: string, args: object) => caller.call(tool, args)
    const titles = async (q: string): Promise<string[]> =>
      (await call('query', { q, mode: 'fulltext' })).items.map((item: Json) => item['title'])
    const pending = async (item_ref: string): Promise<string[]> =>
      (await call('reminders_list', { item_ref })).reminders.map((each: Json) => each['remind_at'])
    const [template] = (await call('task_templates_list', { project_key: 'STMT' })).templates as readonly Json[]
    const { item: planned } = await call('items_create', {
      project_key: 'STMT',
      title: 'Plan the harbour',
      labels: ['bug'],
      sprint: 'Planned',
      version: '1.0',
      area_path: 'Server',
      due_date: '2027-03-01',
    })
    await call('reminders_create', { item_ref: planned.ref, lead_time_minutes: 60 })
    await call('checklist_add', { item_ref: planned.ref, content: 'Ask' })
    await call('agile_meta_patch', { item_ref: planned.ref, estimate: '5' })
    const { item: open } = await call('items_create', {
      project_key: 'STMT',
      title: 'Open the gate',
      due_date: '2027-03-01',
    })
    await call('reminders_create', { item_ref: open.ref, lead_time_minutes: 60 })
    assert.deepEqual(await titles('harbour'), ['Plan the harbour'])
    const [remindAt] = await pending(planned.ref)

    await start(namesWithout(OPTIONAL))
    clock.now = new Date('2026-06-04T09:00:00Z')
    await call('items_patch', { item_ref: planned.ref, title: 'Plan the lighthouse', due_date: '2027-03-02' })
    await call('items_patch', { item_ref: open.ref, due_date: null })
    await call('items_complete', { item_ref: template!['ref'] })
    const { item: fresh } = await call('items_create', { project_key: 'STMT', title: 'Paint the lighthouse' })
    assert.deepEqual(
      Object.keys(fresh).filter(key => wordsOfDisabled(namesWithout(OPTIONAL)).has(key)),
      [],
    )
    await assert.rejects(call('project_labels_list', { project_key: 'STMT' }), /Unknown tool/)
    await assert.rejects(call('items_patch', { item_ref: fresh.ref, labels: ['bug'] }), { code: 'unknown_argument' })
    await assert.rejects(call('tasks_list', { q: 'label:bug' }), { code: 'invalid_query' })

    await start(names)
    await host.queue.start(host.runner)
    const indexed = async (): Promise<string[]> => (await titles('lighthouse')).toSorted()
    for (const end = Date.now() + 10_000; (await indexed()).length < 2 && Date.now() < end;) await setTimeout(50)
    assert.deepEqual(await indexed(), ['Paint the lighthouse', 'Plan the lighthouse'])
    assert.deepEqual(await titles('harbour'), [])
    assert.deepEqual(await pending(planned.ref), [new Date(Date.parse(remindAt!) + 86_400_000).toISOString()])
    assert.deepEqual(await pending(open.ref), [undefined])
    const { templates } = await call('task_templates_list', { project_key: 'STMT' })
    assert.equal(templates.find((each: Json) => each['ref'] === template!['ref']).enabled, false)
    const { item } = await call('items_get', fitting('items_get', { item_ref: planned.ref }))
    const { title, due_date, labels, area_path, sprint_path, version_name, estimate } = item
    assert.deepEqual(
      [title, due_date, labels, area_path, sprint_path, version_name, estimate],
      ['Plan the lighthouse', '2027-03-02', ['bug'], 'Server', 'Planned', '1.0', '5'],
    )
    const patched = await call('items_patch', { item_ref: fresh.ref, labels: ['bug'] })
    assert.deepEqual(patched.changed, ['labels'])
  })

  /** Uses the enabled plugins as another user. @returns the failures */
  const works = async (): Promise<string[]> => {
    const other = await host.user(`${randomBytes(6).toString('hex')}@example.com`)
    const failed: string[] = []
    const call = (tool: string, args: object) =>
      other.call(tool, args).catch((error: unknown) => {
        failed.push(`${tool}: ${String(error)}`)
      })
    const made = await call('items_create', {
      project_key: 'INBOX',
      title: 'Deploy it',
      detail: 'x',
      due_date: '2027-03-01',
    })
    const item_ref = (made as { item: { ref: string } } | undefined)?.item.ref
    await call('items_patch', { item_ref, title: 'Deploy it later', due_date: null })
    await call('items_complete', { item_ref })
    const { items = [] } = ((await call('tasks_list', { status: 'closed' })) ?? {}) as { items?: readonly Json[] }
    assert.deepEqual(
      items.map(item => item['title']),
      ['Deploy it later'],
    )
    return failed
  }
})

/** Collects the keys of all objects. */
function keysOf(value: unknown, keys = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const each of value) keysOf(each, keys)
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value)) {
      keys.add(key)
      keysOf(member, keys)
    }
  return keys
}
