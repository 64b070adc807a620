import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestHost } from 'tasuki/testing'
import { sendDue } from '../../../plugins/reminders/index.ts'
import { generateDue } from '../../../plugins/templates/index.ts'
import { forEachEngine } from '../../engines.ts'
import { emptiedHost } from '../../shared-host.ts'
import { verifies } from '../../verifies.ts'

interface Event {
  readonly ref: string
  readonly due_date: string
  readonly due_time?: string
}

forEachEngine('recurrence in project_admin', engine => {
  let now = new Date()
  const empty = emptiedHost(engine, { config: { plugins: { project_admin: {} } }, now: () => now })
  const start = async (time: string): Promise<TestHost> => {
    now = new Date(time)
    return empty()
  }
  const days = async (host: TestHost): Promise<string[]> => {
    const { items } = await host.call('events_list', { limit: 50 })
    return items.map(({ due_date, due_time }: Event) => (due_time ? `${due_date} ${due_time}` : due_date))
  }
  const readReminders = async (host: TestHost): Promise<string[]> => {
    const { notifications } = await host.call('notifications_list', {})
    return notifications.map(({ title }: { title: string }) => title)
  }

  verifies(
    'events_create.recurrence',
    'a weekly and a fortnightly event take one call each, are in the calendar for four weeks, and continue by the job',
    async () => {
      // A Tuesday in Tokyo.
      const host = await start('2026-06-02T01:00:00Z')
      const weekly = await host.call('events_create', {
        project_key: 'INBOX',
        title: 'Team meeting',
        due_date: '2026-06-08',
        due_time: '09:30',
        labels: ['team'],
        recurrence_rule: 'FREQ=WEEKLY',
      })
      assert.deepEqual(weekly.next_occurrences, [
        '2026-06-08T00:30:00.000Z',
        '2026-06-15T00:30:00.000Z',
        '2026-06-22T00:30:00.000Z',
      ])
      assert.deepEqual([weekly.item.type, weekly.item.makes, weekly.events.length], ['task_template', 'event', 4])
      assert.equal(weekly.item.recurrence_rule, 'FREQ=WEEKLY;BYHOUR=9;BYMINUTE=30')
      assert.deepEqual(await days(host), [
        '2026-06-08 09:30',
        '2026-06-15 09:30',
        '2026-06-22 09:30',
        '2026-06-29 09:30',
      ])
      const { item } = await host.call('items_get', { item_ref: weekly.events[0] })
      assert.deepEqual(
        [item.type, item.title, item.labels, item.template_ref],
        ['event', 'Team meeting', ['team'], weekly.item.ref],
      )
      const fortnightly = await host.call('events_create', {
        project_key: 'INBOX',
        title: 'Review',
        due_date: '2026-06-03',
        recurrence_rule: 'FREQ=WEEKLY;INTERVAL=2',
        timezone: 'Asia/Tokyo',
      })
      assert.equal(fortnightly.events.length, 2)
      assert.equal((await host.call('tasks_list', {})).items.length, 0)
      // Nothing is generated until an occurrence is within four weeks.
      assert.equal(await host.write(generateDue), 0)
      now = new Date('2026-06-08T00:31:00Z')
      assert.equal(await host.write(generateDue), 2)
      assert.equal(await host.write(generateDue), 0)
      assert.deepEqual((await days(host)).slice(-2), ['2026-07-01', '2026-07-06 09:30'])
    },
  )

  verifies('events_create.recurrence', 'a series that has no event on its due_date says so', async () => {
    // A Tuesday in Tokyo, 10:00.
    const host = await start('2026-06-02T01:00:00Z')
    const create = (more: object) =>
      host.call('events_create', { project_key: 'INBOX', title: 'x', recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO', ...more })
    const warningsOf = async (more: object): Promise<unknown> => (await create(more)).warnings
    const on = (due_date: string, first: string): string[] => [
      `No event is on ${due_date}: the first by the rule is on ${first}.`,
    ]
    assert.deepEqual(await warningsOf({ due_date: '2026-06-10' }), on('2026-06-10', '2026-06-15'))
    assert.deepEqual(await warningsOf({ due_date: '2026-06-10', due_time: '08:00' }), on('2026-06-10', '2026-06-15'))
    assert.deepEqual(await warningsOf({ due_date: '2026-05-25' }), on('2026-05-25', '2026-06-08'))
    for (const due of [{ due_date: '2026-06-08' }, { due_date: '2026-06-08', due_time: '00:30' }])
      for (const timezone of ['Asia/Tokyo', 'America/Los_Angeles'])
        assert.equal(await warningsOf({ ...due, timezone }), undefined, `${JSON.stringify(due)} ${timezone}`)
    const { changed, item } = await create({ due_date: '2026-06-08', timezone: 'Europe/Berlin' })
    assert.deepEqual(changed, ['title', 'due_date', 'recurrence_rule', 'timezone'])
    assert.equal(item.timezone, 'Europe/Berlin')
    const own = await create({ due_date: '2026-06-08' })
    assert.deepEqual([own.changed.includes('timezone'), own.item.timezone], [false, 'Asia/Tokyo'])
  })

  test('missed events are not created later, future events are created once, also after the series was archived', async () => {
    const host = await start('2026-06-01T01:00:00Z')
    const { item, events } = await host.call('events_create', {
      project_key: 'INBOX',
      title: 'Standup',
      due_date: '2026-06-08',
      due_time: '10:00',
      recurrence_rule: 'FREQ=WEEKLY',
    })
    assert.equal(events.length, 4)
    const ref = item.ref as string
    await host.call('items_patch', { item_ref: ref, archived_at: '2026-06-01T02:00:00Z' })
    await host.call('items_patch', { item_ref: ref, archived_at: null })
    assert.equal(await host.write(generateDue), 0)
    assert.equal((await days(host)).length, 4)
    now = new Date('2026-08-05T00:00:00Z')
    assert.equal(await host.write(generateDue), 1)
    assert.deepEqual((await days(host)).slice(4), [
      '2026-08-10 10:00',
      '2026-08-17 10:00',
      '2026-08-24 10:00',
      '2026-08-31 10:00',
    ])
    assert.deepEqual(await readReminders(host), [])
  })

  test('a series that is renamed or ended names its events, which stay', async () => {
    const host = await start('2026-06-01T01:00:00Z')
    const series = { project_key: 'INBOX', title: 'Standup', recurrence_rule: 'FREQ=WEEKLY' }
    const { item, events } = await host.call('events_create', { ...series, due_date: '2026-06-08', due_time: '10:00' })
    const patch = async (change: object, item_ref = item.ref as string) =>
      (await host.call('items_patch', { item_ref, ...change })).warnings
    const stay = (refs: readonly string[]): string[] => [
      `What ${item.ref} made ahead of time stays as it is; change it too if that is meant: ${refs.join(', ')}.`,
    ]
    assert.deepEqual(await patch({ title: 'Daily', detail: 'Agenda' }), stay(events))
    await patch({ archived_at: '2026-06-01T00:00:00Z' }, events[0])
    assert.deepEqual(await patch({ archived_at: '2026-06-01T00:00:00Z' }), stay(events.slice(1)))
    assert.equal(await patch({ archived_at: null }), undefined)
    const ended = await host.call('items_complete', { item_ref: item.ref })
    assert.deepEqual(ended.warnings, stay(events.slice(1)))
    const { item: template } = await host.call('templates_create', { title: 'T', recurrence_rule: 'FREQ=DAILY' })
    await host.call('templates_run', { template_ref: template.ref })
    assert.equal(await patch({ title: 'U' }, template.ref), undefined)
  })

  test('a series that begins today has the event of today, also one whose time has passed', async () => {
    const host = await start('2026-06-02T03:30:00Z')
    const series = { project_key: 'INBOX', recurrence_rule: 'FREQ=DAILY;COUNT=2' }
    await host.call('events_create', { ...series, title: 'Fair', due_date: '2026-06-02' })
    await host.call('events_create', { ...series, title: 'Standup', due_date: '2026-06-02', due_time: '09:00' })
    // In New York it is still the day before.
    await host.call('events_create', { ...series, title: 'Trip', due_date: '2026-06-01', timezone: 'America/New_York' })
    await host.call('events_create', { ...series, title: 'Past', due_date: '2026-06-01' })
    assert.deepEqual((await days(host)).toSorted(), [
      '2026-06-01',
      '2026-06-02',
      '2026-06-02',
      '2026-06-02',
      '2026-06-02 09:00',
      '2026-06-03',
      '2026-06-03 09:00',
    ])
  })

  test('the rule of a series says the time of its events', async () => {
    const host = await start('2026-06-01T01:00:00Z')
    const { item } = await host.call('events_create', {
      project_key: 'INBOX',
      title: 'Week',
      due_date: '2026-06-05',
      due_time: '09:00',
      recurrence_rule: 'FREQ=WEEKLY;COUNT=2\nEXDATE:20260605T090000',
    })
    assert.equal(item.recurrence_rule, 'FREQ=WEEKLY;COUNT=2;BYHOUR=9;BYMINUTE=0\nEXDATE:20260605T090000')
    assert.deepEqual(await days(host), ['2026-06-12 09:00'])
    const twice = { project_key: 'INBOX', title: 'Pills', due_date: '2026-06-05', due_time: '09:00' }
    await host.call('events_create', { ...twice, recurrence_rule: 'FREQ=DAILY;BYHOUR=9,20;COUNT=2' })
    assert.deepEqual((await days(host)).slice(0, 2), ['2026-06-05 09:00', '2026-06-05 20:00'])
  })

  test('a daily series sends as many statements as a weekly one', async () => {
    const host = await start('2026-06-01T01:00:00Z')
    const event = { project_key: 'INBOX', title: 'x', due_date: '2026-06-02' }
    const create = (recurrence_rule: string) =>
      host.statements(() => host.call('events_create', { ...event, recurrence_rule }))
    const weekly = await create('FREQ=WEEKLY')
    assert.equal((await create('FREQ=DAILY')).length, weekly.length)
    assert.equal((await days(host)).length, 4 + 28)
  })

  test('an invalid rule, a start in the rule, and a time zone without a rule are refused; without templates there are no rules', async () => {
    const host = await start('2026-06-01T01:00:00Z')
    const create = (args: object) =>
      host.call('events_create', { project_key: 'INBOX', title: 'x', due_date: '2026-06-08', ...args })
    await assert.rejects(create({ recurrence_rule: 'FREQ=SOMETIMES' }), { code: 'invalid_argument' })
    await assert.rejects(create({ recurrence_rule: 'DTSTART:20260101T000000\nRRULE:FREQ=DAILY' }), {
      code: 'invalid_argument',
      field: 'recurrence_rule',
    })
    await assert.rejects(create({ timezone: 'Asia/Tokyo' }), { code: 'invalid_argument', field: 'timezone' })
    for (const recurrence_rule of ['FREQ=DAILY;BYHOUR=9', 'every day at 9:00'])
      await assert.rejects(create({ due_time: '20:00', recurrence_rule }), { field: 'due_time' })
    await assert.rejects(create({ recurrence_rule: 'FREQ=DAILY;UNTIL=20200101' }), { code: 'invalid_argument' })
    await host.call('project_features_set', { features: { calendar: false } })
    await assert.rejects(create({ recurrence_rule: 'FREQ=DAILY' }), { code: 'feature_disabled' })
    assert.equal((await host.sql`select from items.items where owner_id = ${host.userId}`).length, 0)
  })

  verifies(
    'reminders_repeat.repeat',
    'a reminder every Monday at nine in Tokyo takes one call, and is sent once per occurrence until the item is completed',
    async () => {
      const host = await start('2026-06-03T00:00:00Z')
      const create = async (title: string): Promise<string> =>
        (await host.call('items_create', { project_key: 'INBOX', title })).item.ref
      const [weekly, fortnightly] = [await create('Report'), await create('Invoice')]
      const made = await host.call('reminders_repeat', {
        item_ref: weekly,
        recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9',
        timezone: 'Asia/Tokyo',
      })
      assert.deepEqual(made.next_occurrences, [
        '2026-06-08T00:00:00.000Z',
        '2026-06-15T00:00:00.000Z',
        '2026-06-22T00:00:00.000Z',
      ])
      const { reminder } = made
      assert.deepEqual(
        [reminder.status, reminder.remind_at, reminder.timezone],
        ['pending', '2026-06-08T00:00:00.000Z', 'Asia/Tokyo'],
      )
      assert.match(reminder.recurrence_rule, /^FREQ=WEEKLY/)
      // Without a time of day, the reminder is at nine in the user's time zone.
      const second = await host.call('reminders_repeat', {
        item_ref: fortnightly,
        recurrence_rule: 'DTSTART;VALUE=DATE:20260605\nRRULE:FREQ=WEEKLY;INTERVAL=2',
      })
      assert.deepEqual(second.next_occurrences.slice(0, 2), ['2026-06-05T00:00:00.000Z', '2026-06-19T00:00:00.000Z'])
      now = new Date('2026-06-05T00:00:30Z')
      assert.equal(await host.write(sendDue), 1)
      assert.equal(await host.write(sendDue), 0)
      const { reminders } = await host.call('reminders_list', { item_ref: fortnightly })
      assert.deepEqual(
        reminders.map(({ remind_at }: { remind_at: string }) => remind_at),
        ['2026-06-19T00:00:00.000Z'],
      )
      // After a downtime it is sent once, and then continues.
      now = new Date('2026-07-01T00:00:00Z')
      assert.equal(await host.write(sendDue), 2)
      assert.equal(await host.write(sendDue), 0)
      assert.equal((await readReminders(host)).length, 3)
      await host.call('items_complete', { item_ref: weekly })
      now = new Date('2026-07-07T00:00:00Z')
      await host.write(sendDue)
      now = new Date('2026-07-14T00:00:00Z')
      await host.write(sendDue)
      assert.equal((await readReminders(host)).filter(title => title.startsWith(weekly)).length, 1)
      await assert.rejects(host.call('reminders_repeat', { item_ref: weekly, recurrence_rule: 'FREQ=MINUTELY' }), {
        code: 'invalid_argument',
      })
      const lead = { reminder_id: second.reminder.id, lead_time_minutes: 5 }
      await assert.rejects(host.call('reminders_patch', lead), { field: 'lead_time_minutes' })
      await host.call('items_patch', { item_ref: fortnightly, due_date: '2026-09-01' })
      const patched = await host.call('reminders_patch', lead)
      assert.equal(patched.reminder.recurrence_rule, null)
    },
  )

  test('the time zone of DTSTART comes before that of the user, and a series in UTC is read in theirs', async () => {
    const host = await start('2026-06-03T00:00:00Z')
    const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Call' })
    const repeat = async (recurrence_rule: string) => {
      const { reminder } = await host.call('reminders_repeat', { item_ref: item.ref, recurrence_rule })
      return [reminder.timezone, reminder.remind_at]
    }
    assert.deepEqual(await repeat('DTSTART;TZID=America/New_York:20260605T090000\nRRULE:FREQ=DAILY'), [
      'America/New_York',
      '2026-06-05T13:00:00.000Z',
    ])
    assert.deepEqual(await repeat('DTSTART:20260605T090000Z\nRRULE:FREQ=DAILY'), [
      'Asia/Tokyo',
      '2026-06-05T09:00:00.000Z',
    ])
  })
})
