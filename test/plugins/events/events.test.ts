import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestCaller } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { emptiedHost } from '../../shared-host.ts'
import { acceptAll } from '../../members.ts'
import { verifies } from '../../verifies.ts'

type Found = { items: { ref: string; title: string }[]; has_more: boolean; next_offset: number | null }

/** Returns the titles of the events that a call lists. */
async function titles(caller: TestCaller, input: object = {}): Promise<string[]> {
  return ((await caller.call('events_list', input)) as Found).items.map(item => item.title)
}

forEachEngine('events', engine => {
  // Only the portal and project_admin create events.
  const start = emptiedHost(engine, { config: { plugins: { project_admin: {} } } })
  const create = (caller: TestCaller, title: string, due_date: string, more: object = {}) =>
    caller.call('events_create', { project_key: 'INBOX', title, due_date, ...more })

  verifies(
    ['events_list.events', 'events_list.filters'],
    'events are listed by date; project, status, dates, title and query filter them',
    async () => {
      const host = await start()
      await host.call('projects_create', { key: 'APP', name: 'App' })
      await create(host, 'Late party', '2026-12-24', { labels: ['fun'] })
      const { item } = await create(host, 'Early talk', '2026-12-01')
      await create(host, '忘年会 party', '2026-12-20', { project_key: 'APP' })
      await host.call('items_create', { project_key: 'INBOX', title: 'A task', due_date: '2026-12-02' })
      await host.call('notes_create', { project_key: 'INBOX', title: 'A note' })
      assert.deepEqual(await titles(host), ['Early talk', '忘年会 party', 'Late party'])
      assert.deepEqual(await titles(host, { due_before: '2026-12-20' }), ['Early talk'])
      assert.deepEqual(await titles(host, { due_after: '2026-12-01' }), ['忘年会 party', 'Late party'])
      assert.deepEqual(await titles(host, { project_key: 'APP' }), ['忘年会 party'])
      assert.deepEqual(await titles(host, { title_contains: 'PARTY' }), ['忘年会 party', 'Late party'])
      assert.deepEqual(await titles(host, { title_contains: '年会' }), ['忘年会 party'])
      assert.deepEqual(await titles(host, { q: 'label:fun OR talk' }), ['Early talk', 'Late party'])
      assert.deepEqual(await titles(host, { q: '-label:fun', project_key: 'INBOX' }), ['Early talk'])
      await host.call('items_complete', { item_ref: item.ref })
      assert.deepEqual(await titles(host, { status: 'closed' }), ['Early talk'])
      assert.deepEqual(await titles(host, { status: 'open' }), ['忘年会 party', 'Late party'])
      assert.equal((await host.statements(() => host.call('events_list'))).length, 1)
      await assert.rejects(host.call('events_list', { project_key: 'NOPE' }), { code: 'not_found' })
    },
  )

  verifies(['events_list.paging', 'events_list.includes'], 'events are paged and widened like notes', async () => {
    const host = await start()
    for (let day = 1; day <= 12; day++)
      await create(host, `Day ${day}`, `2026-12-${String(day).padStart(2, '0')}`, { detail: 'Bring cake' })
    const first = await host.call('events_list')
    assert.deepEqual([first.items.length, first.has_more, first.next_offset], [10, true, 10])
    const rest = await host.call('events_list', { offset: first.next_offset })
    assert.deepEqual([rest.items.length, rest.has_more, rest.next_offset], [2, false, null])
    assert.equal(new Set([...first.items, ...rest.items].map(({ ref }) => ref)).size, 12)
    assert.equal((await host.call('events_list', { limit: 100 })).items.length, 12)
    assert.equal((await host.call('events_list', { limit: 1 })).next_offset, 1)
    for (const limit of [0, 101])
      await assert.rejects(host.call('events_list', { limit }), { code: 'invalid_argument', field: 'limit' })

    const one = async (flags: object): Promise<Record<string, unknown>> =>
      (await host.call('events_list', { limit: 1, ...flags })).items[0]
    const plain = await one({})
    assert.equal(plain['detail'], 'Bring cake')
    assert.equal('detail' in (await one({ include_detail: false })), false)
    const area = await host.call('project_areas_create', { project_key: 'INBOX', name: 'Home' })
    const { ref } = plain as { ref: string }
    await host.call('project_areas_assign_item', { item_ref: ref, area_path: 'Home' })
    await host.call('project_custom_fields_create', { project_key: 'INBOX', label: 'Room' })
    await host.call('items_set_custom_fields', { item_ref: ref, custom_fields: { room: '5F' } })
    await host.call('relations_create', {
      source_item_ref: ref,
      target_item_ref: first.items[1].ref,
      relation_type: 'reference',
    })
    await host.call('custom_sequences_create', { series_key: 'talks', prefix: 'TALK' })
    await host.call('custom_numbers_assign', { item_ref: ref, series_key: 'talks' })
    const flags = 'timestamps custom_fields relations agile area attachments custom_numbers'.split(' ')
    const wide = await one(Object.fromEntries(flags.map(flag => [`include_${flag}`, true])))
    assert.equal(wide['area_id'], area.area.id)
    assert.deepEqual(
      (wide['custom_fields'] as { field_key: string; value: string }[]).map(({ field_key, value }) => [
        field_key,
        value,
      ]),
      [['room', '5F']],
    )
    assert.ok(Date.parse(wide['created_at'] as string) > 0)
    assert.deepEqual([wide['completed_at'], wide['attachment_count']], [null, 0])
    assert.equal((wide['custom_numbers'] as { display_ref: string }[])[0]?.display_ref, 'TALK-1')
    assert.deepEqual(
      (wide['relations'] as { target_ref: string }[]).map(({ target_ref }) => target_ref),
      [first.items[1].ref],
    )
    assert.ok('resolved_field_policy' in wide)
    for (const name of ['area_id', 'custom_fields', 'created_at', 'attachment_count', 'custom_numbers', 'relations'])
      assert.equal(name in plain, false, name)
  })

  verifies(
    ['events_list.disabled', 'features.disabled_error'],
    'while the calendar is off for the owner, events are neither listed nor created',
    async () => {
      const host = await start()
      await create(host, 'Party', '2026-12-24')
      await host.call('project_features_set', { features: { calendar: false } })
      const refused = { code: 'feature_disabled', hint: /portal/ }
      for (const input of [{}, { project_key: 'INBOX' }]) await assert.rejects(host.call('events_list', input), refused)
      await assert.rejects(create(host, 'Another', '2026-12-25'), refused)
      await host.call('project_features_set', { features: { calendar: true } })
      assert.deepEqual(await titles(host), ['Party'])
    },
  )

  verifies(
    ['events_list.disabled_project', 'features.override'],
    'a project with the calendar off lists and accepts no events, another project does',
    async () => {
      const host = await start()
      for (const key of ['ON', 'OFF']) {
        await host.call('projects_create', { key, name: key })
        await create(host, `Of ${key}`, '2026-12-24', { project_key: key })
      }
      const set = (calendar: boolean, project_key?: string) =>
        host.call('project_features_set', { ...(project_key !== undefined && { project_key }), features: { calendar } })
      const disabledIn = (project: string) => ({
        code: 'feature_disabled',
        message: new RegExp(`in project ${project}\\b`),
      })
      await set(false, 'OFF')
      assert.deepEqual(await titles(host), ['Of ON'])
      assert.deepEqual(await titles(host, { q: 'project:OFF,ON' }), ['Of ON'])
      assert.equal((await host.statements(() => host.call('events_list'))).length, 1)
      await assert.rejects(host.call('events_list', { project_key: 'OFF' }), disabledIn('OFF'))
      await assert.rejects(create(host, 'More', '2026-12-25', { project_key: 'OFF' }), disabledIn('OFF'))

      await set(false)
      await set(true, 'ON')
      assert.deepEqual(await titles(host), ['Of ON'])
      assert.deepEqual(await titles(host, { project_key: 'ON' }), ['Of ON'])
      await create(host, 'More', '2026-12-25', { project_key: 'ON' })
      for (const project_key of ['OFF', 'INBOX']) {
        await assert.rejects(host.call('events_list', { project_key }), disabledIn(project_key))
        await assert.rejects(create(host, 'More', '2026-12-25', { project_key }), disabledIn(project_key))
      }
    },
  )

  verifies(
    ['events_list.disabled_project', 'features.override'],
    "in a shared project the owner's switch decides, in own projects the caller's",
    async () => {
      const host = await start()
      const guest = await host.user('guest@example.com')
      for (const key of ['APP', 'OPS']) {
        await host.call('projects_create', { key, name: key })
        await host.call('project_members_set', { project_key: key, email: 'guest@example.com', role: 'editor' })
        await host.write(ctx => acceptAll(ctx, 'guest@example.com'))
        await create(host, `Of ${key}`, '2026-12-24', { project_key: key })
      }
      await create(guest, 'Own', '2026-12-01')
      assert.deepEqual(await titles(guest), ['Own', 'Of APP', 'Of OPS'])
      await guest.call('project_features_set', { features: { calendar: false } })
      assert.deepEqual(await titles(guest), ['Of APP', 'Of OPS'])
      await assert.rejects(guest.call('events_list', { project_key: 'INBOX' }), { code: 'feature_disabled' })
      await host.call('project_features_set', { project_key: 'OPS', features: { calendar: false } })
      assert.deepEqual(await titles(guest), ['Of APP'])
      await assert.rejects(create(guest, 'More', '2026-12-25', { project_key: 'OPS' }), { code: 'feature_disabled' })
      await host.call('project_features_set', { features: { calendar: false } })
      await assert.rejects(guest.call('events_list'), { code: 'feature_disabled' })
      await guest.call('project_features_set', { features: { calendar: true } })
      assert.deepEqual(await titles(guest), ['Own'])
    },
  )

  test('an event keeps a date: null and an empty one are refused, also in bulk, and archiving is the way out', async () => {
    const host = await start()
    const { item } = await create(host, 'Party', '2026-12-24', { due_time: '19:00' })
    const { item: other } = await create(host, 'Talk', '2026-12-01')
    const refused = {
      code: 'missing_argument',
      field: 'due_date',
      message: 'An event needs a date.',
      hint: /archived_at/,
    }
    for (const nothing of [null, ''])
      await assert.rejects(host.call('items_patch', { item_ref: item.ref, title: 'Feast', due_date: nothing }), refused)
    const bulk = { item_refs: [item.ref, other.ref], due_date: null }
    const { results } = await host.call('items_bulk_patch', bulk)
    assert.deepEqual(
      results.map((each: { error?: { field?: string } }) => each.error?.field),
      ['due_date', 'due_date'],
    )
    assert.deepEqual(await titles(host, { due_after: '2026-11-30' }), ['Talk', 'Party'])
    await host.call('items_patch', { item_ref: item.ref, due_date: '2026-12-25', due_time: '' })
    await host.call('items_patch', { item_ref: item.ref, archived_at: '2026-12-01T00:00:00Z' })
    assert.deepEqual(await titles(host), ['Talk'])
  })
})
