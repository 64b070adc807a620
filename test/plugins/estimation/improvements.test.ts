import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, type Team } from '../sprints/team.ts'
import { createSized, runSprint } from './sprint-with-past.ts'

interface Suggestion {
  signal: string
  severity: string
  evidence: string
  item_refs?: string[]
}

forEachEngine('agile_improvement_suggest', engine => {
  let now = new Date('2026-03-02T03:00:00Z')
  const host = sharedHost(engine, {
    config: { plugins: { sprints: {}, project_admin: {}, estimation: {} } },
    now: () => now,
  })
  const on = (date: string) => void (now = new Date(`${date}T03:00:00Z`))
  const suggest = (app: Team, fields: object = {}) => app.in('agile_improvement_suggest', fields)
  const signalsOf = ({ suggestions }: { suggestions: Suggestion[] }) =>
    Object.fromEntries(suggestions.map(suggestion => [suggestion.signal, suggestion]))

  verifies(
    'agile_improvement_suggest.signals',
    'carry-over, falling velocity and risks of the active sprint are reported with evidence and items, most serious first',
    async () => {
      on('2026-03-02')
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await runSprint(app, 'One', { done: ['8', '5'], open: ['3'], next: 'Two' })
      on('2026-03-09')
      await runSprint(app, 'Two', { done: ['8'], open: ['2'], next: 'Three' })
      on('2026-03-16')
      const carried = await runSprint(app, 'Three', { done: ['2'], open: [], next: 'Four' })
      on('2026-03-23')
      const states = (await app.call('workflow_states_list', { project_key: 'APP' })).states
      const started = states.find((state: { category: string }) => state.category === 'in_progress').id
      const stuck = await createSized(app, 'Stuck', '3', 'Four')
      await app.call('items_move_state', { item_ref: stuck, status_definition_id: started })
      const large = await createSized(app, 'Large', '40', 'Four')
      const overdue = await app.item('Late', { sprint: 'Four', due_date: '2026-03-25' })
      const urgent = await app.item('Urgent', { sprint: 'Four', priority: 'urgent' })
      await app.in('sprints_update', { sprint: 'Four', end_date: '2026-04-01' })
      on('2026-03-30')

      const result = await suggest(app)
      assert.deepEqual([result.sprint.path, result.metrics.closed_sprints], ['Four', 3])
      assert.equal(result.metrics.average_velocity, 7.67)
      assert.ok(result.metrics.velocity_trend < -0.25 && result.metrics.confidence < 0.2)
      assert.equal(result.metrics.carry_over_rate, 0.56)
      const found = signalsOf(result)
      assert.match(found['velocity_trend']!.evidence, /: 13, 8, 2 points\.$/)
      assert.match(found['late']!.evidence, /points are open; the chance to finish by 2026-04-01 is/)
      assert.deepEqual(found['overdue']!.item_refs, [overdue])
      assert.deepEqual(found['stuck']!.item_refs, [stuck])
      assert.deepEqual(found['large_items']!.item_refs, [large])
      assert.deepEqual(found['not_estimated']!.item_refs, [overdue, urgent])
      assert.deepEqual(found['priority']!.item_refs, [urgent])
      // Two items without an estimate count as the median of the others, 3.
      assert.match(found['overcommitted']!.evidence, /54 points are planned; 7\.7 points are done on average/)
      assert.match(found['frame']!.evidence, /has no goal/)
      const again = result.suggestions.filter(({ signal }: Suggestion) => signal === 'carry_over')
      assert.equal(again.length, 2)
      assert.deepEqual(again.find(({ item_refs: refs }: Suggestion) => refs).item_refs.toSorted(), carried.toSorted())
      const severities = result.suggestions.map(({ severity }: Suggestion) =>
        ['high', 'medium', 'low'].indexOf(severity),
      )
      assert.deepEqual(severities, severities.toSorted())
      const sent = await host.statements(() => suggest(app))
      assert.ok(sent.length <= 5, `${sent.length} statements`)
    },
  )

  verifies(
    'agile_improvement_suggest.signals',
    'a closed sprint is judged by its state at the end, and a healthy project gets no suggestion',
    async () => {
      on('2026-03-02')
      const app = await newTeam(host)
      const none = await suggest(app)
      assert.deepEqual(
        [none.sprint, none.suggestions, none.reason],
        [null, [], 'APP has no active and no closed sprint yet.'],
      )
      const frame = { goal: 'Ship', start_date: '2026-03-02', end_date: '2026-03-13' }
      await app.sprint('One', { status: 'active', ...frame })
      await runSprint(app, 'One', { done: ['3'], open: [], next: 'Two' })
      await runSprint(app, 'Two', { done: [], open: ['3'], next: 'Three' })
      const then = await suggest(app, { sprint_id: 'One' })
      assert.deepEqual([then.metrics.closed_sprints, then.metrics.carry_over_rate, then.suggestions], [1, 0, []])
      assert.equal(then.reason, 'None of the signals stands out.')
      const later = await suggest(app, { sprint_id: 'Two' })
      assert.deepEqual([later.metrics.closed_sprints, later.metrics.carry_over_rate], [2, 0.5])
      await assert.rejects(suggest(app, { sprint_id: 'Nine' }), { code: 'not_found', field: 'sprint_id' })
    },
  )

  verifies(
    ['sprints.backlog', 'sprints.drop', 'agile_improvement_suggest.signals'],
    'items that return to the backlog, move to the next sprint or are split count as carry-over, and dropped items do not',
    async () => {
      on('2026-03-02')
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await app.sprint('Two')
      const close: Record<string, string> = { drop: '', backlog: '', next_sprint: '', split: '' }
      for (const disposition of Object.keys(close)) close[disposition] = await createSized(app, disposition, '2', 'One')
      await app.item('left out', { sprint: 'One' })
      for (const title of ['a', 'b', 'c'])
        await app.call('items_complete', { item_ref: await createSized(app, title, '1', 'One') })
      const dispositions = Object.entries(close).map(([disposition, item_ref]) => ({ item_ref, disposition }))
      await app.in('sprints_close', { sprint: 'One', next_sprint: 'Two', dispositions })
      const { metrics } = await suggest(app, { sprint_id: 'One' })
      // Three of eight. Of the other five, one was dropped, and one had no disposition, which also drops it.
      assert.equal(metrics.carry_over_rate, 0.38)
    },
  )

  verifies('agile_improvement_suggest.disabled', 'it is refused if agile_ai or sprints are off', async () => {
    const app = await newTeam(host)
    for (const feature of ['agile_ai', 'sprints']) {
      await app.in('project_features_set', { features: { [feature]: false } })
      await assert.rejects(suggest(app), { code: 'feature_disabled' }, feature)
      await app.in('project_features_set', { features: { [feature]: true } })
    }
    assert.ok(await suggest(app))
  })

  test('it shows nothing of a project that the caller cannot see', async () => {
    const app = await newTeam(host)
    await app.sprint('One', { status: 'active' })
    const stranger = await host.newUser()
    await assert.rejects(stranger.call('agile_improvement_suggest', { project_key: 'APP' }), { code: 'not_found' })
    await assert.rejects(stranger.call('agile_sprint_forecast', { sprint_id: 'One' }), { code: 'not_found' })
    await assert.rejects(stranger.call('agile_retro_draft', { sprint_id: 'One' }), { code: 'not_found' })
  })
})
