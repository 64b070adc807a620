import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'tasuki/plugin'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, paths } from './team.ts'

forEachEngine('sprints', engine => {
  const host = sharedHost(engine, { config: { plugins: { sprints: {}, estimation: false } } })
  const team = () => newTeam(host)

  verifies(
    ['sprints_create.planning', 'sprints_create.active', 'sprints_create.closed', 'sprints_create.fields'],
    'a sprint starts in planning unless status starts it, and keeps its fields',
    async () => {
      const app = await team()
      const plain = await app.in('sprints_create', { name: ' One ' })
      assert.equal(plain.sprint.name, 'One')
      assert.equal(plain.sprint.status, 'planning')
      assert.deepEqual(plain.changed, ['name', 'status'])
      for (const absent of ['goal', 'capacity', 'start_date', 'started_at', 'closed_at', 'velocity']) {
        assert.ok(!(absent in plain.sprint), absent)
      }
      const fields = { goal: 'Ship it', start_date: '2026-01-05', end_date: '2026-01-16', capacity: 12.5 }
      const { sprint } = await app.in('sprints_create', { name: '二', parent: 'one', status: 'active', ...fields })
      const { goal, start_date, end_date, capacity } = sprint
      assert.deepEqual({ goal, start_date, end_date, capacity }, fields)
      assert.deepEqual([sprint.path, sprint.status, sprint.item_count, sprint.done_count], ['One/二', 'active', 0, 0])
      assert.equal(typeof sprint.started_at, 'string')
      const closed = await app.in('sprints_create', { name: 'Old', status: 'closed' })
      assert.equal(closed.sprint.status, 'closed')
      assert.match(closed.warnings[0], /no velocity/)
    },
  )

  verifies(
    'sprints_create.limits',
    'names have 1 to 120 characters without a slash, and there are 3 levels',
    async () => {
      const app = await team()
      const longest = 'x'.repeat(120)
      assert.equal((await app.sprint(longest)).name, longest)
      for (const name of ['x'.repeat(121), '', '  ', 'a/b', 'a／b', '@active', '＠Next']) {
        await assert.rejects(app.sprint(name), { code: 'invalid_argument', field: 'name' }, name)
      }
      await app.sprint('A')
      await app.sprint('B', { parent: 'A' })
      await app.sprint('C', { parent: 'A/B' })
      await assert.rejects(app.sprint('D', { parent: 'A/B/C' }), { code: 'limit_exceeded', field: 'parent' })
      await app.sprint('P')
      await app.sprint('Q', { parent: 'P' })
      await assert.rejects(app.in('sprints_update', { sprint: 'P', parent: 'A/B' }), {
        code: 'limit_exceeded',
        field: 'parent',
      })
      await assert.rejects(app.sprint('a'), { code: 'conflict', field: 'name' })
      await assert.rejects(app.sprint('E', { start_date: '2026-02-02', end_date: '2026-02-01' }), {
        code: 'invalid_argument',
        field: 'end_date',
      })
      await assert.rejects(app.sprint('E', { parent: 'nowhere' }), { code: 'not_found', field: 'parent' })
      await assert.rejects(app.sprint('E', { capacity: -1 }), { code: 'invalid_argument', field: 'capacity' })
    },
  )

  verifies('sprints.one_active', 'one sprint per level is active at a time', async () => {
    const app = await team()
    await app.sprint('One', { status: 'active' })
    await app.sprint('Two')
    await assert.rejects(app.sprint('Three', { status: 'active' }), {
      code: 'conflict',
      field: 'status',
      message: /"One" is active/,
    })
    await assert.rejects(app.in('sprints_update', { sprint: 'Two', status: 'active' }), { code: 'conflict' })
    assert.equal((await app.sprint('Week 1', { parent: 'One', status: 'active' })).status, 'active')
    await assert.rejects(app.sprint('Week 2', { parent: 'One', status: 'active' }), { code: 'conflict' })
    await app.createProject('WEB')
    await app.call('sprints_create', { project_key: 'WEB', name: 'One', status: 'active' })
  })

  test('two parallel calls start one sprint', async () => {
    const app = await team()
    for (const name of ['One', 'Two', 'Three']) await app.sprint(name)
    const starts = await Promise.allSettled(
      ['One', 'Two', 'Three'].map(sprint => app.in('sprints_update', { sprint, status: 'active' })),
    )
    assert.deepEqual(starts.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'])
    const { sprints } = await app.call('sprints_list')
    assert.equal(sprints.length, 1)
  })

  verifies(
    ['sprints_update.fields', 'sprints_update.status'],
    'fields change, null clears and moves to the top level; planning and active switch',
    async () => {
      const app = await team()
      await app.sprint('Year')
      await app.sprint('One', {
        parent: 'Year',
        goal: 'g',
        start_date: '2026-01-05',
        end_date: '2026-01-16',
        capacity: 3,
      })
      const update = (fields: object, sprint = 'One') => app.in('sprints_update', { sprint, ...fields })
      const first = await update({ name: 'Uno', goal: 'h', capacity: 4 })
      assert.deepEqual(first.changed, ['name', 'goal', 'capacity'])
      assert.equal(first.sprint.path, 'Year/Uno')
      assert.deepEqual((await update({ goal: 'h', capacity: 4 }, 'Uno')).changed, [])
      const cleared = await update(
        { parent: null, goal: null, start_date: null, end_date: '', capacity: null },
        'Year/Uno',
      )
      assert.deepEqual(cleared.changed, ['parent', 'goal', 'start_date', 'end_date', 'capacity'])
      const { path, goal, start_date, end_date, capacity } = cleared.sprint
      assert.deepEqual([path, goal, start_date, end_date, capacity], ['Uno', null, null, null, null])
      const started = await update({ status: 'active' }, 'Uno')
      assert.deepEqual([started.sprint.status, started.changed], ['active', ['status']])
      assert.ok(started.sprint.started_at)
      const back = await update({ status: 'planning' }, '@active')
      assert.equal(back.sprint.status, 'planning')
      assert.ok(!('started_at' in back.sprint))
      await assert.rejects(update({ parent: 'Uno' }, 'Uno'), { code: 'cycle', field: 'parent' })
      await assert.rejects(update({ name: 'year' }, 'Uno'), { code: 'conflict', field: 'name' })
      await assert.rejects(update({ start_date: '2026-03-02', end_date: '2026-03-01' }, 'Uno'), { field: 'end_date' })
      await assert.rejects(update({ goal: 'x' }, 'gone'), { code: 'not_found', allowed: ['Uno', 'Year'] })
    },
  )

  verifies('sprints_update.no_close', 'sprints_update does not close, and a closed sprint cannot change', async () => {
    const app = await team()
    await app.sprint('One', { status: 'active' })
    await assert.rejects(app.in('sprints_update', { sprint: 'One', status: 'closed' }), {
      code: 'invalid_argument',
      field: 'status',
      allowed: ['planning', 'active'],
      hint: /sprints_close/,
    })
    await app.in('sprints_close', { sprint: 'One' })
    for (const fields of [{ status: 'active' }, { status: 'planning' }, { status: 'closed' }, { goal: 'x' }]) {
      await assert.rejects(app.in('sprints_update', { sprint: 'One', ...fields }), { code: 'sprint_closed' })
    }
    await assert.rejects(app.in('sprints_close', { sprint: 'One' }), { code: 'sprint_closed', field: 'sprint' })
    await assert.rejects(app.sprint('Two', { parent: 'One' }), { code: 'sprint_closed', field: 'parent' })
  })

  test('a conditional change of an outdated version is refused', async () => {
    const app = await team()
    const { updated_at } = await app.sprint('One')
    const old = { meta: { ifUpdatedAt: new Date(Date.parse(updated_at) - 1000).toISOString() } }
    const call = (options: object) =>
      app.call('sprints_update', { project_key: 'APP', sprint: 'One', goal: 'x' }, options)
    await assert.rejects(call(old), { code: 'stale_write' })
    assert.deepEqual((await call({ meta: { ifUpdatedAt: updated_at } })).changed, ['goal'])
  })

  verifies(
    ['sprints_list.project', 'sprints_list.active_everywhere'],
    'a project lists its sprints with their counts; without a project the active sprints of all projects are listed',
    async () => {
      const app = await team()
      await app.createProject('WEB')
      await app.call('sprints_create', { project_key: 'WEB', name: 'W1', status: 'active' })
      await app.sprint('Later', { start_date: '2026-03-01' })
      await app.sprint('Soon', { start_date: '2026-02-01' })
      await app.sprint('Old', { status: 'active' })
      await app.in('sprints_close', { sprint: 'Old' })
      await app.sprint('Now', { status: 'active', goal: 'Ship', capacity: 8 })
      const done = await app.item('a', { sprint: 'Now' })
      await app.item('b', { sprint: 'Now' })
      await app.call('items_complete', { item_ref: done })
      const { sprints, has_more } = await app.in('sprints_list', {})
      assert.deepEqual(paths(sprints), ['Now', 'Soon', 'Later', 'Old'])
      assert.equal(has_more, false)
      const { goal, capacity, item_count, done_count } = sprints[0]
      assert.deepEqual(
        { goal, capacity, item_count, done_count },
        { goal: 'Ship', capacity: 8, item_count: 2, done_count: 1 },
      )
      assert.ok(!('remaining_estimate' in sprints[0]), 'nothing is known of estimates without their plugin')
      const everywhere = await app.call('sprints_list')
      assert.deepEqual(
        everywhere.sprints.map((sprint: { project_key: string; path: string }) => [sprint.project_key, sprint.path]),
        [
          ['APP', 'Now'],
          ['WEB', 'W1'],
        ],
      )
      assert.deepEqual((await app.call('sprints_list', { project_key: 'INBOX' })).sprints, [])
      await assert.rejects(app.call('sprints_list', { project_key: 'NONE' }), {
        code: 'not_found',
        field: 'project_key',
      })
    },
  )

  test('a list has up to 1,000 sprints, and says if there are more', async () => {
    const app = await team()
    await app.sprint('Last')
    const add = (from: number, to: number) =>
      host.write(async ctx => {
        await sql`
          insert into sprints.sprints (owner_id, id, project_id, name, name_key, display_order, created_at, updated_at)
          select p.owner_id, gen_random_uuid(), p.id, 'S' || n, 's' || n, n, now(), now()
          from projects.projects p, generate_series(${from}::int, ${to}::int) n where p.owner_id = ${app.userId} and p.key = 'APP'
        `.execute(ctx.db)
        // Autovacuum would do this after so many rows.
        await sql`analyze sprints.sprints`.execute(ctx.db)
      })
    await add(1, 200)
    const all = await app.in('sprints_list', {})
    assert.deepEqual([all.sprints.length, all.has_more, all.warnings], [201, false, undefined])
    await add(201, 1000)
    const cut = await app.in('sprints_list', {})
    assert.deepEqual([cut.has_more, cut.sprints.length <= 1000, cut.warnings.length > 0], [true, true, true])
  })

  test('a note that was deleted after it was read is not written again by mistake', async () => {
    const app = await team()
    await app.sprint('One')
    const at = { project_key: 'APP', sprint: 'One', slot: 'planning' }
    const { note } = await app.call('sprints_note_set', { ...at, body: 'plan' })
    await app.call('sprints_note_set', { ...at, body: '' })
    const write = app.call('sprints_note_set', { ...at, body: 'more' }, { meta: { ifUpdatedAt: note.updated_at } })
    await assert.rejects(write, { code: 'stale_write' })
  })

  verifies(
    ['sprints_note_get.slots', 'sprints_note_set.replace'],
    'a sprint has four note slots; a new text replaces the note, an empty text deletes it',
    async () => {
      const app = await team()
      await app.sprint('Year')
      await app.sprint('One', { parent: 'Year', status: 'active' })
      const get = async (sprint = 'One') => (await app.in('sprints_note_get', { sprint })).notes
      const set = (slot: string, body: string) => app.in('sprints_note_set', { sprint: 'year/one', slot, body })
      assert.deepEqual(await get(), { planning: null, review: null, retro: null, assistant_summary: null })
      const first = await set('retro', '# 良い\r\n')
      assert.deepEqual([first.slot, first.changed, first.note.body], ['retro', ['retro'], '# 良い\r\n'])
      assert.deepEqual((await set('retro', '# 良い\r\n')).changed, [])
      await set('retro', 'two')
      await set('planning', 'plan')
      for (const name of ['One', 'Year/One', '@active']) {
        const notes = await get(name)
        assert.deepEqual([notes.retro.body, notes.planning.body, notes.review], ['two', 'plan', null], name)
      }
      assert.equal((await get('Year')).retro, null)
      assert.equal((await set('retro', '')).note, null)
      assert.equal((await get()).retro, null)
      await assert.rejects(set('diary', 'x'), { code: 'invalid_argument', field: 'slot' })
      await app.in('sprints_close', { sprint: 'One' })
      assert.deepEqual((await set('retro', 'after the end')).changed, ['retro'])
    },
  )

  verifies(
    ['sprints_delete.keeps_items', 'sprints_delete.children'],
    'deleting keeps the items, and is refused while there are child sprints',
    async () => {
      const app = await team()
      await app.sprint('Year')
      await app.sprint('One', { parent: 'Year' })
      const ref = await app.item('a', { sprint: 'One' })
      await assert.rejects(app.in('sprints_delete', { sprint: 'Year' }), {
        code: 'has_children',
        field: 'sprint',
        message: /"Year" has 1/,
      })
      const gone = await app.in('sprints_delete', { sprint: 'Year/One' })
      assert.deepEqual([gone.deleted, gone.path, gone.items_unassigned], [true, 'Year/One', 1])
      assert.deepEqual(await app.placement(), {})
      assert.equal((await app.call('items_get', { item_ref: ref })).item.title, 'a')
      const { activities } = await app.call('activities_list', { item_ref: ref, kind: 'item.sprint.changed' })
      assert.equal(activities[0].from, 'Year/One')
      assert.equal((await app.in('sprints_delete', { sprint: 'Year' })).items_unassigned, 0)
      await assert.rejects(app.in('sprints_delete', { sprint: 'Year' }), { code: 'not_found' })
    },
  )

  verifies('sprints.names', '@active and @next name sprints; a bare name must be unique', async () => {
    const app = await team()
    const found = async (sprint: string) => (await app.in('sprints_note_get', { sprint })).sprint.path
    await assert.rejects(found('@active'), { code: 'not_found', message: /no active sprint/ })
    await assert.rejects(found('@next'), { code: 'not_found', message: /in planning/ })
    await app.sprint('A', { status: 'active', start_date: '2026-01-01' })
    await app.sprint('B')
    const { id } = await app.sprint('Week', { parent: 'A' })
    await app.sprint('Week', { parent: 'B', start_date: '2026-01-08' })
    await app.sprint('Other', { start_date: '2026-01-09' })
    assert.equal(await found('@ACTIVE'), 'A')
    assert.equal(await found('@next'), 'B/Week')
    await assert.rejects(found('week'), { code: 'ambiguous_ref', allowed: ['A/Week', 'B/Week'], field: 'sprint' })
    assert.equal(await found(' a / ｗｅｅｋ '), 'A/Week')
    assert.equal(await found(id), 'A/Week')
    assert.equal(await found('other'), 'Other')
    await app.in('sprints_update', { sprint: 'A/Week', status: 'active' })
    assert.equal(await found('@active'), 'A/Week', 'the innermost')
    await app.in('sprints_update', { sprint: 'B/Week', status: 'active' })
    await assert.rejects(found('@active'), { code: 'ambiguous_ref', allowed: ['A/Week', 'B/Week'] })
  })
})
