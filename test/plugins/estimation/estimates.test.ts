import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, type Team } from '../sprints/team.ts'

const PLUGINS = {
  sprints: {},
  checklist: {},
  relations: {},
  templates: {},
  notes: {},
  events: {},
  project_admin: {},
  estimation: {},
}

/** Reads the estimates of a project's tasks, by reference. */
async function listed(app: Team, fields: object = {}): Promise<Record<string, string | null | undefined>> {
  const { items } = await app.call('tasks_list', { limit: 100, ...fields })
  return Object.fromEntries(
    items.map(({ ref, estimate }: { ref: string; estimate?: string | null }) => [ref, estimate] as const),
  )
}
const estimateOf = async (app: Team, item_ref: string) => (await app.call('items_get', { item_ref })).item.estimate

forEachEngine('estimates', engine => {
  const host = sharedHost(engine, { config: { plugins: PLUGINS } })
  const unit = (app: Team, estimate_unit: string) => app.in('projects_update', { estimate_unit })
  const features = (app: Team, switches: object) => app.in('project_features_set', { features: switches })

  verifies(
    ['agile_meta_patch.fields', 'listing.estimate_always', 'listing.agile_always'],
    'estimate and kind are set and cleared, and every listing and read shows them',
    async () => {
      const app = await newTeam(host)
      const ref = await app.item('a task')
      const other = await app.item('another')
      const { item, changed } = await app.call('agile_meta_patch', { item_ref: ref, estimate: '3.50', kind: 'Story' })
      assert.deepEqual([item.estimate, item.agile_kind, changed], ['3.5', 'story', ['kind', 'estimate']])
      assert.deepEqual(await listed(app, { include_detail: false }), { [ref]: '3.5', [other]: null })
      assert.equal(await estimateOf(app, ref), '3.5')
      const again = await app.call('agile_meta_patch', { item_ref: ref, estimate: '３.５' })
      assert.deepEqual(again.changed, [])
      const cleared = await app.call('agile_meta_patch', { item_ref: ref, estimate: null, kind: null })
      assert.deepEqual([cleared.item.estimate, cleared.item.agile_kind], [null, 'task'])
      assert.deepEqual(cleared.changed, ['kind', 'estimate'])
      assert.equal(await estimateOf(app, ref), undefined)
      const { activities } = await app.call('activities_list', { item_ref: ref, kind: 'item.estimate.changed' })
      assert.deepEqual(
        activities.map(({ from, to }: { from?: string; to?: string }) => [from, to]),
        [
          ['3.5', undefined],
          [undefined, '3.5'],
        ],
      )
    },
  )

  verifies(
    ['listing.estimate_always', 'listing.agile_always'],
    'listings of tasks, notes and events have estimate and agile_kind, null and task where none was set',
    async () => {
      const app = await newTeam(host)
      await app.item('a task')
      await app.in('notes_create', { title: 'a note' })
      await app.in('events_create', { title: 'an event', due_date: '2031-02-03' })
      for (const tool of ['tasks_list', 'notes_list', 'events_list']) {
        const { items } = await app.in(tool, { include_detail: false })
        assert.equal(items.length, 1, tool)
        assert.deepEqual([items[0].estimate, items[0].agile_kind], [null, 'task'], tool)
      }
    },
  )

  test('agile_meta_patch refuses an empty call, unknown kinds, stale copies and changes of viewers', async () => {
    const app = await newTeam(host)
    const item_ref = await app.item('a task')
    const patch = (fields: object, options = {}) => app.call('agile_meta_patch', { item_ref, ...fields }, options)
    await assert.rejects(patch({}), { code: 'missing_argument' })
    await assert.rejects(patch({ kind: 'saga' }), { code: 'invalid_argument', field: 'kind' })
    const meta = { ifUpdatedAt: '2020-01-01T00:00:00Z' }
    await assert.rejects(patch({ estimate: '1' }, { meta }), { code: 'stale_write' })
    const viewer = await host.newUser()
    await app.share('APP', viewer.email, 'viewer')
    const theirs = { item_ref: `APP#${item_ref.split('#')[1]}`, estimate: '1' }
    await assert.rejects(viewer.call('agile_meta_patch', theirs), { code: 'forbidden' })
    assert.equal(await estimateOf(app, item_ref), undefined)
  })

  verifies(
    ['agile_estimate_apply.unit', 'estimates.values'],
    'an estimate must be a number in the unit of the project',
    async () => {
      const app = await newTeam(host)
      const item_ref = await app.item('a task')
      const set = async (estimate: string) => (await app.call('agile_meta_patch', { item_ref, estimate })).item.estimate
      for (const [text, value] of [
        ['5', '5'],
        ['0', '0'],
        [' .5 ', '0.5'],
        ['8 pts', '8'],
        ['13 Points', '13'],
      ] as const)
        assert.equal(await set(text), value, text)
      for (const text of ['M', '-1', '1e3', '3h', '1,5', '1.234', '100001', 'NaN', '3 4', '５時間'])
        await assert.rejects(set(text), { code: 'invalid_argument', field: 'estimate' }, text)
      await unit(app, 'hours')
      assert.equal(await set('1.5 h'), '1.5')
      await assert.rejects(set('3 points'), { code: 'invalid_argument', field: 'estimate' })
      await unit(app, 'none')
      await assert.rejects(set('3'), { code: 'invalid_argument', hint: /in the portal/ })
      assert.equal(await set(''), null)
    },
  )

  verifies(
    ['items_bulk_patch.estimate', 'estimates.values'],
    'items_bulk_patch and its preview set and clear estimates, each item by the unit of its own project',
    async () => {
      const app = await newTeam(host)
      await app.createProject('HRS')
      await app.call('projects_update', { project_key: 'HRS', estimate_unit: 'hours' })
      const inHours = (await app.call('items_create', { project_key: 'HRS', title: 'x' })).item.ref
      const refs = [await app.item('a'), await app.item('b'), inHours]
      const change = { item_refs: refs, estimate: '2h' }
      const preview = await app.call('items_bulk_patch_preview', change)
      assert.deepEqual(
        preview.results.map(({ ok, before, after }: { ok: boolean; before: object; after: object }) => [
          ok,
          before,
          after,
        ]),
        [
          [false, {}, {}],
          [false, {}, {}],
          [true, { estimate: null }, { estimate: '2' }],
        ],
      )
      assert.equal(await estimateOf(app, inHours), undefined)
      const { results, succeeded } = await app.confirmed('items_bulk_patch', { item_refs: refs, estimate: '2' })
      assert.equal(succeeded, 3)
      assert.deepEqual(results[0], { item_ref: refs[0], ok: true, changed: ['estimate'] })
      assert.deepEqual(Object.values(await listed(app)), ['2', '2', '2'])
      await app.confirmed('items_bulk_patch', { item_refs: refs.slice(1), estimate: null })
      assert.deepEqual(await listed(app), { [refs[0]!]: '2', [refs[1]!]: null, [refs[2]!]: null })
    },
  )

  verifies(
    ['filter.key_agile', 'filter.has_estimate'],
    'estimates can be filtered by, compared and asked for',
    async () => {
      const app = await newTeam(host)
      const refs: string[] = []
      for (const estimate of ['1', '2.5', '10', null]) {
        const ref = await app.item(`size ${estimate}`)
        refs.push(ref)
        if (estimate !== null) await app.call('agile_meta_patch', { item_ref: ref, estimate })
      }
      const [one, two, ten, none] = refs
      const found = async (q: string) => new Set(Object.keys(await listed(app, { q })))
      for (const [q, expected] of [
        ['estimate:2.5', [two]],
        ['estimate:>=2.5', [two, ten]],
        ['estimate:<10', [one, two]],
        ['estimate:1..3', [one, two]],
        ['estimate:1,10', [one, ten]],
        ['estimate:none', [none]],
        ['estimate:any', [one, two, ten]],
        ['-estimate:1', [two, ten, none]],
        ['has:estimate', [one, two, ten]],
        ['no:estimate', [none]],
      ] as const)
        assert.deepEqual(await found(q), new Set(expected), q)
      await assert.rejects(found('estimate:large'), { code: 'invalid_query' })
      const { items } = await app.call('tasks_list', { include_agile: true, limit: 1 })
      assert.deepEqual(items[0].resolved_field_policy.estimate, { enabled: true, unit: 'points' })
    },
  )

  verifies(
    ['agile_estimate_apply.limit', 'agile_estimate_apply.all_or_nothing'],
    'up to 20 estimates by UUID or reference are all applied, or none',
    async () => {
      const app = await newTeam(host)
      const refs = [await app.item('a'), await app.item('b'), await app.item('c')]
      const { item } = await app.call('items_get', { item_ref: refs[1]! })
      const apply = (estimates: readonly object[]) => app.in('agile_estimate_apply', { estimates })
      const good = [
        { item_id: refs[0], value: '3' },
        { item_id: item.id.toUpperCase(), value: '5' },
      ]
      const wrong = [
        { item_id: refs[2], value: 'XL' },
        { item_id: 'APP#99', value: '1' },
      ]
      await assert.rejects(
        apply([...good, ...wrong]),
        ({ details }: { details: { problems: { field: string }[] } }) => {
          assert.deepEqual(
            details.problems.map(({ field }) => field),
            ['estimates[2].value'],
          )
          return true
        },
      )
      await assert.rejects(apply([...good, { item_id: refs[2], value: 'XL' }]), {
        code: 'invalid_argument',
        field: 'estimates[2].value',
      })
      await assert.rejects(apply([...good, { item_id: item.id, value: '8' }]), { field: 'estimates[2].item_id' })
      await assert.rejects(apply([...good, { item_id: refs[2], value: ' ' }]), { code: 'invalid_argument' })
      const strange = '018f0000-0000-7000-8000-000000000000'
      await assert.rejects(apply([...good, { item_id: strange, value: '1' }]), { code: 'not_found' })
      assert.deepEqual(Object.values(await listed(app)), [null, null, null])

      const { results, succeeded, failed } = await apply(good)
      assert.deepEqual([succeeded, failed], [2, 0])
      assert.deepEqual(results, [
        { item_ref: refs[0], ok: true, changed: ['estimate'] },
        { item_ref: refs[1], ok: true, changed: ['estimate'] },
      ])
      assert.deepEqual(await listed(app), { [refs[0]!]: '3', [refs[1]!]: '5', [refs[2]!]: null })
      assert.deepEqual((await apply(good)).results[0].changed, [])
      const most = await Promise.all(Array.from({ length: 20 }, (_, n) => app.item(`One of ${n}`)))
      const twenty = await apply(most.map(item_id => ({ item_id, value: '1' })))
      assert.equal(twenty.succeeded, 20)
      const many = Array.from({ length: 21 }, () => ({ item_id: refs[0], value: '1' }))
      await assert.rejects(apply(many), { code: 'invalid_argument', field: 'estimates' })
    },
  )

  test('agile_estimate_apply changes no item of another project or owner', async () => {
    const app = await newTeam(host)
    await app.createProject('OTHER')
    const { ref } = (await app.call('items_create', { project_key: 'OTHER', title: 'x' })).item
    const { item: outside } = await app.call('items_get', { item_ref: ref })
    const stranger = await newTeam(host)
    const foreign = await stranger.item('theirs')
    const { item: theirs } = await stranger.call('items_get', { item_ref: foreign })
    for (const item_id of [outside.ref, outside.id, theirs.id])
      await assert.rejects(app.in('agile_estimate_apply', { estimates: [{ item_id, value: '1' }] }), {
        code: 'not_found',
      })
    assert.equal(await estimateOf(stranger, foreign), undefined)
  })

  verifies(
    ['agile_estimate_apply.disabled', 'agile_meta_patch.disabled', 'estimates.disabled'],
    'a feature that is off is refused: estimation for all estimates, agile_ai for suggesting and applying',
    async () => {
      const app = await newTeam(host)
      const ref = await app.item('a task')
      const other = await app.item('another')
      const apply = () => app.in('agile_estimate_apply', { estimates: [{ item_id: ref, value: '1' }] })
      const suggest = () => app.in('agile_estimate_suggest', {})
      const patch = () => app.call('agile_meta_patch', { item_ref: ref, kind: 'bug' })
      const refused = { code: 'feature_disabled' }
      await features(app, { agile_ai: false })
      await assert.rejects(apply(), refused)
      await assert.rejects(suggest(), refused)
      assert.equal((await patch()).item.agile_kind, 'bug')
      await features(app, { agile_ai: true, estimation: false })
      for (const call of [apply, suggest, patch]) await assert.rejects(call(), refused)
      const bulk = await app.call('items_bulk_patch_preview', { item_refs: [ref, other], estimate: '1' })
      assert.deepEqual([bulk.failed, bulk.results[0].error.code], [2, 'feature_disabled'])
    },
  )

  verifies(
    ['sprints.split', 'estimates.sprints'],
    'sprints are measured in estimates, and a split leaves the done share and moves the rest',
    async () => {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await app.sprint('Two')
      const refs = { done: '5', split: '8', half: '2.5', blank: null, untouched: '3' }
      const ref: Record<string, string> = {}
      for (const [title, estimate] of Object.entries(refs)) {
        ref[title] = await app.item(title, { sprint: 'One' })
        if (estimate !== null) await app.call('agile_meta_patch', { item_ref: ref[title], estimate })
      }
      for (const title of ['split', 'half']) {
        for (const content of ['first', 'second', 'third']) {
          const { checklist_item: step } = await app.call('checklist_add', { item_ref: ref[title], content })
          if (content === 'first') await app.call('checklist_toggle', { checklist_item_id: step.id, done: true })
        }
      }
      await app.call('items_complete', { item_ref: ref['done'] })
      assert.equal((await app.in('sprints_list', {})).sprints[0].remaining_estimate, 13.5)
      const dispositions = ['split', 'half', 'untouched'].map(title => ({ item_ref: ref[title], disposition: 'split' }))
      const { sprint, items } = await app.in('sprints_close', { sprint: 'One', next_sprint: 'Two', dispositions })
      // A third of 8 in whole points, and a third of 2.5 in tenths.
      assert.deepEqual([sprint.velocity, sprint.velocity_unit], [5 + 3 + 0.8, 'points'])
      const rest = async (title: string) => {
        const outcome = items.find((item: { item_ref: string }) => item.item_ref === ref[title])
        return [await estimateOf(app, ref[title]!), await estimateOf(app, outcome.continuation_ref)]
      }
      assert.deepEqual(await rest('split'), ['3', '5'])
      assert.deepEqual(await rest('half'), ['0.8', '1.7'])
      assert.deepEqual(await rest('untouched'), ['0', '3'])
      const { activities } = await app.call('activities_list', { item_ref: ref['split'] })
      const divided = activities.find(({ kind }: { kind: string }) => kind === 'item.estimate.changed')
      assert.deepEqual([divided.from, divided.to, divided.tool], ['8', '3', 'sprints_close'])
      await features(app, { estimation: false })
      const { sprints } = await app.in('sprints_list', {})
      assert.equal(sprints.find((each: { name: string }) => each.name === 'Two').remaining_estimate, 0)
    },
  )

  test('a generated task has the estimate of its template', async () => {
    const app = await newTeam(host)
    const template = await app.in('templates_create', { title: 'Weekly', recurrence_rule: 'FREQ=WEEKLY' })
    await app.call('agile_meta_patch', { item_ref: template.item.ref, estimate: '2' })
    await app.call('templates_run', { template_ref: template.item.ref })
    assert.deepEqual(Object.values(await listed(app)), ['2'])
  })

  test('the number of statements does not depend on the number of estimates', async () => {
    const app = await newTeam(host)
    const refs: string[] = []
    for (let n = 0; n < 12; n++) refs.push(await app.item(`item ${n}`))
    const send = async (items: readonly string[], value: string) => {
      const estimates = items.map(item_id => ({ item_id, value }))
      return (await host.statements(() => app.in('agile_estimate_apply', { estimates }))).length
    }
    const [few, many] = [await send(refs.slice(0, 2), '1'), await send(refs, '2')]
    assert.equal(few, many)
    assert.ok(many <= 8, `${many} statements`)
    assert.equal((await host.statements(() => app.in('agile_estimate_suggest', {}))).length, 1)
    assert.equal((await host.statements(() => app.call('tasks_list', { q: 'estimate:>1' }))).length, 1)
  })
})

forEachEngine('estimates without sprints', engine => {
  const host = sharedHost(engine, { config: { plugins: { sprints: false, estimation: {} } } })

  verifies(
    'estimates.without_sprints',
    'estimates work, and the tools that look at sprints are not served',
    async () => {
      const app = await newTeam(host)
      const names = (await app.listTools()).map(({ name }) => name).filter(name => name.startsWith('agile_'))
      assert.deepEqual(names.toSorted(), ['agile_estimate_apply', 'agile_estimate_suggest', 'agile_meta_patch'])
      const ref = await app.item('a task')
      await app.in('agile_estimate_apply', { estimates: [{ item_id: ref, value: '3' }] })
      assert.deepEqual(await listed(app, { q: 'estimate:3' }), { [ref]: '3' })
    },
  )
})
