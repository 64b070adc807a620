import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { portalHost } from '../portal/portal-host.ts'

forEachEngine('reminders on the page of an item', engine => {
  const portal = portalHost(engine)

  test('the pending ones are shown in the time zone of the reader, with what they depend on', async () => {
    const { caller, browser } = await portal.withProject()
    const { item } = await caller.call('items_create', { project_key: 'WEB', title: 'Pay', due_date: '2026-06-05' })
    const page = `/projects/WEB/items/${item.ref.split('#')[1]}`
    assert.doesNotMatch((await browser.get(page)).text, /Reminders/)
    const remind = (time: object) => caller.call('reminders_create', { item_ref: item.ref, ...time })
    await remind({ lead_time_minutes: 120 })
    await remind({ lead_time_minutes: 90 })
    await remind({ lead_time_minutes: 0 })
    await remind({ remind_at: '2026-06-03T01:30:00Z' })
    const { reminder } = await remind({ lead_time_minutes: 1440 })
    await caller.call('reminders_patch', { reminder_id: reminder.id, status: 'dismissed' })
    const rowsOf = (text: string) =>
      [
        .../<h2>(?:Reminders|リマインダー)<\/h2>\s*<ul[\s\S]*?<\/ul>/.exec(text)![0].matchAll(/<li>([\s\S]*?)<\/li>/g),
      ].map(([, row]) =>
        row!
          .replaceAll(/<[^>]*>/g, '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
    assert.deepEqual(rowsOf((await browser.get(page)).text), [
      'Jun 3, 2026, 10:30 AM',
      'Jun 5, 2026, 7:00 AM 2 hours before it is due',
      'Jun 5, 2026, 7:30 AM 90 minutes before it is due',
      'Jun 5, 2026, 9:00 AM when it is due',
    ])
    await caller.call('items_patch', { item_ref: item.ref, due_date: null })
    await browser.get('/language/ja')
    assert.deepEqual(rowsOf((await browser.get(page)).text), [
      '2026/06/03 10:30',
      '期限が設定されるまで待機します。 期限の2時間前',
      '期限が設定されるまで待機します。 期限の90分前',
      '期限が設定されるまで待機します。 期限の時刻',
    ])
  })
})
