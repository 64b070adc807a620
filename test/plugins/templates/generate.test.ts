import assert from 'node:assert/strict'
import { definePlugin, sql, ToolError } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { itemChecks } from '../../../plugins/items/points.ts'
import { generateDue } from '../../../plugins/templates/index.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { clockedHost } from './clock.ts'

const START = '2026-06-01T00:00:00.000Z'
const DAILY = { recurrence_rule: 'FREQ=DAILY' }

forEachEngine('generated tasks', engine => {
  const start = clockedHost(engine)
  const withRelations = clockedHost(engine, { config: { plugins: { templates: {}, relations: {} } } })
  const withoutRelations = clockedHost(engine, { config: { plugins: { templates: {}, relations: false } } })

  verifies(
    ['templates.always', 'templates.once', 'filter.key_recurring'],
    'each occurrence creates one task with title, body, labels and date of its template, and records it in the history',
    async () => {
      const { host, set, tick, template, tasks, history } = await start(START)
      const ref = await template({ ...DAILY, detail: 'Body', labels: ['home'], generation_strategy: 'always' })
      assert.equal(await tick(), 0)
      set('2026-06-01T15:00:00.000Z')
      assert.equal(await tick(), 1)
      assert.equal(await tick(), 0, 'the occurrence is dealt with')
      set('2026-06-02T15:00:30.000Z')
      await tick()
      const made = await tasks(ref)
      assert.deepEqual(
        made.map(task => [task.ref, task.title, task.due_date, task.due_time]),
        [
          ['INBOX#2', 'Water the plants', '2026-06-02', undefined],
          ['INBOX#3', 'Water the plants', '2026-06-03', undefined],
        ],
      )
      const { item } = await host.call('items_get', { item_ref: 'INBOX#3' })
      assert.deepEqual([item.type, item.detail, item.labels, item.occurrence], ['task', 'Body', ['home'], '2026-06-03'])
      assert.deepEqual((await history(ref))[0], {
        kind: 'template.generated',
        to: { item: 'INBOX#3', occurrence: '2026-06-03' },
      })
      const [entry] = (await host.call('activities_list', { item_ref: 'INBOX#3' })).activities
      assert.deepEqual([entry.kind, entry.actor_kind], ['item.created', 'system'])
      const { templates } = await host.call('task_templates_list')
      assert.deepEqual([templates[0].last_occurrence, templates[0].next_occurrence], ['2026-06-03', '2026-06-04'])
      await host.call('items_create', { project_key: 'INBOX', title: 'Once only' })
      const found = async (q: string) =>
        (await host.call('tasks_list', { q, sort: 'created', order: 'asc' })).items.map(
          (task: { ref: string }) => task.ref,
        )
      assert.deepEqual(await found('is:recurring'), ['INBOX#2', 'INBOX#3'])
      assert.deepEqual(await found('-is:recurring'), ['INBOX#4'])
    },
  )

  verifies(
    'templates.always',
    "an occurrence with a time is due at that instant in the owner's time zone",
    async () => {
      const { set, tick, template, tasks } = await start(START)
      const timed = await template({ recurrence_rule: 'FREQ=DAILY;BYHOUR=20', timezone: 'Europe/Berlin' })
      const allDay = await template({ recurrence_rule: 'FREQ=DAILY', timezone: 'Europe/Berlin' })
      set('2026-06-01T23:00:00.000Z')
      await tick()
      assert.deepEqual(
        (await tasks(timed)).map(task => [task.due_date, task.due_time]),
        [['2026-06-02', '03:00']],
      )
      assert.deepEqual(
        (await tasks(allDay)).map(task => [task.due_date, task.due_time]),
        [['2026-06-02', undefined]],
      )
    },
  )

  verifies(
    ['templates.always', 'templates_create.too_fine'],
    'a rule with several minutes of an hour creates a task for each of them',
    async () => {
      const { set, tick, template, tasks } = await start(START)
      const minutes = { recurrence_rule: 'FREQ=HOURLY;BYMINUTE=0,1,30', timezone: 'UTC' }
      const ref = await template({ ...minutes, generation_strategy: 'always' })
      for (const [time, due] of [
        ['00:01:00', 1],
        ['00:02:00', 0],
        ['00:30:02', 1],
        ['01:00:00', 1],
        ['01:01:00', 1],
      ] as const) {
        set(`2026-06-01T${time}.000Z`)
        assert.equal(await tick(), due, time)
      }
      assert.deepEqual(
        (await tasks(ref)).map(task => task.due_time),
        // In the time zone of the owner, Asia/Tokyo.
        ['09:01', '09:30', '10:00', '10:01'],
      )
      await assert.rejects(template({ recurrence_rule: 'FREQ=MINUTELY;INTERVAL=90' }), { code: 'invalid_argument' })
    },
  )

  verifies('templates.catch_up', 'after a downtime only the latest missed occurrence is created', async () => {
    const { set, tick, template, tasks, history } = await start(START)
    const daily = await template({ ...DAILY, generation_strategy: 'always' })
    const hourly = await template({ recurrence_rule: 'FREQ=HOURLY', generation_strategy: 'always' })
    const ended = await template({ recurrence_rule: 'FREQ=DAILY;COUNT=3', generation_strategy: 'always' })
    set('2026-06-21T03:30:00.000Z')
    assert.equal(await tick(), 3)
    assert.deepEqual(
      (await tasks(daily)).map(task => task.due_date),
      ['2026-06-21'],
    )
    assert.deepEqual((await history(daily))[0]!.to, {
      item: 'INBOX#5',
      occurrence: '2026-06-21',
      skipped: 19,
    })
    assert.deepEqual(
      (await tasks(hourly)).map(task => [task.due_date, task.due_time]),
      [['2026-06-21', '12:00']],
    )
    assert.deepEqual(
      (await tasks(ended)).map(task => task.due_date),
      ['2026-06-04'],
    )
    assert.equal(await tick(), 0)
    set('2026-07-01T15:00:00.000Z')
    assert.equal(await tick(), 2, 'the series that ended stays ended')
  })

  verifies('templates.skip_if_open', 'no task is created while the previous one is open', async () => {
    const { host, set, tick, template, tasks, history } = await start(START)
    const ref = await template(DAILY)
    for (const day of ['01', '02', '03']) {
      set(`2026-06-${day}T15:00:00.000Z`)
      assert.equal(await tick(), 1)
    }
    const [first, ...others] = await tasks(ref)
    assert.equal(others.length, 0)
    await host.call('items_complete', { item_ref: first!.ref })
    set('2026-06-04T15:00:00.000Z')
    await tick()
    assert.deepEqual(
      (await tasks(ref)).map(task => task.due_date),
      ['2026-06-02', '2026-06-05'],
    )
    assert.equal((await history(ref))[0]!.to!['skipped'], 2)
  })

  verifies('templates.supersede', 'the previous task is closed as wontfix and linked to the new one', async () => {
    const { host, set, tick, template, tasks } = await withRelations(START)
    const ref = await template({ ...DAILY, generation_strategy: 'supersede_previous' })
    for (const day of ['01', '02', '03']) {
      set(`2026-06-${day}T15:00:00.000Z`)
      await tick()
    }
    const made = await tasks(ref)
    assert.deepEqual(
      made.map(task => task.system_status),
      ['closed', 'closed', 'open'],
    )
    const { item } = await host.call('items_get', { item_ref: made[1]!.ref })
    assert.equal(item.state.status_attribute, 'wontfix')
    assert.deepEqual(
      item.relations.map((relation: Record<string, string>) => [
        relation['relation_type'],
        relation['source_ref'],
        relation['target_ref'],
      ]),
      [
        ['previous_instance', made[1]!.ref, made[0]!.ref],
        ['previous_instance', made[2]!.ref, made[1]!.ref],
      ],
    )
    const { warnings } = await host.call('templates_run', { template_ref: ref })
    assert.deepEqual(warnings, [`The previous task ${made[2]!.ref} was closed.`])
  })

  verifies('templates.supersede', 'without the relations plugin the previous task is closed too', async () => {
    const { set, tick, template, tasks } = await withoutRelations(START)
    const ref = await template({ ...DAILY, generation_strategy: 'supersede_previous' })
    for (const day of ['01', '02']) {
      set(`2026-06-${day}T15:00:00.000Z`)
      await tick()
    }
    assert.deepEqual(
      (await tasks(ref)).map(task => task.system_status),
      ['closed', 'open'],
    )
  })

  verifies('templates.catch_up', 'an archived or closed template creates nothing and misses nothing', async () => {
    const { host, set, tick, template, tasks } = await start(START)
    const ref = await template({ ...DAILY, generation_strategy: 'always' })
    const enabled = async () => (await host.call('items_get', { item_ref: ref })).item.enabled
    await host.call('items_patch', { item_ref: ref, archived_at: START })
    assert.equal(await enabled(), false)
    set('2026-06-10T00:00:00.000Z')
    assert.equal(await tick(), 0)
    await host.call('items_patch', { item_ref: ref, archived_at: null })
    assert.equal(await enabled(), true)
    assert.equal(await tick(), 0)
    set('2026-06-10T15:00:00.000Z')
    assert.equal(await tick(), 1)
    await host.call('items_complete', { item_ref: ref })
    assert.equal(await enabled(), false)
    set('2026-06-12T15:00:00.000Z')
    assert.equal(await tick(), 0)
    assert.deepEqual(
      (await tasks(ref)).map(task => task.due_date),
      ['2026-06-11'],
    )
  })

  let refusing = false
  const refuse = itemChecks((_ctx, drafts) => {
    for (const draft of drafts) {
      if (refusing && draft.after.type === 'task' && draft.after.title === 'Bad')
        draft.problems.push(new ToolError('frozen', 'It is frozen.', { field: 'title' }))
    }
  })
  const plugin = definePlugin({
    name: 'refusing',
    version: '0.1.0',
    api: 1,
    group: 'test',
    dependsOn: ['items'],
    contributes: [refuse],
  })
  const whenRefused = clockedHost(engine, { plugins: [plugin] })

  verifies(
    'templates.once',
    'a failed template is reported once, retried later, and does not delay others',
    async () => {
      refusing = true
      const { host, set, tick, template, tasks } = await whenRefused(START)
      const bad = await template({ ...DAILY, title: 'Bad' })
      const good = await template({ ...DAILY, title: 'Good' })
      set('2026-06-01T15:00:00.000Z')
      assert.equal(await tick(), 2)
      assert.deepEqual([(await tasks(bad)).length, (await tasks(good)).length], [0, 1])
      const readNotifications = async () => (await host.call('notifications_list')).notifications
      assert.deepEqual(
        (await readNotifications()).map((each: Record<string, string>) => [
          each['kind'],
          each['title'],
          each['body'],
          each['item_ref'],
          each['data'],
        ]),
        [
          [
            'template.failed',
            'No task was made from INBOX#1 "Bad"',
            'It is frozen.',
            'INBOX#1',
            { code: 'frozen', field: 'title' },
          ],
        ],
      )
      assert.equal(await tick(), 0, 'not at once')
      set('2026-06-01T15:01:00.000Z')
      assert.equal(await tick(), 1)
      set('2026-06-01T15:02:00.000Z')
      assert.equal(await tick(), 0, 'the pause gets longer')
      refusing = false
      set('2026-06-01T15:03:00.000Z')
      assert.equal(await tick(), 1)
      assert.deepEqual(
        (await tasks(bad)).map(task => task.due_date),
        ['2026-06-02'],
      )
      assert.equal((await readNotifications()).length, 1)
    },
  )

  verifies(
    'templates.once',
    'a rule of another version, expensive or unknown, does not block the process',
    async () => {
      const { host, set, tick, template, tasks } = await start(START)
      const heavy = await template({ ...DAILY, title: 'Heavy' })
      const good = await template({ ...DAILY, title: 'Good' })
      const unknown = await template({ ...DAILY, title: 'Unknown' })
      const numbers = (count: number, step = 1) => Array.from({ length: count }, (_, n) => n * step).join(',')
      const rule = `FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(15, 4)};BYSETPOS=366`
      await assert.rejects(template({ recurrence_rule: rule }), {
        code: 'invalid_argument',
        field: 'recurrence_rule',
        message: /never comes due/,
      })
      const store = (title: string, stored: string) => host.sql`
      update templates.templates t set rule = ${stored}, dtstart = dtstart || 'T00:00:00' from items.items i
      where i.owner_id = t.owner_id and i.id = t.item_id and i.title = ${title}`
      await store('Heavy', rule)
      await store('Unknown', 'FREQ=DAILY;BYMOON=1')
      set('2026-06-01T15:00:00.000Z')
      const begin = process.threadCpuUsage().user
      assert.equal(await tick(), 3)
      assert.ok((process.threadCpuUsage().user - begin) / 1000 < 500)
      const counts = await Promise.all([heavy, good, unknown].map(async ref => (await tasks(ref)).length))
      assert.deepEqual(counts, [1, 1, 0])
      const { notifications } = await host.call('notifications_list')
      assert.match(notifications[0].body, /BYMOON/)
      // The person who closes and reopens the item is not refused, and is notified again.
      await host.call('items_complete', { item_ref: unknown })
      const { item } = await host.call('items_get', { item_ref: good })
      await host.call('items_move_state', { item_ref: unknown, status_definition_id: item.status })
      assert.equal(await tick(), 1)
      assert.equal((await host.call('notifications_list')).notifications.length, 2)
    },
  )

  verifies(
    'templates.once',
    'numbers have no gaps, and the number of statements does not grow with the templates',
    async () => {
      const { host, set, tick, template } = await start(START)
      await host.command('project create', { key: 'APP', name: 'App' })
      const other = await host.user('other@example.com')
      const strategies = ['always', 'skip_if_previous_open', 'supersede_previous']
      const sent: number[] = []
      for (const [n, count] of [1, 4].entries()) {
        for (const generation_strategy of strategies) {
          for (let each = 0; each < count; each++) {
            await template({ ...DAILY, generation_strategy, project_key: each % 2 ? 'APP' : 'INBOX' })
            await other.call('templates_create', { title: 'Theirs', ...DAILY, generation_strategy })
          }
        }
        // Two days, so that there is a previous task to skip or close.
        for (const day of [1, 2]) {
          set(`2026-06-0${n * 3 + day}T15:00:00.000Z`)
          const statements = await host.statements(tick)
          if (day === 2) sent.push(statements.length)
        }
      }
      assert.equal(sent[0], sent[1])
      assert.ok(sent[0]! <= 30, `${sent[0]} statements`)
      const rows = await host.sql<{ gaps: number }>`
      select (max(number) - count(*))::int as gaps from items.items group by owner_id`
      assert.deepEqual(
        rows.map(row => row.gaps),
        [0, 0],
      )
    },
  )

  verifies('templates.once', 'parallel instances create one task per template and occurrence', async t => {
    const { host, set, template, tasks } = await start(START)
    const refs: string[] = []
    for (let n = 0; n < 5; n++) refs.push(await template({ ...DAILY, generation_strategy: 'always' }))
    set('2026-06-01T15:00:00.000Z')
    const now = () => new Date('2026-06-01T15:00:00.000Z')
    const hosts = [host]
    // Only one process at a time may open the embedded database.
    if (engine === 'postgres') {
      const options = { engine, config: { plugins: { templates: {} } }, now, database: host.databaseOptions }
      hosts.push(await testHost(t, options))
    }
    const dealt = await Promise.all(hosts.flatMap(each => [1, 2, 3].map(() => each.write(generateDue))))
    assert.equal(
      dealt.reduce((sum, count) => sum + count),
      5,
    )
    for (const ref of refs) assert.equal((await tasks(ref)).length, 1, ref)
  })

  verifies('templates.once', 'the database refuses a second task for an occurrence', async () => {
    const { host, set, tick, template, tasks } = await start(START)
    const ref = await template({ ...DAILY, generation_strategy: 'always' })
    set('2026-06-01T15:00:00.000Z')
    await tick()
    await host.write(async ctx => {
      await sql`update templates.templates set next_at = ${ctx.now}, due_at = ${ctx.now}`.execute(ctx.db)
    })
    await tick()
    assert.equal((await tasks(ref)).length, 1)
  })
})
