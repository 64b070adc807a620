import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'tasuki/plugin'
import { dailyDone, readClosings } from '../../../plugins/sprints/index.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { estimates, fault } from './estimates.ts'
import { newTeam } from './team.ts'

forEachEngine('closing sprints with estimates', engine => {
  const host = sharedHost(engine, {
    config: {
      plugins: { relations: {}, checklist: {}, custom_fields: {}, versions: {}, sprints: {}, estimation: false },
    },
    plugins: [estimates],
  })

  verifies(
    ['sprints_list.project', 'sprints_close.velocity'],
    'velocity and remaining work use the estimates of the project',
    async () => {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active', capacity: 20 })
      const done = await app.item('done [5p]', { sprint: 'One' })
      await app.item('open [3p]', { sprint: 'One' })
      await app.item('unknown', { sprint: 'One' })
      await app.call('items_complete', { item_ref: done })
      assert.equal((await app.in('sprints_list', {})).sprints[0].remaining_estimate, 3)
      const { sprint, items } = await app.in('sprints_close', { sprint: 'One' })
      assert.deepEqual([sprint.velocity, sprint.velocity_unit, sprint.done_count], [5, 'points', 1])
      assert.ok(!('remaining_estimate' in sprint))
      assert.deepEqual(
        items.map((item: { points?: number }) => item.points),
        [5, 3, undefined],
      )
      const { notes } = await app.in('sprints_note_get', { sprint: 'One' })
      assert.match(notes.review.body, /Velocity: 5 of 8 points, capacity 20\./)
    },
  )

  verifies(
    'sprints.split',
    'a split item is completed with its done share, and a new related item in the same place takes the rest',
    async () => {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await app.sprint('Two')
      await app.in('versions_create', { name: '1.0' })
      const parent = await app.item('epic')
      const fields = {
        sprint: 'One',
        parent,
        version: '1.0',
        labels: ['api'],
        priority: 'high',
        kind: 'story',
        detail: 'Body',
      }
      const ref = await app.item('Write [8p] 25%', fields)
      await app.in('project_custom_fields_create', { label: 'Customer' })
      await app.call('items_set_custom_fields', { item_ref: ref, custom_fields: { customer: 'acme' } })
      for (const remind_at of ['2020-01-01T00:00:00Z', '2050-01-01T00:00:00Z'])
        await app.call('reminders_create', { item_ref: ref, remind_at })
      const [past] = (await app.call('reminders_list', { item_ref: ref })).reminders
      await app.call('reminders_patch', { reminder_id: past.id, status: 'dismissed' })
      const steps: { id: string }[] = []
      for (const content of ['first', 'second', 'third']) {
        steps.push((await app.call('checklist_add', { item_ref: ref, content })).checklist_item)
      }
      await app.call('checklist_toggle', { checklist_item_id: steps[0]!.id, done: true })
      const { items, sprint } = await app.in('sprints_handoff', {
        sprint: 'One',
        next_sprint: 'Two',
        dispositions: [{ item_ref: ref, disposition: 'split' }],
      })
      assert.equal(items[0].outcome, 'split')
      const rest = items[0].continuation_ref
      const original = (await app.call('items_get', { item_ref: ref })).item
      const { item } = await app.call('items_get', { item_ref: rest })
      assert.deepEqual([original.system_status, original.sprint_path], ['closed', 'One'])
      const { sprint_path, version_name, labels, priority, agile_kind, detail, parent_ref } = item
      assert.deepEqual(
        { sprint_path, version_name, labels, priority, agile_kind, detail, parent_ref },
        {
          sprint_path: 'Two',
          version_name: '1.0',
          labels: ['api'],
          priority: 'high',
          agile_kind: 'story',
          detail: 'Body',
          parent_ref: parent,
        },
      )
      for (const { custom_fields } of [original, item])
        assert.deepEqual(
          custom_fields.map(({ field_key, value }: { field_key: string; value: string }) => [field_key, value]),
          [['customer', 'acme']],
        )
      assert.match(item.title, /^Write \[\dp\] 25% \(2\)$/)
      const { relations } = await app.call('relations_list', { item_ref: rest })
      const link = relations.find((one: { relation_type: string }) => one.relation_type === 'generated_from')
      assert.deepEqual([link.source_ref, link.target_ref], [rest, ref])
      const { reminders } = await app.call('reminders_list', { item_ref: rest })
      assert.deepEqual(
        reminders.map(({ remind_at }: { remind_at: string }) => remind_at),
        ['2050-01-01T00:00:00.000Z'],
      )
      assert.deepEqual((await app.call('reminders_list', { item_ref: ref })).reminders, [])
      const left = await app.call('checklist_list', { item_ref: rest })
      const done = await app.call('checklist_list', { item_ref: ref })
      const contents = (list: { checklist: { content: string }[] }) => list.checklist.map(step => step.content)
      assert.deepEqual([contents(done), contents(left)], [['first'], ['second', 'third']])
      // The checklist (1 of 3) and the title (25 %) both give a share; the first contribution wins.
      const [was, goesOn] = [original.title, item.title].map(title => Number(/\[(\d+)p\]/.exec(title)![1]))
      assert.equal(was! + goesOn!, 8)
      assert.ok(was === 3 || was === 2)
      assert.equal(sprint.velocity, was)
      const { activities } = await app.call('activities_list', { item_ref: ref, kind: 'item.completed' })
      assert.equal(activities[0].reason, 'Split at the end of "One"')
    },
  )

  test('without a next sprint the rest moves to the backlog, and without a done share everything moves', async () => {
    const app = await newTeam(host)
    await app.sprint('One', { status: 'active' })
    const ref = await app.item('Write [8p]', { sprint: 'One' })
    const { items, sprint } = await app.in('sprints_close', {
      sprint: 'One',
      dispositions: [{ item_ref: ref, disposition: 'split' }],
    })
    assert.deepEqual([items[0].points, sprint.velocity, sprint.velocity_unit], [0, 0, 'points'])
    const { item } = await app.call('items_get', { item_ref: items[0].continuation_ref })
    assert.deepEqual([item.title, item.sprint_path], ['Write [8p] (2)', undefined])
  })

  test('closed sprints and daily figures are available to forecasts', async () => {
    const app = await newTeam(host)
    await app.sprint('One', { status: 'active' })
    for (const title of ['a [2p]', 'b [3p]', 'c']) {
      await app.call('items_complete', { item_ref: await app.item(title, { sprint: 'One' }) })
    }
    await app.item('open [5p]', { sprint: 'One' })
    const { sprint } = await app.in('sprints_close', { sprint: 'One' })
    const [days, closings] = await host.write(async ctx => {
      const found = await sql<{ id: string }>`
        select id from projects.projects where owner_id = ${app.userId} and key = 'APP'`.execute(ctx.db)
      const project = { ownerId: app.userId, id: found.rows[0]!.id }
      return [await dailyDone(ctx, app.userId, [sprint.id]), await readClosings(ctx, project, 6)] as const
    })
    assert.deepEqual([days.length, days[0]!.points, days[0]!.items], [1, 5, 3])
    assert.match(days[0]!.day, /^\d{4}-\d\d-\d\d$/)
    const [closing] = closings
    assert.deepEqual(
      [closing!.sprint.path, closing!.velocity, closing!.total, closing!.unit, closing!.itemCount, closing!.doneCount],
      ['One', 5, 10, 'points', 4, 3],
    )
    assert.equal(closing!.items.length, 4)
  })

  for (const strike of engine === 'postgres' ? (['throw', 'disconnect'] as const) : (['throw'] as const)) {
    verifies('sprints_handoff.atomic', `an interrupted close is rolled back (${strike})`, async () => {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await app.sprint('Two')
      const refs = [await app.item('a [1p]', { sprint: 'One' }), await app.item('b [2p]', { sprint: 'One' })]
      const look = async () => [
        await app.call('tasks_list', { include_agile: true, include_timestamps: true, include_total: true }),
        await app.in('sprints_list', {}),
        await app.in('sprints_note_get', { sprint: 'One' }),
        await app.call('activities_list', { item_ref: refs[1] }),
      ]
      const before = await look()
      const hand = () =>
        app.in('sprints_handoff', {
          sprint: 'One',
          next_sprint: 'Two',
          dispositions: [
            { item_ref: refs[0], disposition: 'next_sprint' },
            { item_ref: refs[1], disposition: 'split' },
          ],
        })
      fault.strike = strike
      try {
        await assert.rejects(hand(), { code: strike === 'throw' ? 'internal' : 'unavailable' })
      } finally {
        fault.strike = null
      }
      assert.deepEqual(await look(), before)
      const { sprint, next_sprint, items } = await hand()
      assert.deepEqual([sprint.status, next_sprint.status], ['closed', 'active'])
      // With several sessions, the number that the first attempt took is not reused.
      assert.equal(items[1].continuation_ref, engine === 'postgres' ? 'APP#4' : 'APP#3')
    })
  }
})
