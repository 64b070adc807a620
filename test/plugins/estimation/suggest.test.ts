import assert from 'node:assert/strict'
import { assert as check, array, asyncProperty, double, integer, record, string } from 'fast-check'
import { test } from 'node:test'
import { SeededRandom } from '../../../plugins/estimation/forecast/seeded-random.ts'
import { FEWEST, historyOf, type History } from '../../../plugins/estimation/suggest/history.ts'
import { corpusOf } from '../../../plugins/estimation/suggest/likeness.ts'
import { LOOKED_BACK, lookBack } from '../../../plugins/estimation/suggest/range.ts'
import { beatsMedian, medianOf, suggest } from '../../../plugins/estimation/suggest/suggestion.ts'
import { forEachEngine } from '../../engines.ts'
import { DATA_FOLDER } from '../../issues.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, type Team } from '../sprints/team.ts'
import { FILES, frozen, inOrder, line, type Accuracy } from './accuracy.ts'

const skip = DATA_FOLDER === null && 'TEST_DATA_DIR is not set'

/** How far the part of the ranges that held may lie from the stated one: what 71 issues scatter by, and a little drift. */
const BAND = 0.08
/**
 * Of moodle, learnt once, 98 % hold where 75 % is said: its team's estimates fell from a median of 8 among the issues learnt from to 3 among
 * those tested, and who stops learning before that cannot know. Learning from each finished issue is within the band.
 */
const FROZEN_MOODLE_BAND = 0.24

verifies(
  ['agile_estimate_suggest.accurate', 'agile_estimate_suggest.calibrated'],
  'on real issues the error is below that of the median, and ranges hold what their confidence says',
  { skip },
  async t => {
    const check = (result: Accuracy, band: number): void => {
      t.diagnostic(line(result))
      assert.ok(result.error < result.medianError, line(result))
      assert.ok(Math.abs(result.covered - result.stated) < band, line(result))
      assert.ok(result.stated > 0.7 && result.stated < 0.8, line(result))
    }
    const learning: Accuracy[] = []
    for (const file of FILES) {
      check(await frozen(file), file === 'moodle' ? FROZEN_MOODLE_BAND : BAND)
      learning.push(await inOrder(file))
      check(learning.at(-1)!, BAND)
    }
    const mean = (of: (result: Accuracy) => number): number =>
      learning.reduce((sum, result) => sum + of(result), 0) / learning.length
    assert.ok(mean(({ error, medianError }) => error / medianError) < 0.9)
    assert.ok(Math.abs(mean(({ covered, stated }) => covered - stated)) < 0.04)
  },
)

interface Sized {
  readonly title: string
  readonly detail: string
  readonly points: number
}

/** Issues of two kinds, the latest first, whose points the kind and the age give. */
function issuesOf(count: number, random: SeededRandom, points: (kind: 0 | 1, age: number) => number): Sized[] {
  return Array.from({ length: count }, (_, age) => {
    const kind = random.nextBelow(2) as 0 | 1
    const word = ['button colour label', 'database migration lock'][kind]!
    return { title: `${word} ${random.nextBelow(40)}`, detail: '', points: points(kind, age) }
  })
}

async function historyFrom(issues: readonly Sized[]): Promise<History> {
  return historyOf(
    await corpusOf(issues),
    issues.map(issue => issue.points),
  )
}

/** Suggests for each of the latest issues from all before it. @returns mean stated confidence, and the part of the ranges that held */
async function lookedAt(issues: readonly Sized[], latest: number): Promise<{ stated: number; covered: number }> {
  const history = await historyFrom(issues)
  const needed = lookBack(history, issues.length)
  const results = issues.slice(0, latest).map(({ points }, place) => {
    const past = needed.slice(place + 1, place + 1 + LOOKED_BACK)
    const { low, high, confidence } = suggest(history, history.corpus.likenessWithin(place), past, place + 1)
    return { confidence, hit: low <= points && points <= high ? 1 : 0 }
  })
  const stated = results.reduce((sum, { confidence }) => sum + confidence, 0) / latest
  return { stated, covered: results.reduce((sum, { hit }) => sum + hit, 0) / latest }
}

const SIZES = [
  [1, 2, 2, 3, 8],
  [5, 8, 8, 13, 2],
] as const

test('a range holds as many estimates as its confidence says, whether they go with the texts, with nothing, or drift', async t => {
  const teams: Record<string, (random: SeededRandom) => (kind: 0 | 1, age: number) => number> = {
    'by kind': random => kind => SIZES[kind][random.nextBelow(5)]!,
    'by nothing': random => () => [1, 2, 3, 5, 8, 13, 20][random.nextBelow(7)]!,
    'ever smaller': random => (kind, age) =>
      Math.max(1, Math.round(SIZES[kind][random.nextBelow(5)]! * (0.5 + age / 300))),
    'ever greater': random => (kind, age) =>
      Math.max(1, Math.round(SIZES[kind][random.nextBelow(5)]! * (3 - age / 300))),
    'in hours': random => kind => (1 + kind) * (1 + random.nextBelow(400)) * 0.25,
  }
  for (const [name, pointsOf] of Object.entries(teams)) {
    const random = new SeededRandom(name)
    const { stated, covered } = await lookedAt(issuesOf(700, random, pointsOf(random)), 300)
    t.diagnostic(`${name}: stated ${stated.toFixed(3)}, covered ${covered.toFixed(3)}`)
    assert.ok(stated >= 0.7, `${name}: stated ${stated}`)
    assert.ok(Math.abs(stated - covered) < BAND, `${name}: stated ${stated}, covered ${covered}`)
  }
})

test('the confidence is low for teams with few finished tasks', async t => {
  for (const finished of [FEWEST, 8, 12, 20, 40]) {
    const random = new SeededRandom(`young ${finished}`)
    let [stated, covered] = [0, 0]
    const teams = 400
    for (let team = 0; team < teams; team++) {
      const one = await lookedAt(
        issuesOf(finished + 1, random, kind => SIZES[kind][random.nextBelow(5)]!),
        1,
      )
      stated += one.stated / teams
      covered += one.covered / teams
    }
    t.diagnostic(`${finished} finished: stated ${stated.toFixed(3)}, covered ${covered.toFixed(3)}`)
    // Equal estimates let a range hold more than their order alone says, the more so the fewer there are.
    assert.ok(
      covered > stated - 0.05 && covered < stated + (finished < 12 ? 0.2 : BAND),
      `${finished}: stated ${stated}, covered ${covered}`,
    )
  }
})

test('a team with one constant estimate gets it with high confidence, and with fewer finished tasks with less', async () => {
  const of = async (count: number) => {
    const history = await historyFrom(issuesOf(count, new SeededRandom('same'), () => 3))
    return suggest(history, history.corpus.likenessWithin(0), lookBack(history))
  }
  const { value, low, high, confidence } = await of(200)
  assert.deepEqual([value, low, high], [3, 3, 3])
  assert.ok(confidence > 0.98 && confidence < 1)
  const few = [(await of(5)).confidence, (await of(9)).confidence, (await of(30)).confidence]
  assert.deepEqual(
    few.toSorted((a, b) => a - b),
    few,
  )
  assert.ok(few[0]! < 0.7)
})

test('the calibration predicts each task only from earlier ones', async () => {
  const issues = issuesOf(60, new SeededRandom('before'), kind => 1 + kind)
  const whole = lookBack(await historyFrom(issues))
  assert.equal(whole.length, 60 - FEWEST)
  // A level that only came later is in no range.
  const late = lookBack(await historyFrom([{ title: 'button', detail: '', points: 100 }, ...issues]))
  assert.equal(late[0], Infinity)
  assert.ok(late.slice(1).every(each => each < Infinity))
})

test('whatever the texts and estimates, the value is one of those given and lies in its range', async () => {
  const text = record({ title: string({ maxLength: 30 }), detail: string({ maxLength: 60 }) })
  const item = record({ text, points: integer({ min: 0, max: 400 }) })
  const likeness = double({ min: 0, max: 1, noNaN: true })
  await check(
    asyncProperty(array(item, { minLength: 1, maxLength: 40 }), text, likeness, async (items, other, floor) => {
      const history = historyOf(
        await corpusOf(items.map(each => each.text)),
        items.map(({ points }) => points),
      )
      const likenesses = history.corpus.likenessTo(other)
      assert.ok(likenesses.every(value => value >= 0 && value <= 1 + 1e-9))
      const { value, low, high, confidence, basis } = suggest(
        history,
        likenesses.map(each => Math.max(each, floor)),
        lookBack(history),
      )
      assert.ok(history.estimates.includes(value) && low <= value && value <= high)
      assert.ok(confidence >= 0 && confidence <= 1)
      assert.equal(basis.length, Math.min(3, items.length))
    }),
  )
})

test('without similar tasks the value is the median; many equal texts give their estimate', async () => {
  const rest = Array.from({ length: 30 }, (_, n) => ({ title: `topic${n}`, detail: '' }))
  const same = Array.from({ length: 5 }, () => ({ title: 'ログイン画面の修正', detail: '' }))
  const estimates = [...rest.map((_, n) => [1, 2, 3][n % 3]!), ...same.map(() => 13)]
  const history = historyOf(await corpusOf([...rest, ...same]), estimates)
  const valueFor = (title: string) => suggest(history, history.corpus.likenessTo({ title, detail: '' }), []).value
  assert.equal(valueFor('unheard of'), medianOf(estimates))
  assert.equal(valueFor('ログイン画面'), 13)
})

test('suggestions are worth something where they were nearer to the last estimates than the median', async () => {
  const worth = async (titleOf: (n: number) => string) => {
    const texts = Array.from({ length: 60 }, (_, n) => ({ title: titleOf(n), detail: '' }))
    return beatsMedian(
      historyOf(
        await corpusOf(texts),
        texts.map((_text, n) => (n % 2 === 0 ? 1 : 8)),
      ),
    )
  }
  assert.deepEqual(await worth(n => (n % 2 === 0 ? 'login form' : 'migrate the reports')), { better: true, seen: 55 })
  assert.equal((await worth(() => 'the same text')).better, false)
  assert.equal((await worth(n => `text${n}`)).better, false)
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
        Object.entries(second.basis).map(([ref, estimate]) => [login.includes(ref), estimate]),
        [
          [true, 2],
          [true, 2],
          [true, 2],
        ],
      )
      assert.match(second.most_alike, /^Login form: error message \d$/)
      assert.ok(second.likeness > 0.5 && second.likeness < 1)
      assert.ok(second.range.low <= 2 && second.range.high >= 2)
      assert.ok(second.confidence > 0.4 && second.confidence < 1)
      assert.deepEqual(await app.call('tasks_list', { limit: 100 }), before)
      const { item_ref, value } = first
      await app.in('agile_estimate_apply', { estimates: [{ item_id: item_ref, value }] })
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
    assert.equal(full.worth, 'Too few finished tasks to tell whether it beats the median.')
    await app.in('projects_update', { estimate_unit: 'none' })
    await assert.rejects(app.in('agile_estimate_suggest', {}), { code: 'conflict', hint: /in the portal/ })
    await assert.rejects(app.call('agile_estimate_suggest', { project_key: 'NONE' }), { code: 'not_found' })
  })
})
