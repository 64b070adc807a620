import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, type Team } from './team.ts'

interface Outcome {
  item_ref: string
  outcome: string
}
const outcomes = (items: readonly Outcome[]) => Object.fromEntries(items.map(item => [item.item_ref, item.outcome]))

forEachEngine('closing sprints', engine => {
  const host = sharedHost(engine, { config: { plugins: { sprints: {}, estimation: false } } })

  /** Creates an active sprint `One`, a planned sprint `Two`, and in One a finished item and some open ones. */
  async function running(open: number): Promise<{ app: Team; done: string; refs: string[] }> {
    const app = await newTeam(host)
    await app.sprint('One', { status: 'active', goal: 'Ship it', capacity: 3 })
    await app.sprint('Two')
    const done = await app.item('finished', { sprint: 'One' })
    await app.call('items_complete', { item_ref: done })
    const refs: string[] = []
    for (let n = 0; n < open; n++) refs.push(await app.item(`open ${n}`, { sprint: 'One' }))
    return { app, done, refs }
  }
  const status = async (app: Team, sprint: string) => (await app.in('sprints_note_get', { sprint })).sprint.status

  verifies(
    ['sprints_close.default_drop', 'sprints.drop', 'sprints_close.closed'],
    'without dispositions unfinished items are dropped: out of the sprint, open, and recorded',
    async () => {
      const { app, done, refs } = await running(2)
      const closed = await app.in('sprints_close', { sprint: '@active' })
      assert.deepEqual(outcomes(closed.items), { [done]: 'done', [refs[0]!]: 'drop', [refs[1]!]: 'drop' })
      assert.deepEqual([closed.sprint.status, closed.changed, closed.warnings], ['closed', ['status'], undefined])
      assert.ok(closed.sprint.closed_at)
      assert.deepEqual(await app.placement(), { [done]: 'One' })
      for (const item_ref of refs) {
        assert.equal((await app.call('items_get', { item_ref })).item.system_status, 'open')
        const { activities } = await app.call('activities_list', { item_ref, kind: 'item.sprint.changed' })
        assert.deepEqual([activities[0].from, activities[0].reason], ['One', '"One" was closed: drop'])
      }
      const { notes } = await app.in('sprints_note_get', { sprint: 'One' })
      assert.match(notes.review.body, /^## Review of "One"\n/)
      assert.match(
        notes.review.body,
        /Goal: "Ship it"\nVelocity: 1 of 3 items, capacity 3\. 1 of 3 items done \(33 %\)\./,
      )
      assert.match(notes.review.body, /### Dropped \(2\)\n\n- APP#2 "open 0"\n- APP#3 "open 1"$/)
      await assert.rejects(app.in('sprints_close', { sprint: 'One' }), { code: 'sprint_closed' })
    },
  )

  verifies(
    ['sprints_close.dispositions', 'sprints.backlog', 'sprints.partial'],
    'each unfinished item follows its disposition; omitted items are dropped with a warning',
    async () => {
      const { app, done, refs } = await running(4)
      const [moved, back, dropped, forgotten] = refs
      const closed = await app.in('sprints_close', {
        sprint: 'One',
        next_sprint: 'two',
        dispositions: [
          { item_ref: moved, disposition: 'next_sprint' },
          { item_ref: back, disposition: 'backlog' },
          { item_ref: dropped, disposition: 'drop' },
          { item_ref: done, disposition: 'backlog' },
        ],
      })
      assert.deepEqual(outcomes(closed.items), {
        [done]: 'done',
        [moved!]: 'next_sprint',
        [back!]: 'backlog',
        [dropped!]: 'drop',
        [forgotten!]: 'drop',
      })
      assert.equal(closed.warnings.length, 2)
      assert.match(closed.warnings[0], /APP#1 is finished/)
      assert.match(closed.warnings[1], /No disposition was given for APP#5/)
      assert.deepEqual(await app.placement(), { [done]: 'One', [moved!]: 'Two' })
      assert.deepEqual([closed.next_sprint.path, closed.next_sprint.status], ['Two', 'planning'])
      const { activities } = await app.call('activities_list', { item_ref: moved, kind: 'item.sprint.changed' })
      assert.deepEqual([activities[0].from, activities[0].to], ['One', 'Two'])
    },
  )

  verifies(
    'sprints_close.next_sprint_required',
    'the disposition next_sprint needs next_sprint, another open sprint; otherwise nothing is closed',
    async () => {
      const { app, refs } = await running(2)
      const other = await app.item('elsewhere')
      const close = (fields: object) => app.in('sprints_close', { sprint: 'One', ...fields })
      const next = { dispositions: [{ item_ref: refs[0], disposition: 'next_sprint' }] }
      await assert.rejects(close(next), { code: 'missing_argument', field: 'next_sprint' })
      await assert.rejects(close({ ...next, next_sprint: 'One' }), { code: 'invalid_argument', field: 'next_sprint' })
      await assert.rejects(close({ ...next, next_sprint: 'Nine' }), { code: 'not_found', field: 'next_sprint' })
      await app.sprint('Old', { status: 'closed' })
      await assert.rejects(close({ ...next, next_sprint: 'Old' }), { code: 'sprint_closed', field: 'next_sprint' })
      await assert.rejects(
        close({
          dispositions: [
            { item_ref: refs[0], disposition: 'drop' },
            { item_ref: refs[0], disposition: 'backlog' },
            { item_ref: other, disposition: 'drop' },
            { item_ref: '#99', disposition: 'drop' },
          ],
        }),
        (error: { code: string; message: string; details: { problems: { code: string; message: string }[] } }) => {
          const [second, third] = error.details.problems
          assert.deepEqual(
            [error.code, second!.code, third!.code],
            ['invalid_argument', 'invalid_argument', 'not_found'],
          )
          assert.match(error.message, /named twice/)
          assert.match(second!.message, /not in the sprint/)
          return true
        },
      )
      await assert.rejects(close({ dispositions: [{ item_ref: refs[0], disposition: 'keep' }] }), {
        code: 'invalid_argument',
      })
      await assert.rejects(app.in('sprints_close', { sprint: 'Two' }), { code: 'conflict', message: /in planning/ })
      assert.equal(await status(app, 'One'), 'active')
      assert.equal(Object.keys(await app.placement()).length, 3)
    },
  )

  verifies(
    'sprints_close.velocity',
    'velocity counts the work done during the sprint and does not change afterwards',
    async () => {
      const app = await newTeam(host)
      const early = await app.item('done before')
      await app.call('items_complete', { item_ref: early })
      await app.sprint('One', { status: 'active' })
      await app.in('sprints_add_item', { sprint: 'One', item_ref: early })
      const refs: string[] = []
      for (const title of ['a', 'b', 'c', 'not wanted']) refs.push(await app.item(title, { sprint: 'One' }))
      for (const item_ref of refs.slice(0, 2)) await app.call('items_complete', { item_ref })
      await app.call('items_move_state', { item_ref: refs[3], status_definition_id: "Won't fix" })
      const { sprint, items } = await app.in('sprints_close', { sprint: 'One' })
      assert.deepEqual([sprint.velocity, sprint.velocity_unit], [2, 'items'])
      assert.deepEqual([sprint.item_count, sprint.done_count], [5, 4])
      assert.deepEqual(
        items.filter((item: { counted?: boolean }) => item.counted === false).map((item: Outcome) => item.item_ref),
        [early, refs[3]],
      )
      await app.call('items_move_state', { item_ref: refs[0], status_definition_id: 'In progress' })
      const list = await app.in('sprints_list', {})
      assert.deepEqual([list.sprints[0].velocity, list.sprints[0].done_count], [2, 4])
    },
  )

  verifies(
    'sprints_handoff.atomic',
    'one call closes the sprint, moves the remaining items and starts the next one',
    async () => {
      const { app, done, refs } = await running(2)
      const handed = await app.in('sprints_handoff', {
        sprint: '@active',
        next_sprint: '@next',
        dispositions: [
          { item_ref: refs[0], disposition: 'next_sprint' },
          { item_ref: refs[1], disposition: 'backlog' },
        ],
      })
      assert.deepEqual([handed.sprint.status, handed.next_sprint.status], ['closed', 'active'])
      assert.deepEqual([handed.next_sprint.item_count, handed.next_sprint.path], [1, 'Two'])
      assert.ok(handed.next_sprint.started_at)
      assert.deepEqual(await app.placement(), { [done]: 'One', [refs[0]!]: 'Two' })
      assert.deepEqual(outcomes(handed.items), { [done]: 'done', [refs[0]!]: 'next_sprint', [refs[1]!]: 'backlog' })
    },
  )

  verifies('sprints_handoff.next_planning', 'the next sprint must be in planning and without children', async () => {
    const { app } = await running(1)
    await app.sprint('Old', { status: 'closed' })
    await app.sprint('Week', { parent: 'Two' })
    await app.sprint('Inner', { parent: 'One' })
    const hand = (next_sprint: string) => app.in('sprints_handoff', { sprint: 'One', next_sprint })
    const refusals: [string, string][] = [
      ['One', 'invalid_argument'],
      ['Two', 'has_children'],
      ['Old', 'sprint_closed'],
      ['Inner', 'invalid_argument'],
      ['Nine', 'not_found'],
    ]
    for (const [next, code] of refusals) await assert.rejects(hand(next), { code, field: 'next_sprint' }, next)
    await assert.rejects(app.in('sprints_handoff', { sprint: 'Two/Week', next_sprint: 'Two/Week' }), {
      code: 'conflict',
    })
    await assert.rejects(app.in('sprints_handoff', { sprint: 'One' }), {
      code: 'missing_argument',
      field: 'next_sprint',
    })
    assert.equal(await status(app, 'One'), 'active')
    assert.equal((await hand('Two/Week')).next_sprint.path, 'Two/Week')
  })

  test('the next sprint is not started while another one is active', async () => {
    const { app } = await running(0)
    await app.sprint('Year')
    await app.sprint('Q1', { parent: 'Year', status: 'active' })
    await app.sprint('Q2', { parent: 'Year' })
    await assert.rejects(app.in('sprints_handoff', { sprint: 'One', next_sprint: 'Q2' }), {
      code: 'conflict',
      message: /"Year\/Q1" is active/,
    })
    assert.equal(await status(app, 'One'), 'active')
  })

  test('the review is appended to existing text, and lists child sprints', async () => {
    const { app } = await running(0)
    await app.sprint('Inner', { parent: 'One' })
    await app.in('sprints_note_set', { sprint: 'One', slot: 'review', body: 'We learned a lot.' })
    const { warnings } = await app.in('sprints_close', { sprint: 'One' })
    assert.deepEqual(warnings, ['1 sprint below "One" is not closed.'])
    const { notes } = await app.in('sprints_note_get', { sprint: 'One' })
    assert.ok(notes.review.body.startsWith('We learned a lot.\n\n## Review of "One"\n'))
  })

  test('the owner and the members are notified, except the user who closed the sprint', async () => {
    const { app } = await running(1)
    const [editor, viewer, stranger] = [await host.newUser(), await host.newUser(), await host.newUser()]
    await app.share('APP', editor.email, 'editor')
    await app.share('APP', viewer.email, 'viewer')
    await editor.call('sprints_handoff', { project_key: 'APP', sprint: 'One', next_sprint: 'Two' })
    const notificationsOf = async (user: Pick<Team, 'call'>) =>
      (await user.call('notifications_list')).notifications.map((one: { title: string; body: string }) => [
        one.title,
        one.body,
      ])
    const news = (key: string) => [
      [`${key}: sprint "One" closed`, '1 of 2 items done, velocity 1 item. "Two" started.'],
    ]
    assert.deepEqual(await notificationsOf(app), news('APP'))
    assert.deepEqual(await notificationsOf(viewer), news(`${app.email}/APP`))
    assert.deepEqual(await notificationsOf(editor), [])
    assert.deepEqual(await notificationsOf(stranger), [])
  })

  test('of two parallel closes, one succeeds', async () => {
    const { app, refs } = await running(3)
    const calls = await Promise.allSettled([
      app.in('sprints_close', { sprint: 'One' }),
      app.in('sprints_handoff', { sprint: 'One', next_sprint: 'Two' }),
      ...refs.map(item_ref => app.in('sprints_add_item', { sprint: 'Two', item_ref })),
    ])
    const [first, second] = calls
    assert.deepEqual([first.status, second.status].toSorted(), ['fulfilled', 'rejected'])
    const placed = await app.placement()
    for (const ref of refs) assert.ok(placed[ref] === undefined || placed[ref] === 'Two', `${ref} is in ${placed[ref]}`)
    const { sprints } = await app.in('sprints_list', {})
    assert.equal(sprints.find((sprint: { path: string }) => sprint.path === 'One').velocity, 1)
  })
})
