import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateOfDay, dayNumber, isWeekend } from '../../../plugins/sprints/calendar.ts'
import { SeededRandom } from '../../../plugins/estimation/forecast/seeded-random.ts'
import { HORIZON, quantile, RUNS, shareBy, simulate } from '../../../plugins/estimation/forecast/simulate.ts'
import type { Course } from '../../../plugins/estimation/forecast/simulate.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, type Team } from '../sprints/team.ts'

const MONDAY = dayNumber('2026-03-02')
const steady: Course = { remaining: 10, pace: { workdays: [2, 2, 2], weekends: [0] }, from: MONDAY, left: 1, seed: 's' }

test('working days and weekends are counted separately', () => {
  assert.equal(dateOfDay(MONDAY), '2026-03-02')
  const week = Array.from({ length: 7 }, (_, n) => isWeekend(MONDAY + n))
  assert.deepEqual(week, [false, false, false, false, false, true, true])
  assert.ok(isWeekend(dayNumber('1969-12-28')))
})

test('a team with constant throughput gets one end date, without weekends', async () => {
  const ends = await simulate(steady)
  assert.deepEqual([quantile(ends, 0.001), quantile(ends, 1)], [MONDAY + 4, MONDAY + 4])
  const longer = await simulate({ ...steady, remaining: 12 })
  assert.equal(dateOfDay(quantile(longer, 0.5)), '2026-03-09')
  assert.deepEqual([shareBy(longer, MONDAY + 6), shareBy(longer, MONDAY + 7)], [0, 1])
  const evening = await simulate({ ...steady, left: 0.25 })
  assert.equal(dateOfDay(quantile(evening, 0.5)), '2026-03-09')
  const saturday = { ...steady, from: MONDAY + 5 }
  assert.equal(quantile(await simulate({ ...saturday, remaining: 0 }), 1), MONDAY + 5)
  assert.equal(quantile(await simulate({ ...saturday, remaining: 1 }), 0.001), MONDAY + 7)
})

test('the same seed gives the same runs, another seed others', async () => {
  const course = { ...steady, remaining: 30, pace: { workdays: [0, 1, 2, 5], weekends: [] } }
  const ends = await simulate(course)
  assert.deepEqual(await simulate(course), ends)
  assert.notDeepEqual(await simulate({ ...course, seed: 't' }), ends)
})

test('without an end within the horizon the horizon is reported, and other work continues during the simulation', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  // The best pace would reach it on every day, so the forecast has to simulate.
  const ends = await simulate({
    ...steady,
    pace: { workdays: [0, 0, 0, 0, 0, 0, 0, 0, 0, 2], weekends: [0] },
    remaining: 500,
  })
  clearInterval(timer)
  assert.equal(quantile(ends, 0.001), MONDAY + HORIZON)
  assert.ok(turns >= 5, `${turns} turns`)
  const beyond = await simulate({ ...steady, remaining: 1e6 })
  assert.deepEqual([beyond.length, quantile(beyond, 0.001)], [RUNS, MONDAY + HORIZON])
})

test('the last day within the horizon counts, whatever its fraction', async () => {
  const course = { ...steady, pace: { workdays: [0.1], weekends: [] } }
  const at = async (remaining: number) => quantile(await simulate({ ...course, remaining }), 0.5) - MONDAY
  assert.deepEqual([await at(0.3), await at(36.6), await at(36.7)], [2, HORIZON - 1, HORIZON])
})

test('the runs have the same distribution as a straightforward simulation', async () => {
  const courses: Course[] = [
    { ...steady, remaining: 30, pace: { workdays: [0, 1, 0, 5, 2], weekends: [0, 3] } },
    { ...steady, remaining: 60, left: 0.3, pace: { workdays: [0, 0, 0, 13, 1, 2, 0, 3, 1, 5], weekends: [] } },
    { ...steady, remaining: 12, pace: { workdays: [0, 2, 1], weekends: [0, 0] } },
    { ...steady, remaining: 55, pace: { workdays: [0, 0, 0, 0, 37], weekends: [] } },
    { ...steady, remaining: 30, pace: { workdays: [0, 0, 9], weekends: [0, 1] } },
  ]
  for (const course of courses) {
    const [ends, plain] = [await simulate(course), plainly(course)]
    for (let day = MONDAY; day <= MONDAY + HORIZON; day++) {
      const [share, expected] = [shareBy(ends, day), shareBy(plain, day)]
      // The shares of two samples of 10,000 differ by more than this once in a thousand times.
      assert.ok(Math.abs(share - expected) < 0.028, `day ${day - MONDAY}: ${share}, expected ${expected}`)
    }
  }
})

test('a team that finished everything on one day of its past gets a date', async () => {
  const ends = await simulate({ ...steady, remaining: 55, pace: { workdays: [0, 0, 0, 0, 37], weekends: [] } })
  assert.equal(shareBy(ends, MONDAY + 100), 1)
  assert.ok(quantile(ends, 0.8) < MONDAY + 21, `day ${quantile(ends, 0.8) - MONDAY}`)
})

/** A straightforward implementation of the simulation, without optimization. */
function plainly({ remaining, pace, from, left }: Course): Int32Array {
  const random = new SeededRandom('plainly')
  const redrawn = (days: readonly number[]): number[] => days.map(() => days[random.nextBelow(days.length)]!)
  const end = (): number => {
    const [workdays, weekends] = [redrawn(pace.workdays), redrawn(pace.weekends)]
    if ([...workdays, ...weekends].every(done => done === 0)) return end()
    let rest = remaining - 1e-9
    for (let day = 0; day < HORIZON; day++) {
      const days = weekends.length > 0 && isWeekend(from + day) ? weekends : workdays
      rest -= days[random.nextBelow(days.length)]! * (day === 0 ? left : 1)
      if (rest <= 0) return from + day
    }
    return from + HORIZON
  }
  return Int32Array.from({ length: RUNS }, end).sort()
}

/** Teams with a known daily throughput; each has a history of some days and then works until all is done. */
const TEAMS: Readonly<Record<string, (random: SeededRandom) => number>> = {
  steady: random => 1 + random.nextBelow(3),
  bursty: random => (random.nextBelow(10) < 3 ? 1 + random.nextBelow(8) : 0),
  slow: random => (random.nextBelow(2) === 0 ? 0 : 1),
}

verifies(
  'agile_sprint_forecast.calibrated',
  'for teams with a known throughput, P50, P80 and P95 are calibrated',
  async t => {
    const [teams, days] = [60, 20]
    for (const [name, draw] of Object.entries(TEAMS)) {
      const random = new SeededRandom(name)
      const hits = [0, 0, 0]
      for (let team = 0; team < teams; team++) {
        const workdays = Array.from({ length: days }, () => draw(random))
        const ends = await simulate({
          remaining: 25,
          pace: { workdays, weekends: [] },
          from: 0,
          left: 1,
          seed: `${team}`,
        })
        let last = 0
        for (let rest = 25 - draw(random); rest > 0; rest -= draw(random)) last++
        for (const [n, part] of [0.5, 0.8, 0.95].entries()) if (last <= quantile(ends, part)) hits[n]!++
      }
      const shares = hits.map(count => count / teams)
      t.diagnostic(`${name}: P50 ${shares[0]!.toFixed(2)}, P80 ${shares[1]!.toFixed(2)}, P95 ${shares[2]!.toFixed(2)}`)
      // Ends fall on whole days, so slightly more than the nominal share is done by then; with 60 teams the standard error is 5 to 6
      // points.
      assert.ok(shares[0]! > 0.4 && shares[0]! < 0.75, `${name} P50 ${shares[0]}`)
      assert.ok(shares[1]! > 0.68 && shares[1]! < 0.95, `${name} P80 ${shares[1]}`)
      assert.ok(shares[2]! > 0.86, `${name} P95 ${shares[2]}`)
    }
  },
)

forEachEngine('agile_sprint_forecast', engine => {
  let now = new Date('2026-03-02T00:00:00Z')
  const host = sharedHost(engine, {
    config: { plugins: { sprints: {}, project_admin: {}, estimation: {} } },
    now: () => now,
  })
  /** Noon in Tokyo. */
  const on = (date: string) => void (now = new Date(`${date}T03:00:00Z`))
  const forecast = (app: Team, sprint_id = '@active') => app.call('agile_sprint_forecast', { sprint_id })
  async function sized(app: Team, estimate: string, sprint: string): Promise<string> {
    const ref = await app.item(`size ${estimate}`, { sprint })
    await app.call('agile_meta_patch', { item_ref: ref, estimate })
    return ref
  }
  /** Creates a team that did two points on each working day of a week. */
  async function withPast(): Promise<Team> {
    on('2026-03-02')
    const app = await newTeam(host)
    await app.sprint('Past', { status: 'active', start_date: '2026-03-02' })
    for (const day of ['02', '03', '04', '05', '06']) {
      on(`2026-03-${day}`)
      await app.call('items_complete', { item_ref: await sized(app, '2', 'Past') })
    }
    on('2026-03-08')
    await app.in('sprints_close', { sprint: 'Past' })
    on('2026-03-09')
    return app
  }

  verifies(
    ['agile_sprint_forecast.forecast', 'agile_sprint_forecast.basis'],
    'the forecast uses the days of the closed sprints and is deterministic',
    async () => {
      const app = await withPast()
      await app.sprint('Now', { status: 'active', start_date: '2026-03-09', end_date: '2026-03-20' })
      for (let n = 0; n < 5; n++) await sized(app, '2', 'Now')
      await app.item('not estimated', { sprint: 'Now' })
      const first = await forecast(app)
      assert.deepEqual(first.basis, { source: 'closed_sprints', sprints: ['Past'], days: 7, per_day: 1.43, runs: RUNS })
      assert.deepEqual(
        [first.remaining_points, first.unit, first.open_count, first.unestimated_count],
        [12, 'points', 6, 1],
      )
      // Half of Monday is over: 1 point today, then 2 per working day.
      assert.deepEqual([first.forecast_date, first.p50, first.p95], ['2026-03-17', '2026-03-17', '2026-03-17'])
      assert.equal(first.confidence, 1)
      assert.deepEqual(await forecast(app, first.sprint.id), first)
      await app.in('sprints_update', { sprint: 'Now', end_date: '2026-03-16' })
      assert.equal((await forecast(app)).confidence, 0)
      const sent = await host.statements(() => forecast(app))
      assert.ok(sent.length <= 4, `${sent.length} statements`)
    },
  )

  verifies(
    'agile_sprint_forecast.basis',
    'without closed sprints it uses the days of this sprint, and before its start the capacity',
    async () => {
      on('2026-03-02')
      const app = await newTeam(host)
      const dates = { start_date: '2026-03-02', end_date: '2026-03-13' }
      await app.sprint('One', { status: 'active', capacity: 10, ...dates })
      for (let n = 0; n < 6; n++) await sized(app, '1', 'One')
      const planned = await forecast(app)
      assert.deepEqual([planned.basis.source, planned.basis.per_day], ['capacity', 1])
      assert.ok(planned.p50 < planned.forecast_date && planned.forecast_date <= planned.p95)
      for (const day of ['03', '04', '05']) {
        on(`2026-03-${day}`)
        await app.call('items_complete', { item_ref: await sized(app, '1', 'One') })
      }
      on('2026-03-06')
      const running = await forecast(app)
      assert.deepEqual([running.basis.source, running.basis.days, running.basis.per_day], ['this_sprint', 4, 0.75])
      assert.equal(running.remaining_points, 6)
    },
  )

  verifies(
    'agile_sprint_forecast.too_little',
    'with too little data there is a reason instead of a date; with nothing left the date is today',
    async () => {
      on('2026-03-02')
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      const none = await forecast(app)
      assert.deepEqual([none.forecast_date, none.reason], [null, 'The sprint "One" has no items.'])
      const ref = await app.item('a task', { sprint: 'One' })
      const blind = await forecast(app)
      assert.deepEqual(
        [blind.forecast_date, blind.p50, blind.p95, blind.confidence, blind.basis],
        [null, null, null, null, null],
      )
      assert.match(blind.reason, /Too little is known of the pace/)
      assert.deepEqual([blind.remaining_points, blind.unit], [1, 'items'])
      await app.call('items_complete', { item_ref: ref })
      const done = await forecast(app)
      assert.deepEqual([done.forecast_date, done.remaining_points], ['2026-03-02', 0])
      await app.in('sprints_close', { sprint: 'One' })
      assert.match((await forecast(app, 'One')).reason, /is closed/)
      await assert.rejects(forecast(app, 'Nowhere'), { code: 'not_found', field: 'sprint_id' })
      await app.sprint('Two')
      await app.in('project_features_set', { features: { sprints: false } })
      await assert.rejects(forecast(app, 'Two'), { code: 'feature_disabled' })
    },
  )

  test('members in every time zone get the forecast of the owner, whose days the finished work is counted by', async () => {
    const app = await withPast()
    await app.sprint('Now', { status: 'active', start_date: '2026-03-09', end_date: '2026-03-20' })
    for (let n = 0; n < 5; n++) await sized(app, '2', 'Now')
    const viewer = await host.newUser('America/Los_Angeles')
    await app.share('APP', viewer.email, 'viewer')
    assert.deepEqual(await viewer.call('agile_sprint_forecast', { sprint_id: '@active' }), await forecast(app))
  })

  test('a sprint of thousands of years costs no more', async () => {
    on('2026-03-02')
    const app = await newTeam(host)
    const dates = { start_date: '2026-03-02', end_date: '9999-12-31' }
    await app.sprint('Forever', { status: 'active', capacity: 5, ...dates })
    await app.item('a task', { sprint: 'Forever' })
    assert.match((await forecast(app)).reason, /Too little is known/)
    const past = await withPast()
    await past.sprint('Far', { start_date: '9999-12-31' })
    for (const title of ['one', 'two', 'three']) await past.item(title, { sprint: 'Far' })
    const far = await past.call('agile_sprint_forecast', { sprint_id: 'Far' })
    assert.deepEqual([far.forecast_date, far.p95], ['9999-12-31', '9999-12-31'])
  })

  test('a planned sprint starts on its first day, and a sprint that would take years has no date', async () => {
    const app = await withPast()
    await app.sprint('Later', { start_date: '2026-04-06', end_date: '2026-04-10' })
    await sized(app, '10', 'Later')
    const later = await forecast(app, 'Later')
    assert.deepEqual([later.forecast_date, later.confidence], ['2026-04-10', 1])
    await sized(app, '5000', 'Later')
    const never = await forecast(app, 'Later')
    assert.deepEqual([never.forecast_date, never.confidence], [null, 0])
    assert.match(never.reason, /more than 366 days/)
  })
})
