import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestCaller, TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { deleteUser } from '../../../core/identity/delete-user.ts'
import { setEmail } from '../../../core/identity/users.ts'
import { acceptInvitation, readInvitations } from '../../../plugins/projects/index.ts'
import { emptiedHost } from '../../shared-host.ts'
import { verifies } from '../../verifies.ts'

const DAY = 86_400_000
const BOB = 'bob@example.com'
const OWNER = 'owner@example.com'
const THEIRS = `${OWNER}/APP`

forEachEngine('invitations to a project', engine => {
  let time = Date.parse('2026-06-01T09:00:00Z')
  const limits = { invitations_per_day: 8, pending_invitations: 4, pending_from_one: 3, members_per_project: 6 }
  const config = { plugins: { project_admin: {}, projects: { ...limits, memberships: 2 } } }
  const empty = emptiedHost(engine, { config, now: () => new Date(time) })

  /** Creates projects of the owner with one item each, and a user without memberships. */
  const start = async (...keys: readonly string[]): Promise<{ host: TestHost; bob: TestCaller }> => {
    const host = await empty()
    const bob = await host.user(BOB)
    for (const key of ['APP', ...keys]) {
      await host.call('projects_create', { key, name: `Secret plan ${key}` })
      await host.call('items_create', { project_key: key, title: 'Secret item', detail: 'Secret' })
    }
    return { host, bob }
  }
  const invite = (caller: TestCaller, email = BOB, project_key = 'APP', role: 'editor' | null = 'editor') =>
    caller.call('project_members_set', { project_key, email, role })
  const tasuki = async (host: TestHost, line: string, user = BOB): Promise<string> => {
    const [one, two, ...values] = line.split(' ')
    const name = `${one} ${two}`
    const { positional = [] } = host.registry.commands.get(name)!
    const args = Object.fromEntries(values.map((value, n) => [positional[n]!, value]))
    const { text, rows } = await host.command(name, { ...args, user })
    return text ?? JSON.stringify(rows)
  }
  const open = async (host: TestHost, user = BOB): Promise<string[]> => {
    const rows = JSON.parse(await tasuki(host, 'project invitations', user)) as { project: string }[]
    return rows.map(({ project }) => project)
  }
  const keys = async (caller: TestCaller): Promise<string[]> =>
    (await caller.call('projects_list')).projects.map(({ key }: { key: string }) => key)

  verifies('sharing.consent', 'until it is accepted, nothing of the project reaches the invited person', async () => {
    const { host, bob } = await start()
    await bob.call('items_create', { project_key: 'INBOX', title: 'Own item' })
    const look = async (): Promise<string> => {
      const answers: unknown[] = []
      for (const [tool, args] of [
        ['me_overview', {}],
        ['projects_list', { include_archived: true }],
        ['tasks_list', { include_total: true }],
        ['query', { q: 'secret' }],
        ['items_grep', { pattern: 'Secret' }],
        ['items_facet', { facet_by: 'project' }],
        ['workflow_states_list', {}],
        ['items_get', { item_ref: 'APP#1' }],
        ['items_get', { item_ref: `${THEIRS}#1` }],
        ['tasks_list', { project_key: 'APP' }],
      ] as const) {
        const answer = await bob.call(tool, args).catch(({ code, allowed }) => ({ code, allowed }))
        // Conversations record his own calls, so they are excluded.
        answers.push({ ...answer, conversations: undefined })
      }
      return JSON.stringify(answers)
    }
    const before = await look()
    const sent = await host.statements(look)
    await invite(host)
    assert.equal(await look(), before)
    assert.deepEqual(await host.statements(look), sent)
    assert.doesNotMatch(before, /APP#|Secret|owner@/)
    const { notifications } = await bob.call('notifications_list')
    assert.deepEqual(
      notifications.map(({ kind, title }: { kind: string; title: string }) => [kind, title]),
      [['project.invited', 'You are invited to a project']],
    )
    assert.doesNotMatch(JSON.stringify(notifications), /APP|[Ss]ecret|owner@/)
    assert.deepEqual(await open(host), [THEIRS])
    await assert.rejects(tasuki(host, 'project accept APP'), {
      help: { field: 'project', hint: `Name its owner too: ${THEIRS}.` },
    })
    await tasuki(host, `project accept ${THEIRS}`)
    assert.deepEqual(await keys(bob), ['INBOX', 'APP'])
    assert.equal((await bob.call('items_get', { item_ref: 'APP#1' })).item.title, 'Secret item')
    assert.deepEqual(await open(host), [])
    assert.deepEqual((await bob.call('notifications_list')).notifications, [])
    await assert.rejects(tasuki(host, `project accept ${THEIRS}`), { code: 'not_found' })
  })

  verifies(
    'sharing.same_answer',
    'the answer is the same for an address without account, of whom it waits',
    async () => {
      const { host } = await start()
      const known = await invite(host)
      await invite(host, BOB, 'APP', null)
      const unknown = await invite(host, 'Later@Example.com')
      assert.deepEqual(JSON.parse(JSON.stringify(unknown).replaceAll('later@', 'bob@')), known)
      assert.deepEqual(known.invited, [{ email: BOB, role: 'editor' }])
      const later = await host.user('later@example.com')
      assert.equal((await later.call('notifications_list')).notifications[0].kind, 'project.invited')
      await tasuki(host, `project accept ${THEIRS}`, 'later@example.com')
      assert.deepEqual(await keys(later), ['INBOX', 'APP'])
      assert.deepEqual((await invite(host, BOB)).members, [
        { email: 'later@example.com', name: 'later', role: 'editor' },
      ])
    },
  )

  verifies(
    'sharing.consent',
    'a declined invitation cannot be repeated for a while, and the owner is not notified',
    async () => {
      const { host, bob } = await start('LAB')
      const response = await invite(host)
      await invite(host, BOB, 'LAB')
      await tasuki(host, `project decline ${THEIRS}`)
      assert.deepEqual(await open(host), [])
      assert.deepEqual(await invite(host), { ...response, changed: [] })
      await invite(host, BOB, 'APP', null)
      const sent = await host.statements(() => invite(host))
      assert.deepEqual(await open(host), [])
      assert.deepEqual(await keys(bob), ['INBOX'])
      assert.deepEqual(await host.statements(() => invite(host, 'nobody@example.com')), sent)
      // Other owners may invite, and the same owner may invite again later.
      const eve = await host.user('eve@example.com')
      await eve.call('projects_create', { key: 'WEB', name: 'Web' })
      await invite(eve, BOB, 'WEB')
      assert.deepEqual(await open(host), ['eve@example.com/WEB'])
      time += 91 * DAY
      await invite(host)
      assert.deepEqual(await open(host), [THEIRS])
    },
  )

  verifies('sharing.consent', 'they expire, and can be withdrawn or changed before', async () => {
    const { host, bob } = await start()
    await invite(host)
    const viewer = await host.call('project_members_set', { project_key: 'APP', email: BOB, role: 'viewer' })
    assert.deepEqual([viewer.invited, viewer.changed], [[{ email: BOB, role: 'viewer' }], ['invited']])
    assert.deepEqual((await invite(host, BOB, 'APP', null)).invited, [])
    assert.deepEqual(await open(host), [])
    await invite(host)
    time += 14 * DAY
    assert.deepEqual(await open(host), [])
    assert.equal(await tasuki(host, 'project members APP', OWNER), '[]')
    await host.write(ctx => host.registry.jobs.find(({ name }) => name === 'projects.sweep')!.run(ctx, {}))
    assert.deepEqual(await host.sql`select 1 from projects.invitations`, [])
    assert.match(await tasuki(host, `project invite APP ${BOB}`, OWNER), /is invited to APP/)
    assert.match(await tasuki(host, 'project members APP', OWNER), /"invited"/)
    await tasuki(host, `project accept ${THEIRS}`)
    assert.match(await tasuki(host, 'project members APP', OWNER), /"member"/)
    assert.deepEqual((await bob.call('notifications_list')).notifications, [])
  })

  verifies(
    'sharing.limits',
    'their number is limited: of an owner, of a project, of a person and of memberships',
    async () => {
      const { host, bob } = await start('LAB', 'OPS', 'WEB')
      for (const key of ['APP', 'LAB', 'OPS', 'WEB']) await invite(host, BOB, key)
      // One more than the number of invitations from one owner that a person sees; the owner gets the same answer.
      assert.deepEqual((await invite(host, BOB, 'WEB')).invited, [{ email: BOB, role: 'editor' }])
      assert.deepEqual(
        await open(host),
        ['APP', 'LAB', 'OPS'].map(key => `${OWNER}/${key}`),
      )
      for (const name of ['eve', 'mallory']) {
        const other = await host.user(`${name}@example.com`)
        await other.call('projects_create', { key: 'APP', name: 'Other' })
        await invite(other)
      }
      assert.deepEqual(await open(host), [
        ...['APP', 'LAB', 'OPS'].map(key => `${OWNER}/${key}`),
        'eve@example.com/APP',
      ])
      assert.equal((await bob.call('notifications_list')).notifications.length, 1)
      await tasuki(host, `project accept ${THEIRS}`)
      await tasuki(host, 'project accept eve@example.com/APP')
      await assert.rejects(tasuki(host, `project accept ${OWNER}/LAB`), { code: 'limit_exceeded' })
      assert.equal((await open(host)).length, 2)
      for (const n of [1, 2, 3, 4, 5]) await invite(host, `n${n}@example.com`)
      await assert.rejects(invite(host, 'n6@example.com', 'LAB'), { code: 'rate_limited', field: 'email' })
      // A withdrawn invitation still counts.
      await invite(host, 'n5@example.com', 'APP', null)
      await assert.rejects(invite(host, 'n6@example.com'), { code: 'rate_limited' })
      time += DAY + 1
      await invite(host, 'n6@example.com')
      await assert.rejects(invite(host, 'n7@example.com'), { code: 'limit_exceeded', field: 'email' })
    },
  )

  test('a person whose account was deleted meanwhile becomes no member', async () => {
    const { host } = await start()
    const person = await host.write(ctx => ctx.users.require(BOB))
    await host.write(ctx => deleteUser(ctx, person))
    // The address may be invited again.
    await invite(host)
    const [invitation] = await host.write(ctx => readInvitations(ctx, BOB))
    await assert.rejects(
      host.write(ctx => acceptInvitation(ctx, person, invitation!.id)),
      { code: 'not_found' },
    )
    assert.deepEqual(await host.sql`select user_id from projects.members where user_id = ${person.id}`, [])
  })

  verifies('sharing.end', 'a member leaves, or the owner removes; a change of the role holds at once', async () => {
    const { host, bob } = await start()
    await invite(host)
    await host.write(ctx => acceptAll(ctx, BOB))
    await bob.call('items_patch', { item_ref: 'APP#1', priority: 'high' })
    await host.call('project_members_set', { project_key: 'APP', email: BOB, role: 'viewer' })
    await assert.rejects(bob.call('items_patch', { item_ref: 'APP#1', priority: 'low' }), { code: 'forbidden' })
    await tasuki(host, `project leave ${THEIRS}`)
    assert.deepEqual(await keys(bob), ['INBOX'])
    await assert.rejects(tasuki(host, `project leave ${THEIRS}`), { code: 'not_found' })
    await assert.rejects(tasuki(host, `project leave ${THEIRS}`, OWNER), { code: 'invalid_argument' })
    await invite(host)
    await host.write(ctx => acceptAll(ctx, BOB))
    assert.match(await tasuki(host, `project remove-member APP ${BOB}`, OWNER), /^Removed/)
    await assert.rejects(bob.call('items_get', { item_ref: 'APP#1' }), { code: 'not_found' })
  })

  test('members know a project by the new address of its owner at once', async () => {
    const { host, bob } = await start()
    await invite(host)
    await host.write(ctx => acceptAll(ctx, BOB))
    await bob.call('projects_create', { key: 'APP', name: 'Own' })
    assert.deepEqual(await keys(bob), ['INBOX', 'APP', THEIRS])
    await host.write(async ctx => setEmail(ctx, await ctx.users.require(OWNER), 'new@example.com'))
    assert.deepEqual(await keys(bob), ['INBOX', 'APP', 'new@example.com/APP'])
    assert.equal((await bob.call('items_get', { item_ref: 'new@example.com/APP#1' })).item.ref, 'new@example.com/APP#1')
  })
})
