import assert from 'node:assert/strict'
import { definePlugin, sql, Type } from 'tasuki/plugin'
import { testHost, type TestHost } from 'tasuki/testing'
import { plusDays } from 'tasuki/plugin'
import { overviewSections } from '../../../plugins/workspace/points.ts'
import { forEachEngine } from '../../engines.ts'
import { emptiedHost } from '../../shared-host.ts'
import { verifies } from '../../verifies.ts'

// A Sunday evening in UTC, Monday morning in Tokyo.
const NOW = new Date('2026-03-01T20:30:00Z')
const now = () => NOW

interface Pace {
  readonly first_week: string
  readonly created: readonly number[]
  readonly completed: readonly number[]
}

/** Returns the first days of the weeks in which items were created. */
function busyWeeks({ first_week, created }: Pace): string[] {
  return created.flatMap((count, n) => (count > 0 ? [plusDays(first_week, 7 * n)] : []))
}

forEachEngine('me_overview', engine => {
  const empty = emptiedHost(engine, { now })
  const start = async () => {
    const host = await empty()
    await host.command('project create', { key: 'APP', name: 'App' })
    return host
  }
  const create = (host: TestHost, title: string, args: object = {}): Promise<unknown> =>
    host.call('items_create', { project_key: 'APP', title, ...args })

  verifies(
    'me_overview.content',
    'it shows user, time, projects, states, activity, pace and the next due items',
    async () => {
      const host = await start()
      await create(host, 'Later', { due_date: '2026-03-20' })
      await create(host, 'Late', { due_date: '2026-02-20', priority: 'high' })
      await create(host, 'Whenever')
      await create(host, 'Done')
      await host.call('items_complete', { item_ref: 'APP#4' })
      const overview = await host.call('me_overview')
      assert.deepEqual(overview.me, {
        email: 'owner@example.com',
        name: 'owner',
        time_zone: 'Asia/Tokyo',
        today: '2026-03-02',
      })
      assert.deepEqual(overview.projects, [
        { key: 'INBOX', name: 'Inbox', open_tasks: 0, overdue_tasks: 0 },
        { key: 'APP', name: 'App', open_tasks: 3, overdue_tasks: 1 },
      ])
      assert.deepEqual(overview.workflows[0].projects, ['INBOX', 'APP'])
      assert.deepEqual(overview.workflows[0].states, {
        todo: ['Backlog'],
        in_progress: ['In progress'],
        review: ['In review'],
        done: ['Done', 'Duplicate', "Won't fix"],
      })
      assert.deepEqual(
        overview.open_tasks.map((task: { ref: string; overdue?: boolean }) => [task.ref, task.overdue]),
        [
          ['APP#2', true],
          ['APP#1', undefined],
          ['APP#3', undefined],
        ],
      )
      assert.deepEqual(
        overview.recent_activity.map((about: { item_ref: string; title: string; kinds: object }) => [
          about.item_ref,
          about.title,
          ...Object.entries(about.kinds),
        ]),
        [
          ['APP#4', 'Done', ['item.completed', 'agent'], ['item.created', 'agent']],
          ['APP#3', 'Whenever', ['item.created', 'agent']],
          ['APP#2', 'Late', ['item.created', 'agent']],
          ['APP#1', 'Later', ['item.created', 'agent']],
        ],
      )
      assert.equal(overview.recent_activity[0].last_at, NOW.toISOString())
      assert.deepEqual(overview.weekly_pace, {
        first_week: '2026-01-26',
        created: [0, 0, 0, 0, 4],
        completed: [0, 0, 0, 0, 1],
      })
      assert.equal(overview.unread_notifications, 0)
    },
  )

  verifies(
    ['me_overview.tz_offset', 'me_overview.week_start'],
    'offset (UTC by default) and week start define weeks',
    async () => {
      const host = await start()
      await create(host, 'Sunday evening in UTC', { due_date: '2026-03-01' })
      const seen = async (args: object) => {
        const { me, weekly_pace, projects } = await host.call('me_overview', args)
        return [me.today, ...busyWeeks(weekly_pace), projects[1].overdue_tasks]
      }
      // Due dates are in the owner's time zone, so neither the day nor overdue items depend on the parameter.
      assert.deepEqual(await seen({}), ['2026-03-02', '2026-02-23', 1])
      assert.deepEqual(await seen({ tz_offset_minutes: 0 }), ['2026-03-02', '2026-02-23', 1])
      assert.deepEqual(await seen({ week_start: 'sunday' }), ['2026-03-02', '2026-03-01', 1])
      assert.deepEqual(await seen({ tz_offset_minutes: -720, week_start: 'sunday' }), ['2026-03-02', '2026-03-01', 1])
      assert.deepEqual(await seen({ tz_offset_minutes: 540 }), ['2026-03-02', '2026-03-02', 1])
      const { total } = await host.call('tasks_list', { q: 'is:overdue', include_total: true })
      assert.equal(total, 1)
      await assert.rejects(host.call('me_overview', { tz_offset_minutes: 900 }), {
        code: 'invalid_argument',
        field: 'tz_offset_minutes',
      })
      await assert.rejects(host.call('me_overview', { week_start: 'friday' }), {
        code: 'invalid_argument',
        field: 'week_start',
      })
    },
  )

  verifies('me_overview.week_start', 'an instant at the boundary belongs to the new week', async () => {
    const host = await start()
    await create(host, 'Border')
    const created = async (instant: string): Promise<string[]> => {
      await host.sql`update items.items set created_at = ${instant}::timestamptz`
      const { weekly_pace } = await host.call('me_overview', { tz_offset_minutes: 540 })
      return busyWeeks(weekly_pace)
    }
    assert.deepEqual(await created('2026-03-01T15:00:00.000Z'), ['2026-03-02'])
    assert.deepEqual(await created('2026-03-01T14:59:59.999Z'), ['2026-02-23'])
    assert.deepEqual(await created('2026-02-01T15:00:00.000Z'), ['2026-02-02'])
    assert.deepEqual(await created('2026-02-01T14:59:59.999Z'), [])
  })

  verifies('me_overview.content', 'it stays small and sends one statement, however much data there is', async () => {
    const host = await start()
    const values = Array.from({ length: 30 }, (_, n) => ({
      project_key: 'APP',
      title: `${n} ${'long title '.repeat(17)}`.slice(0, 200),
      due_date: '2026-03-20',
      due_time: '10:00',
      priority: 'urgent',
    }))
    for (const value of values) await host.call('items_create', value)
    for (let n = 0; n < 25; n++)
      await host.command('project create', { key: `P${n}`, name: 'A project with quite a long name '.repeat(3) })
    const overview = await host.call('me_overview')
    assert.equal(overview.projects.length, 20)
    assert.equal(overview.more_projects, 7)
    assert.equal(overview.open_tasks.length, 7)
    assert.equal(overview.recent_activity.length, 5)
    // About 1,300 tokens.
    assert.ok(JSON.stringify(overview).length < 5500, `${JSON.stringify(overview).length} characters`)
    assert.equal((await host.statements(() => host.call('me_overview'))).length, 1)
  })

  verifies('me_overview.content', 'archived items and projects are left out', async () => {
    const host = await start()
    await create(host, 'Archived')
    await host.call('items_patch', { item_ref: 'APP#1', archived_at: '2026-03-01T00:00:00Z' })
    await host.command('project create', { key: 'OLD', name: 'Old' })
    await host.call('items_create', { project_key: 'OLD', title: 'In an archived project' })
    await host.sql`update projects.projects set archived_at = now() where key = 'OLD'`
    const { projects, open_tasks } = await host.call('me_overview')
    assert.deepEqual(
      projects.map((project: { key: string }) => project.key),
      ['INBOX', 'APP'],
    )
    assert.deepEqual(open_tasks, [])
  })

  verifies(
    'ownership.invisible',
    'it neither shows nor counts data that the caller or the credential may not see',
    async () => {
      const host = await start()
      await create(host, 'Secret', { due_date: '2026-02-01' })
      const other = await host.user('other@example.com')
      const theirs = JSON.stringify(await other.call('me_overview'))
      assert.ok(!theirs.includes('APP') && !theirs.includes('Secret'))
      const [inbox] = await host.sql<{
        id: string
      }>`select id from projects.projects where owner_id = ${host.userId} and is_inbox`
      const limited = await host.credential({ projects: [inbox!.id] })
      const { projects, open_tasks, recent_activity, weekly_pace } = await limited.call('me_overview')
      assert.deepEqual([projects.length, open_tasks.length, recent_activity.length], [1, 0, 0])
      assert.deepEqual(busyWeeks(weekly_pace), [])
    },
  )

  verifies('me_overview.content', 'other plugins add sections to the same statement', async t => {
    const section = overviewSections({
      name: 'weather',
      schema: Type.Object({ today: Type.String() }),
      sql: (_ctx, { today }) => sql`select json_build_object('today', ${today}::text)`,
    })
    const empty = overviewSections({ name: 'nothing', schema: Type.String(), sql: () => sql`select null::text` })
    const plugin = definePlugin({
      name: 'weather',
      version: '1.0.0',
      api: 1,
      group: 'workspace',
      dependsOn: ['workspace'],
      contributes: [section, empty],
    })
    const host = await testHost(t, { engine, now, plugins: [plugin] })
    const overview = await host.call('me_overview')
    assert.deepEqual(overview.weather, { today: '2026-03-02' })
    assert.ok(!('nothing' in overview))
    assert.equal((await host.statements(() => host.call('me_overview'))).length, 1)
  })
})
