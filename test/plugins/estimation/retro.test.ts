import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, type Team } from '../sprints/team.ts'
import { createSized, runSprint } from './sprint-with-past.ts'

forEachEngine('agile_retro_draft', engine => {
  let now = new Date('2026-03-02T03:00:00Z')
  const host = sharedHost(engine, {
    config: { plugins: { sprints: {}, project_admin: {}, estimation: {} } },
    now: () => now,
  })
  const on = (date: string) => void (now = new Date(`${date}T03:00:00Z`))
  const draft = (app: Team, sprint_id: string, fields: object = {}) =>
    app.call('agile_retro_draft', { sprint_id, ...fields })

  test('a sprint that was renamed keeps what was added and taken out before', async () => {
    on('2026-03-02')
    const app = await newTeam(host)
    await app.sprint('One', { status: 'active' })
    on('2026-03-03')
    await createSized(app, 'Added', '2', 'One')
    const gone = await createSized(app, 'Gone', '1', 'One')
    await app.in('sprints_remove_item', { sprint: 'One', item_ref: gone })
    await app.in('sprints_update', { sprint: 'One', goal: 'Ship' })
    await app.in('sprints_update', { sprint: 'One', name: 'Uno' })
    on('2026-03-04')
    await app.sprint('Two')
    await app.in('sprints_close', { sprint: 'Uno', next_sprint: 'Two' })
    const { note } = await draft(app, 'Uno')
    assert.match(note.body, /2 added and 1 taken out/)
  })

  test('work of a single day was not finished steadily', async () => {
    on('2026-03-02')
    const app = await newTeam(host)
    await app.sprint('One', { status: 'active' })
    await app.sprint('Two')
    for (const title of ['A', 'B', 'C']) {
      const ref = await createSized(app, title, '1', 'One')
      await app.call('items_complete', { item_ref: ref })
    }
    await app.in('sprints_close', { sprint: 'One', next_sprint: 'Two' })
    const { note } = await draft(app, 'One')
    assert.match(note.body, /on 1 of 1 day; 100 % of it on the last day/)
    assert.doesNotMatch(note.body, /steadily/)
  })

  verifies(
    ['agile_retro_draft.slot', 'agile_retro_draft.closed'],
    'the draft states recorded facts: figures, repeated carry-over, changes, and the notes of the last sprint',
    async () => {
      on('2026-03-02')
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      const [carried] = await runSprint(app, 'One', { done: ['5', '3'], open: ['2'], next: 'Two' })
      await app.in('sprints_note_set', {
        sprint: 'One',
        slot: 'retro',
        body: '# Agreed\n\n- Review within a day\n- Fewer meetings',
      })
      await app.in('sprints_update', { sprint: 'Two', goal: 'Ship the import', capacity: 6 })
      on('2026-03-04')
      const added = await createSized(app, 'Hotfix for\nthe login', '2', 'Two')
      await app.call('agile_meta_patch', { item_ref: added, estimate: '3' })
      await app.call('items_complete', { item_ref: added })
      const removed = await createSized(app, 'Nice to have', '1', 'Two')
      on('2026-03-05')
      await app.in('sprints_remove_item', { sprint: 'Two', item_ref: removed })
      const { item } = await app.call('items_get', { item_ref: added })
      const { states } = await app.call('workflow_states_list', { project_key: 'APP' })
      const first = states.find((state: { is_default: boolean }) => state.is_default)
      await app.call('items_move_state', { item_ref: added, status_definition_id: first.id })
      await app.call('items_move_state', { item_ref: added, status_definition_id: item.status_definition_id })
      on('2026-03-06')
      await app.sprint('Three')
      await app.in('sprints_close', {
        sprint: 'Two',
        next_sprint: 'Three',
        dispositions: [{ item_ref: carried, disposition: 'next_sprint' }],
      })

      const { slot, note, changed, sprint } = await draft(app, 'Two')
      assert.deepEqual([slot, changed, sprint.path], ['assistant_summary', ['assistant_summary'], 'Two'])
      for (const line of [
        '## Retrospective of "Two" (draft)',
        'Goal: "Ship the import"',
        '- Velocity: 3 of 5 points, capacity 6; 8 on average before (−63 %).',
        '- Done: 1 of 2 items (50 %); 1 moved to the next sprint.',
        '- Pace: something was done on 1 of 5 days; 0 % of it on the last day.',
        '- Scope: 2 added and 1 taken out after the start.',
        `- Largest items done: ${added} "Hotfix for the login" (3).`,
        `- Not finished: ${carried} "One: open" (next sprint).`,
        `- Left unfinished again: ${carried} "One: open" (2 sprints in a row).`,
        '- Less was done than usual: 3 instead of 8 points.',
        `- Added after the start: ${added} "Hotfix for the login"; ${removed} "Nice to have".`,
        `- Taken out after the start: ${removed} "Nice to have".`,
        `- Done and opened again: ${added} "Hotfix for the login".`,
        `- Re-estimated: ${added} "Hotfix for the login" (2 to 3).`,
        '- Was the goal reached: "Ship the import"',
        `- What keeps ${carried} from being finished`,
        '### Noted last time\n\n- "Review within a day"\n- "Fewer meetings"',
      ])
        assert.ok(note.body.includes(line), `"${line}" is not in:\n${note.body}`)
      const { notes } = await app.in('sprints_note_get', { sprint: 'Two' })
      assert.deepEqual([notes.assistant_summary, notes.retro], [note, null])
      const editor = await host.newUser('America/Los_Angeles')
      await app.share('APP', editor.email, 'editor')
      const again = await editor.call('agile_retro_draft', { sprint_id: 'Two', overwrite: true })
      assert.deepEqual([again.note.body, again.changed], [note.body, []])
    },
  )

  verifies(
    ['agile_retro_draft.conflict', 'stale_write.condition'],
    'an existing draft stays unless overwriting is allowed, and equal facts give an equal text',
    async () => {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await runSprint(app, 'One', { done: ['1'], open: [], next: 'Two' })
      const { note, sprint } = await draft(app, 'One')
      assert.match(note.body, /Everything that was planned is done \(1 item\)/)
      await assert.rejects(draft(app, sprint.id), { code: 'conflict', field: 'overwrite' })
      assert.deepEqual((await draft(app, sprint.id, { overwrite: true })).changed, [])
      await app.in('sprints_note_set', { sprint: 'One', slot: 'assistant_summary', body: 'by hand' })
      await assert.rejects(draft(app, 'One', { overwrite: false }), { code: 'conflict' })
      const { notes: savedNotes } = await app.in('sprints_note_get', { sprint: 'One' })
      const old = { meta: { ifUpdatedAt: '2020-01-01T00:00:00Z' } }
      const slot = { project_key: 'APP', sprint: 'One', slot: 'assistant_summary', body: 'x' }
      await assert.rejects(app.call('agile_retro_draft', { sprint_id: 'One', overwrite: true }, old), {
        code: 'stale_write',
        details: { current: savedNotes.assistant_summary },
      })
      await assert.rejects(app.call('sprints_note_set', slot, old), { code: 'stale_write' })
      assert.deepEqual((await draft(app, 'One', { overwrite: true })).note.body, note.body)
    },
  )

  verifies(
    ['agile_retro_draft.disabled', 'agile_retro_draft.closed'],
    'it is refused for an open sprint, for viewers, and if sprints or agile_ai are off',
    async () => {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await assert.rejects(draft(app, 'One'), { code: 'conflict', field: 'sprint_id' })
      await app.in('sprints_close', { sprint: 'One' })
      const viewer = await host.newUser()
      await app.share('APP', viewer.email, 'viewer')
      await assert.rejects(viewer.call('agile_retro_draft', { sprint_id: 'One' }), { code: 'forbidden' })
      for (const feature of ['agile_ai', 'sprints']) {
        await app.in('project_features_set', { features: { [feature]: false } })
        await assert.rejects(draft(app, 'One'), { code: 'feature_disabled' }, feature)
        await app.in('project_features_set', { features: { [feature]: true } })
      }
      assert.match((await draft(app, 'One')).note.body, /- Done: 0 of 0 items\./)
    },
  )

  verifies(
    ['agile_retro_draft.slot', 'agile_retro_draft.unrecorded', 'sprints_create.closed'],
    'the draft of a sprint that was created closed says that it has no records',
    async () => {
      on('2026-03-02')
      const app = await newTeam(host)
      const sprint = await app.sprint('Before us', { status: 'closed', goal: 'Learn the trade' })
      assert.equal(sprint.status, 'closed')
      const { note, changed } = await draft(app, 'Before us')
      assert.deepEqual(changed, ['assistant_summary'])
      for (const line of [
        '## Retrospective of "Before us" (draft)',
        '- Nothing was recorded',
        'reached: "Learn the trade"',
      ])
        assert.ok(note.body.includes(line), `"${line}" is not in:\n${note.body}`)
      assert.doesNotMatch(note.body, /Velocity:|Noted last time/)
      const { notes } = await app.in('sprints_note_get', { sprint: 'Before us' })
      assert.deepEqual(notes.assistant_summary, note)

      await app.sprint('One', { status: 'active' })
      await runSprint(app, 'One', { done: ['1'], open: [], next: 'Two' })
      await app.in('sprints_note_set', { sprint: 'One', slot: 'retro', body: '- Fewer meetings' })
      on('2026-03-03')
      await app.sprint('Elsewhere', { status: 'closed' })
      assert.match((await draft(app, 'Elsewhere')).note.body, /Noted last time\n\n- "Fewer meetings"/)
      const { sprints } = await app.call('sprints_list', { project_key: 'APP' })
      const closed = sprints.filter((each: { path: string }) => ['Before us', 'Elsewhere'].includes(each.path))
      assert.deepEqual(
        closed.map((each: { status: string }) => each.status),
        ['closed', 'closed'],
      )
    },
  )

  test('the number of statements does not depend on the number of items', async () => {
    const counts: number[] = []
    for (const items of [1, 8]) {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await runSprint(app, 'One', { done: Array.from({ length: items }, () => '1'), open: ['1'], next: 'Two' })
      counts.push((await host.statements(() => draft(app, 'One'))).length)
    }
    assert.equal(counts[0], counts[1])
    assert.ok(counts[0]! <= 8, `${counts[0]} statements`)
  })
})
