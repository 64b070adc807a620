import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from '../../../plugins/projects/index.ts'
import { share } from '../../members.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { clockedHost } from './clock.ts'

const START = '2026-06-01T00:00:00.000Z'

forEachEngine('task templates', engine => {
  const start = clockedHost(engine)

  verifies(
    [
      'templates_create.create',
      'templates_create.inbox',
      'templates_create.preview',
      'templates_create.timezone',
      'item.types',
    ],
    'a template is an item with its own type, with the next three occurrences, in Asia/Tokyo by default',
    async () => {
      const { host } = await start(START)
      const {
        item,
        changed,
        next_occurrences: next,
      } = await host.call('templates_create', {
        title: 'Water the plants',
        detail: 'All **five**.',
        recurrence_rule: 'RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9',
        labels: ['home', 'Green'],
      })
      assert.deepEqual(
        [item.type, item.ref, item.title, item.labels, item.system_status],
        ['task_template', 'INBOX#1', 'Water the plants', ['home', 'Green'], 'open'],
      )
      assert.deepEqual(
        [item.recurrence_rule, item.timezone, item.generation_strategy, item.enabled, item.next_occurrence],
        ['FREQ=WEEKLY;BYDAY=MO;BYHOUR=9', 'Asia/Tokyo', 'skip_if_previous_open', true, next[0]],
      )
      assert.deepEqual(next, ['2026-06-08T00:00:00.000Z', '2026-06-15T00:00:00.000Z', '2026-06-22T00:00:00.000Z'])
      assert.deepEqual(changed, ['title', 'detail', 'recurrence_rule', 'labels'])
      const elsewhere = await host.call('templates_create', {
        title: 'Stand-up',
        recurrence_rule: 'FREQ=DAILY;COUNT=2;BYHOUR=9',
        timezone: 'europe/berlin',
      })
      assert.equal(elsewhere.item.timezone, 'Europe/Berlin')
      assert.deepEqual(elsewhere.next_occurrences, ['2026-06-01T07:00:00.000Z', '2026-06-02T07:00:00.000Z'])
      assert.equal((await host.call('tasks_list', {})).items.length, 0, 'a template is no task')
      const { item: read } = await host.call('items_get', { item_ref: item.ref })
      assert.deepEqual([read.detail, read.recurrence_rule], ['All **five**.', item.recurrence_rule])
    },
  )

  test('a rule without a time zone says so to a caller who is not in the default one', async () => {
    const { host } = await start(START)
    const nia = await host.user('nia@example.com', { timeZone: 'America/New_York' })
    const create = async (args: object, caller: Pick<typeof nia, 'call'> = nia) =>
      (await caller.call('templates_create', { title: 'Stand-up', recurrence_rule: 'FREQ=DAILY;BYHOUR=9', ...args }))
        .warnings
    assert.deepEqual(await create({}), [
      'The rule is in Asia/Tokyo, and your time zone is America/New_York. If that is not meant, archive INBOX#1 and create the template again with timezone.',
    ])
    assert.equal(await create({ timezone: 'Asia/Tokyo' }), undefined)
    assert.equal(await create({ timezone: 'America/New_York' }), undefined)
    const rule = 'DTSTART;TZID=Asia/Tokyo:20260602T090000\nRRULE:FREQ=DAILY'
    assert.equal(await create({ recurrence_rule: rule }), undefined)
    assert.equal(await create({}, host), undefined)
  })

  verifies(
    [
      'templates_create.invalid_rule',
      'templates_create.too_fine',
      'templates_create.timezone',
      'templates_create.title',
    ],
    'invalid rules, time zones and titles are refused and write nothing',
    async () => {
      const { host } = await start(START)
      const create = (fields: object) =>
        host.call('templates_create', { title: 'T', recurrence_rule: 'FREQ=DAILY', ...fields })
      for (const recurrence_rule of [
        'FREQ=MINUTELY',
        'FREQ=SECONDLY',
        'sometimes',
        '',
        'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      ]) {
        await assert.rejects(
          create({ recurrence_rule }),
          { code: 'invalid_argument', field: 'recurrence_rule' },
          recurrence_rule,
        )
      }
      await assert.rejects(create({ recurrence_rule: 'DTSTART:20200101\nRRULE:FREQ=DAILY;COUNT=3' }), {
        code: 'invalid_argument',
        message: /ended already/,
      })
      await assert.rejects(
        create({ timezone: 'Asia/Tokio' }),
        (error: { code: string; field: string; allowed: string[] }) => {
          assert.deepEqual([error.code, error.field, error.allowed[0]], ['invalid_argument', 'timezone', 'Asia/Tokyo'])
          return true
        },
      )
      await assert.rejects(create({ timezone: '+09:00' }), { code: 'invalid_argument', field: 'timezone' })
      await assert.rejects(create({ title: '' }), { code: 'invalid_argument', field: 'title' })
      await assert.rejects(create({ title: 'x'.repeat(201) }), { code: 'invalid_argument', field: 'title' })
      await assert.rejects(create({ generation_strategy: 'never' }), {
        code: 'invalid_argument',
        field: 'generation_strategy',
      })
      await assert.rejects(create({ project_key: 'NOPE' }), { code: 'not_found', field: 'project_key' })
      assert.equal((await create({ title: 'x'.repeat(200) })).item.ref, 'INBOX#1')
    },
  )

  verifies(
    'task_templates_list.filters',
    'templates are listed by project and by whether they are enabled, in one statement',
    async () => {
      const { host, template } = await start(START)
      await host.command('project create', { key: 'APP', name: 'App' })
      const daily = await template({ recurrence_rule: 'FREQ=DAILY' })
      const weekly = await template({ project_key: 'APP', recurrence_rule: 'FREQ=WEEKLY;BYDAY=FR' })
      for (let n = 0; n < 20; n++) await template({ recurrence_rule: 'FREQ=YEARLY' })
      await host.call('items_patch', { item_ref: weekly, archived_at: START })
      const refs = async (args: object) =>
        (await host.call('task_templates_list', args)).templates.map(({ ref }: { ref: string }) => ref)
      assert.deepEqual(await refs({ project_key: 'app' }), [weekly])
      assert.deepEqual(await refs({ project_key: 'APP', enabled: true }), [])
      assert.deepEqual(await refs({ enabled: false }), [weekly])
      const { templates, has_more } = await host.call('task_templates_list', {})
      assert.deepEqual([templates.length, has_more, templates[0].ref], [20, true, daily])
      assert.deepEqual(templates[0], {
        ref: daily,
        title: 'Water the plants',
        recurrence_rule: 'FREQ=DAILY',
        timezone: 'Asia/Tokyo',
        generation_strategy: 'skip_if_previous_open',
        enabled: true,
        next_occurrence: '2026-06-02',
      })
      assert.equal((await host.call('task_templates_list', { limit: 30 })).templates.length, 22)
      for (const limit of [0, 31]) {
        await assert.rejects(host.call('task_templates_list', { limit }), { code: 'invalid_argument', field: 'limit' })
      }
      await assert.rejects(host.call('task_templates_list', { project_key: 'NOPE' }), { code: 'not_found' })
      assert.equal((await host.statements(() => host.call('task_templates_list', { project_key: 'APP' }))).length, 1)
      const stranger = await host.user('stranger@example.com')
      assert.deepEqual((await stranger.call('task_templates_list')).templates, [])
    },
  )

  test('a generated task has the steps of its template, none of them done', async () => {
    const { host, template } = await start(START)
    const ref = await template({ recurrence_rule: 'FREQ=YEARLY' })
    for (const content of ['Fill the can', 'Water']) await host.call('checklist_add', { item_ref: ref, content })
    const [first] = (await host.call('checklist_list', { item_ref: ref })).checklist
    await host.call('checklist_toggle', { checklist_item_id: first.id, done: true })
    const { item } = await host.call('templates_run', { template_ref: ref })
    const { checklist } = await host.call('checklist_list', { item_ref: item.ref })
    assert.deepEqual(
      checklist.map(({ content, done }: { content: string; done: boolean }) => [content, done]),
      [
        ['Fill the can', false],
        ['Water', false],
      ],
    )
  })

  test('a generated task has the custom fields of its template', async () => {
    const { host, template } = await start(START)
    const ref = await template({ recurrence_rule: 'FREQ=YEARLY' })
    await host.call('project_custom_fields_create', { project_key: 'INBOX', label: 'Customer' })
    await host.call('items_set_custom_fields', { item_ref: ref, custom_fields: { customer: 'acme' } })
    const { item } = await host.call('templates_run', { template_ref: ref })
    assert.equal(item.custom_fields[0].value, 'acme')
  })

  verifies(
    'templates_run.now',
    'a run creates a task now, whatever the schedule, and reports an open previous task',
    async () => {
      const { host, template, tasks, history } = await start('2026-06-01T20:00:00.000Z')
      const ref = await template({ recurrence_rule: 'FREQ=YEARLY', detail: 'Body', labels: ['home'] })
      await host.call('items_patch', { item_ref: ref, priority: 'high' })
      const { item, changed, warnings } = await host.call('templates_run', { template_ref: ref })
      assert.deepEqual(changed, ['title', 'detail', 'due_date', 'priority'])
      const { item: read } = await host.call('items_get', { item_ref: item.ref })
      assert.deepEqual(
        [
          read.type,
          item.title,
          read.detail,
          item.labels,
          item.priority,
          item.due_date,
          item.due_time,
          item.template_ref,
        ],
        ['task', 'Water the plants', 'Body', ['home'], 'high', '2026-06-02', undefined, ref],
      )
      assert.equal(warnings, undefined)
      assert.equal(read.occurrence, undefined, 'a run outside the schedule has no occurrence')
      const again = await host.call('templates_run', { template_ref: ref })
      assert.deepEqual(again.warnings, [`The previous task ${item.ref} is still open.`])
      assert.equal((await tasks(ref)).length, 2)
      assert.equal((await host.call('items_get', { item_ref: ref })).item.next_occurrence, '2027-06-02')
      assert.deepEqual(await history(again.item.ref), [{ kind: 'item.created', to: 'Water the plants' }])
      assert.deepEqual((await history(ref))[0], { kind: 'template.generated', to: { item: again.item.ref } })
      await assert.rejects(host.call('templates_run', { template_ref: item.ref }), {
        code: 'invalid_argument',
        field: 'template_ref',
        message: /is no template/,
      })
      await assert.rejects(host.call('templates_run', { template_ref: '#99' }), {
        code: 'not_found',
        field: 'template_ref',
      })
      await host.call('items_patch', { item_ref: ref, archived_at: '2026-06-01T20:00:00Z' })
      await assert.rejects(host.call('templates_run', { template_ref: ref }), {
        code: 'invalid_argument',
        message: /archived/,
      })
    },
  )

  verifies(
    ['templates_run.now', 'templates_create.create'],
    'viewers can create neither templates nor tasks',
    async () => {
      const { host, template } = await start(START)
      const project = await host.write(ctx => createProject(ctx, { key: 'APP', name: 'App', ownerId: host.userId }))
      const ref = await template({ recurrence_rule: 'FREQ=DAILY', project_key: 'APP' })
      const viewer = await host.user('viewer@example.com')
      await host.write(ctx => share(ctx, project, 'viewer@example.com', 'viewer'))
      const fields = { title: 'T', project_key: 'APP', recurrence_rule: 'FREQ=DAILY' }
      await assert.rejects(viewer.call('templates_create', fields), { code: 'forbidden' })
      await assert.rejects(viewer.call('templates_run', { template_ref: ref }), { code: 'forbidden' })
      assert.equal((await viewer.call('task_templates_list')).templates[0].ref, ref)
    },
  )

  test('a date of a template itself, which moves nothing that it makes, is answered with a warning', async () => {
    const { host, template } = await start(START)
    const ref = await template({ recurrence_rule: 'FREQ=DAILY' })
    const { item: task } = await host.call('items_create', { project_key: 'INBOX', title: 'Task' })
    const warningsOf = async (item_ref: string, dates: object) =>
      (await host.call('items_patch', { item_ref, ...dates })).warnings ?? []
    const dates = { due_date: '2026-06-05', start_date: '2026-06-04' }
    const warning = (field: string) =>
      `${field} of ${ref} moves nothing that it makes: its recurrence_rule says when that is due.`
    assert.deepEqual((await warningsOf(ref, dates)).toSorted(), ['due_date', 'start_date'].map(warning))
    assert.deepEqual(await warningsOf(ref, { due_date: null, title: 'Other' }), [])
    assert.deepEqual(await warningsOf(task.ref, dates), [])
    const bulk = { item_refs: [ref, task.ref], due_date: '2026-06-06' }
    assert.deepEqual((await host.confirmed('items_bulk_patch', bulk)).warnings, [warning('due_date')])
  })

  verifies(
    ['templates_create.create', 'templates_run.now'],
    'the number of statements is small and fixed',
    async () => {
      const { host, template } = await start(START)
      const ref = await template({ recurrence_rule: 'FREQ=DAILY' })
      const count = async (call: () => Promise<unknown>) =>
        (await host.statements(call)).filter(text => !/^(begin|commit|start transaction)/i.test(text)).length
      const created = await count(() => template({ recurrence_rule: 'FREQ=DAILY' }))
      assert.ok(created <= 7, `templates_create sends ${created} statements`)
      const ran = await count(() => host.call('templates_run', { template_ref: ref }))
      assert.ok(ran <= 19, `templates_run sends ${ran} statements`)
    },
  )
})
