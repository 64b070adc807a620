import assert from 'node:assert/strict'
import { assert as check, array, asyncProperty, double, integer, record, string } from 'fast-check'
import { test } from 'node:test'
import { corpusOf } from '../../../plugins/estimation/suggest/likeness.ts'
import { medianOf, suggest } from '../../../plugins/estimation/suggest/suggestion.ts'
import { forEachEngine } from '../../engines.ts'
import { DATA_FOLDER } from '../../issues.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../labels/shared-host.ts'
import { newTeam, type Team } from '../sprints/team.ts'
import { FILES, frozen, inOrder, line } from './accuracy.ts'

const skip = DATA_FOLDER === null && 'TEST_DATA_DIR is not set'

verifies(
  ['agile_estimate_suggest.accurate', 'agile_estimate_suggest.calibrated'],
  'on real issues the error is below that of the median, and ranges hold what their confidence says',
  { skip },
  async t => {
    const measured = await Promise.all(FILES.flatMap(file => [frozen(file), inOrder(file)]))
    for (const result of measured) {
      t.diagnostic(line(result))
      assert.ok(result.error < result.medianError, line(result))
      // Projects drift: what a team called 8 points last year it may call 5 now. A range may then hold more than it says.
      assert.ok(result.covered > result.stated - 0.05 && result.covered < result.stated + 0.2, line(result))
    }
    const mean = (of: (result: (typeof measured)[number]) => number) =>
      measured.reduce((sum, result) => sum + of(result), 0) / measured.length
    assert.ok(mean(({ error, medianError }) => error / medianError) < 0.95)
    assert.ok(Math.abs(mean(({ covered, stated }) => covered - stated)) < 0.12)
  },
)

test('where estimates do not drift, a range holds as many of them as its confidence says', async () => {
  // Texts of two kinds, and estimates that go with the kind four times out of five.
  let state = 7
  const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647
  const sizes = [
    [1, 2, 2, 3, 8],
    [5, 8, 8, 13, 2],
  ]
  const issues = Array.from({ length: 700 }, () => {
    const kind = random() < 0.5 ? 0 : 1
    const word = ['button colour label', 'database migration lock'][kind]!
    return {
      title: `${word} ${Math.floor(random() * 40)}`,
      detail: '',
      points: sizes[kind]![Math.floor(random() * 5)]!,
    }
  })
  const history = { corpus: await corpusOf(issues.slice(200)), estimates: issues.slice(200).map(issue => issue.points) }
  const results = issues.slice(0, 200).map(issue => {
    const { low, high, confidence } = suggest(history, history.corpus.likenessTo(issue))
    return { confidence, hit: low <= issue.points && issue.points <= high ? 1 : 0 }
  })
  const stated = results.reduce((sum, { confidence }) => sum + confidence, 0) / 200
  const covered = results.reduce((sum, { hit }) => sum + hit, 0) / 200
  assert.ok(stated >= 0.69, `stated ${stated}`)
  assert.ok(Math.abs(stated - covered) < 0.08, `stated ${stated}, covered ${covered}`)
})

test('whatever the texts and estimates, the value is one of those given and lies in its range', async () => {
  const text = record({ title: string({ maxLength: 30 }), detail: string({ maxLength: 60 }) })
  const item = record({ text, points: integer({ min: 0, max: 400 }) })
  const likeness = double({ min: 0, max: 1, noNaN: true })
  await check(
    asyncProperty(array(item, { minLength: 1, maxLength: 40 }), text, likeness, async (items, other, floor) => {
      const history = {
        corpus: await corpusOf(items.map(each => each.text)),
        estimates: items.map(({ points }) => points),
      }
      const likenesses = history.corpus.likenessTo(other)
      assert.ok(likenesses.every(value => value >= 0 && value <= 1 + 1e-9))
      const { value, low, high, confidence, basis } = suggest(
        history,
        likenesses.map(each => Math.max(each, floor)),
      )
      assert.ok(history.estimates.includes(value) && low <= value && value <= high)
      assert.ok(confidence >= 0 && confidence <= 1)
      assert.equal(basis.length, Math.min(3, items.length))
    }),
  )
})

test('nothing alike gives the median; the same text many times gives its estimate', async () => {
  const rest = Array.from({ length: 30 }, (_, n) => ({ title: `topic${n}`, detail: '' }))
  const same = Array.from({ length: 5 }, () => ({ title: 'ログイン画面の修正', detail: '' }))
  const estimates = [...rest.map((_, n) => [1, 2, 3][n % 3]!), ...same.map(() => 13)]
  const history = { corpus: await corpusOf([...rest, ...same]), estimates }
  const valueFor = (title: string) => suggest(history, history.corpus.likenessTo({ title, detail: '' })).value
  assert.equal(valueFor('unheard of'), medianOf(estimates))
  assert.equal(valueFor('ログイン画面'), 13)
})

forEachEngine('agile_estimate_suggest', engine => {
  const host = sharedHost(engine, { config: { plugins: { project_admin: {}, estimation: {} } } })
  async function finished(app: Team, title: string, value: string, status?: string): Promise<string> {
    const ref = await app.item(title)
    await app.call('agile_meta_patch', { item_ref: ref, estimate: value })
    if (status === undefined) await app.call('items_complete', { item_ref: ref })
    else await app.call('items_move_state', { item_ref: ref, status_definition_id: status })
    return ref
  }

  verifies(
    'agile_estimate_suggest.suggests',
    'open tasks without an estimate get a value, a range, a confidence and the finished tasks it rests on; nothing is written',
    async () => {
      const app = await newTeam(host)
      const login: string[] = []
      for (let n = 0; n < 4; n++) {
        login.push(await finished(app, `Login form: error message ${n}`, '2'))
        await finished(app, `Migrate the database of reports ${n}`, '8')
      }
      // Given up, so that its estimate was never proved.
      await finished(app, 'Login form: error message, given up', '100', "Won't fix")
      const open = await app.item('Login form: another error message')
      const other = await app.item('Migrate the database of invoices', { priority: 'urgent' })
      const sized = await app.item('Has one already')
      await app.call('agile_meta_patch', { item_ref: sized, estimate: '1' })
      const before = await app.call('tasks_list', { limit: 100 })
      const { suggestions, unit, median, finished_count, has_more } = await app.in('agile_estimate_suggest', {})
      assert.deepEqual([unit, median, finished_count, has_more], ['points', 2, 8, false])
      const [first, second] = suggestions
      assert.deepEqual([first.item_ref, first.value], [other, '8'])
      assert.deepEqual([second.item_ref, second.value], [open, '2'])
      assert.equal(suggestions.length, 2)
      assert.deepEqual(
        second.basis.map(({ item_ref, estimate }: { item_ref: string; estimate: number }) => [
          login.includes(item_ref),
          estimate,
        ]),
        [
          [true, 2],
          [true, 2],
          [true, 2],
        ],
      )
      assert.ok(second.range.low <= 2 && second.range.high >= 2)
      assert.ok(second.confidence > 0.4 && second.confidence < 1)
      assert.deepEqual(await app.call('tasks_list', { limit: 100 }), before)
      const { item_id, value } = first
      await app.in('agile_estimate_apply', { estimates: [{ item_id, value }] })
      assert.equal((await app.in('agile_estimate_suggest', {})).suggestions.length, 1)
    },
  )

  test('with too little to go by, or nothing to do, it says so', async () => {
    const app = await newTeam(host)
    await finished(app, 'one', '1')
    const none = await app.in('agile_estimate_suggest', {})
    assert.deepEqual([none.suggestions, none.reason], [[], 'Every open task of APP has an estimate.'])
    for (let n = 0; n < 22; n++) await app.item(`open ${n}`)
    const few = await app.in('agile_estimate_suggest', {})
    assert.deepEqual(
      [few.suggestions, few.reason],
      [[], 'APP has 1 finished tasks with an estimate; suggestions need 5.'],
    )
    for (let n = 0; n < 4; n++) await finished(app, `more ${n}`, '1')
    const full = await app.in('agile_estimate_suggest', {})
    assert.deepEqual([full.suggestions.length, full.has_more], [20, true])
    await app.in('projects_update', { estimate_unit: 'none' })
    await assert.rejects(app.in('agile_estimate_suggest', {}), { code: 'conflict', hint: /estimate_unit/ })
    await assert.rejects(app.call('agile_estimate_suggest', { project_key: 'NONE' }), { code: 'not_found' })
  })
})
