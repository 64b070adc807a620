import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { suiteScope } from '../core/suite-scope.ts'
import { ENGINES, noPostgres } from '../engines.ts'
import { randomOf, type Random } from '../random.ts'
import { bothEngines, type BothEngines } from './both-engines.ts'
import { randomFilter, type KnownItem } from './filters.ts'
import { createWorld, NOW, PROJECTS, TODAY, writesOf } from './world.ts'

/** Number of histories; `HISTORIES=20 npm test -- test/histories` tries more, from the seed `HISTORY_SEED` on. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 1)
const SEED = Number(process.env['HISTORY_SEED'] ?? 1)
const [WRITES, FILTERS] = [150, 30]
const FACETS = ['state', 'priority', 'agile_kind', 'project', 'schedule_kind']

describe('a random history of calls', { skip: noPostgres }, () => {
  const scope = suiteScope()
  let hosts: readonly TestHost[] = []
  before(async () => {
    const limits = { requests_per_minute: 0, writes_per_minute: 0 }
    const config = { confirm: 'off', limits, plugins: { project_admin: {} } }
    hosts = await Promise.all(ENGINES.map(engine => testHost(scope, { engine, config, now: () => NOW })))
  })

  for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
    test(`is answered alike by both databases, and every list and count is that of its items (${seed})`, async t => {
      const callers = await Promise.all(hosts.map(host => host.user(`history${seed}@example.com`)))
      const engines = bothEngines(callers)
      const random = randomOf(seed)
      await createWorld(engines)
      const refs: string[] = []
      for (let n = 0; n < WRITES; n++) await random.pick(writesOf(engines, random, refs))()
      const items = await readItems(engines, refs)
      const shown = [...items.values()].filter(({ archived_at }) => archived_at === null)
      for (let n = 0; n < FILTERS; n++) {
        const { q, matches } = randomFilter(random, items, TODAY)
        await checkFilter(engines, random, q, shown.filter(matches))
      }
      await checkCounts(engines, [...items.values()])
      t.diagnostic(`${engines.counts.calls} calls, ${engines.counts.refused} of them refused, ${items.size} items`)
    })
  }
})

/** Reads every item with what its records say, by the reference that it was created with. */
async function readItems({ read }: BothEngines, refs: readonly string[]): Promise<Map<string, KnownItem>> {
  const items = new Map<string, KnownItem>()
  for (const item_ref of refs) {
    const { item } = await read('items_get', { item_ref })
    const { relations } = await read('relations_list', { item_ref })
    const linked = relations.filter(({ relation_type }: { relation_type: string }) => relation_type !== 'parent')
    items.set(item_ref, {
      ...item,
      archived_at: item.archived_at ?? null,
      relates: linked.map((each: { source_ref: string; target_ref: string }) =>
        each.source_ref === item.ref ? each.target_ref : each.source_ref,
      ),
      steps: (await read('checklist_list', { item_ref })).checklist.length,
      comments: (await read('discussions_list', { item_ref })).discussions.length,
      reminders: (await read('reminders_list', { item_ref })).reminders.length,
    })
  }
  return items
}

/** Compares all pages of all lists, and the counts, with the items that the filter should find. */
async function checkFilter(
  { read }: BothEngines,
  { below, pick, maybe }: Random,
  q: string,
  expected: readonly KnownItem[],
): Promise<void> {
  const ofType = (type: string): string[] => expected.filter(item => item['type'] === type).map(item => item['ref'])
  for (const [tool, type] of [
    ['tasks_list', 'task'],
    ['notes_list', 'note'],
    ['events_list', 'event'],
  ] as const) {
    const found: string[] = []
    const total =
      tool === 'tasks_list'
        ? { include_total: true, sort: maybe(0.8, () => pick(['due', 'created', 'updated', 'priority'])) }
        : {}
    for (let offset: number | null = 0; offset !== null;) {
      const page = await read(tool, { q, limit: 1 + below(12), offset, ...total })
      found.push(...page.items.map(({ ref }: { ref: string }) => ref))
      if (tool === 'tasks_list') assert.equal(page.total, ofType(type).length, `total of ${q}`)
      offset = page.next_offset
    }
    assert.deepEqual(found.toSorted(), ofType(type).toSorted(), `${tool} ${q}`)
  }
  const { total, facets } = await read('items_facet', { facet_by: pick(FACETS), q })
  const sum = facets.reduce((all: number, { count }: { count: number }) => all + count, 0)
  assert.deepEqual([total, sum], [expected.length, expected.length], `items_facet ${q}`)
}

/** Compares the counts of projects, areas and labels with the items in them. */
async function checkCounts({ read }: BothEngines, items: readonly KnownItem[]): Promise<void> {
  const open = items.filter(
    item => item['type'] === 'task' && item['system_status'] === 'open' && item['archived_at'] === null,
  )
  const { projects } = await read('projects_list', {})
  for (const { key, open_tasks } of projects)
    assert.equal(open_tasks, open.filter(item => item['project_key'] === key).length, key)
  for (const project_key of PROJECTS) {
    const own = items.filter(item => item['project_key'] === project_key)
    for (const { path, item_count } of (await read('project_areas_list', { project_key })).areas)
      assert.equal(item_count, own.filter(item => item['area_path'] === path).length, `${project_key} ${path}`)
    for (const { name, item_count } of (await read('project_labels_list', { project_key })).labels)
      assert.equal(item_count, own.filter(item => item['labels']?.includes(name)).length, `${project_key} ${name}`)
  }
}
