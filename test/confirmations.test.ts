import assert from 'node:assert/strict'
import { before } from 'node:test'
import { testHost, type TestCaller, type TestHost, type ToolFailure } from 'tasuki/testing'
import { suiteScope } from './core/suite-scope.ts'
import { forEachEngine } from './engines.ts'
import { callsToConfirm, type ToolCall } from './refused-calls.ts'
import type { ProjectRow } from '../plugins/projects/index.ts'
import { share as shareWith } from './members.ts'
import { verifies } from './verifies.ts'

const NO_RECORD = '01989898-0000-7000-8000-000000000000'

type Outcome =
  | { readonly asked: string }
  | { readonly refused: string }
  | { readonly changed: readonly (readonly string[] | string)[] }

/** Result of a call without confirmation: a question, a refusal, or the changes of each item. */
async function outcomeOf(caller: Pick<TestCaller, 'call'>, { tool, args }: ToolCall): Promise<Outcome> {
  const answer = await caller.call(tool, args).catch((error: unknown) => error)
  if (answer instanceof Error) {
    const { code, details } = answer as ToolFailure
    return code === 'confirmation_required' ? { asked: String(details['effect']) } : { refused: code }
  }
  const { results, succeeded } = answer as { results: Result[]; succeeded: number }
  if (succeeded === 0) return { refused: results.map(({ error }) => error!.code).join(' ') }
  return { changed: results.map(({ changed, error }) => changed ?? error!.code) }
}
interface Result {
  readonly changed?: string[]
  readonly error?: { readonly code: string }
}

forEachEngine('confirmations', engine => {
  const scope = suiteScope()
  let host: TestHost
  let viewer: TestCaller
  let refs: readonly string[]
  let foreign: string
  let own: string
  before(async () => {
    host = await testHost(scope, { engine, config: { plugins: { project_admin: true } } })
    await host.command('workflow copy', { name: 'Own' })
    await host.command('project create', { key: 'APP', name: 'App' })
    const owner = await host.user('other@example.com')
    viewer = await host.user('viewer@example.com')
    await host.command('project create', { key: 'THEIRS', name: 'Theirs', user: 'other@example.com' })
    refs = await Promise.all(Array.from({ length: 5 }, (_, n) => create(host, `Item ${n + 1}`)))
    refs = refs.toSorted((a, b) => Number(a.split('#')[1]) - Number(b.split('#')[1]))
    foreign = (await owner.call('items_create', { project_key: 'THEIRS', title: 'Not mine' })).item.ref
    await share('THEIRS', owner, 'editor', host)
    await share('APP', host, 'viewer', viewer)
    const { workflows } = await host.call('workflow_states_list', {})
    own = workflows.find((each: { is_system: boolean }) => !each.is_system).id
  })

  const create = async (caller: Pick<TestCaller, 'call'>, title: string, more: object = {}): Promise<string> =>
    (await caller.call('items_create', { project_key: 'APP', title, ...more })).item.ref
  const share = async (key: string, by: TestCaller, role: string, member: TestCaller): Promise<void> => {
    const [{ email }] = (await host.sql<{
      email: string
    }>`select email from core.users where id = ${member.userId}`) as [{ email: string }]
    const [project] = await host.sql<{ ownerId: string; id: string; key: string }>`
      select owner_id as "ownerId", id, key from projects.projects where owner_id = ${by.userId} and key = ${key}`
    await host.write(ctx => shareWith(ctx, project as ProjectRow, email, role as 'editor'))
  }
  const link = (source: string, target: string, relation_type: string): Promise<{ relation: { id: string } }> =>
    host.call('relations_create', { source_item_ref: source, target_item_ref: target, relation_type })
  const outcome = (tool: string, args: object): Promise<Outcome> => outcomeOf(host, { tool, args })

  const asking = (): string[] =>
    [...host.registry.tools.values()].flatMap(({ name, tool }) => (tool.confirm ? [name] : [])).toSorted()

  verifies('confirm.refused_first', 'an unknown record is refused without asking', async () => {
    const gone = ['APP#998', 'APP#999']
    const links = { member_refs: gone, relation_type: 'reference' }
    const calls: Readonly<Record<string, readonly (readonly [args: object, refused: string])[]>> = {
      discussions_delete: [[{ discussion_id: NO_RECORD }, 'not_found']],
      reminders_delete: [[{ reminder_id: NO_RECORD }, 'not_found']],
      relations_delete: [[{ relation_id: NO_RECORD }, 'not_found']],
      relations_bulk_create: [
        [{ ...links, counterpart_ref: 'APP#997' }, 'not_found'],
        [{ ...links, counterpart_ref: refs[0] }, 'not_found not_found'],
      ],
      relations_reassign: [
        [links, 'missing_argument'],
        [{ ...links, to_ref: 'APP#997' }, 'not_found'],
        [{ ...links, from_ref: 'APP#997', to_ref: refs[0] }, 'not_found'],
        [{ ...links, from_ref: refs[1], to_ref: refs[0] }, 'not_found not_found'],
        [{ ...links, member_refs: [refs[0]], from_ref: refs[1], to_ref: refs[1] }, 'invalid_argument'],
      ],
      items_bulk_patch: [
        [{ item_refs: gone, priority: 'low' }, 'not_found not_found'],
        [{ item_refs: refs.slice(0, 2) }, 'missing_argument'],
      ],
      items_move_project: [
        [{ item_refs: gone, to_project: 'INBOX' }, 'not_found not_found'],
        [{ item_refs: refs.slice(0, 2), to_project: 'NOWHERE' }, 'not_found'],
      ],
      workflow_states_delete: [
        [{ workflow_id: own, state_id: 'nowhere' }, 'not_found'],
        [{ workflow_id: NO_RECORD, state_id: 'Done' }, 'not_found'],
        [{ workflow_id: 'Standard', state_id: 'Done' }, 'not_user_owned'],
      ],
      workflow_transitions_delete: [
        [{ workflow_id: own, transition_id: NO_RECORD }, 'not_found'],
        [{ workflow_id: NO_RECORD, transition_id: NO_RECORD }, 'not_found'],
      ],
    }
    assert.deepEqual(Object.keys(calls).toSorted(), asking())
    for (const [tool, cases] of Object.entries(calls))
      for (const [args, refused] of cases)
        assert.deepEqual(await outcome(tool, args), { refused }, `${tool} ${JSON.stringify(args)}`)
  })

  verifies('confirm.refused_first', 'a missing permission is refused without asking', async () => {
    const [a, b] = [await create(host, 'seen'), await create(host, 'seen too')]
    const { relation } = await link(a, b, 'reference')
    const parent = await create(host, 'above')
    await host.call('items_patch', { item_ref: a, parent })
    const { relations } = await host.call('relations_list', { item_ref: a })
    const child = relations.find((each: { relation_type: string }) => each.relation_type === 'parent').id
    const discussion = (await host.call('discussions_create', { item_ref: a, body: 'x' })).discussion.id
    const reminder = (await host.call('reminders_create', { item_ref: a, remind_at: '2099-01-01T00:00:00Z' })).reminder
      .id
    const links = { member_refs: [a, b], relation_type: 'enriches' }
    const calls: readonly ToolCall[] = [
      { tool: 'relations_delete', args: { relation_id: relation.id } },
      { tool: 'relations_delete', args: { relation_id: child } },
      { tool: 'discussions_delete', args: { discussion_id: discussion } },
      { tool: 'reminders_delete', args: { reminder_id: reminder } },
      { tool: 'relations_bulk_create', args: { ...links, counterpart_ref: parent } },
      { tool: 'relations_reassign', args: { ...links, to_ref: parent } },
      { tool: 'items_bulk_patch', args: { item_refs: [a, b], priority: 'low' } },
      { tool: 'items_move_project', args: { item_refs: [a, b], to_project: 'INBOX' } },
    ]
    for (const call of calls) {
      const found = await outcomeOf(viewer, call)
      assert.ok(
        'refused' in found && /^forbidden( forbidden)?$/.test(found.refused),
        `${call.tool} ${JSON.stringify(found)}`,
      )
    }
    const stale = { meta: { ifUpdatedAt: '2020-01-01T00:00:00Z' } }
    await assert.rejects(host.call('discussions_delete', { discussion_id: discussion }, stale), { code: 'stale_write' })
  })

  verifies('confirm.real_changes', 'a call that changes nothing answers without asking', async () => {
    const [a, b, c, d] = refs as [string, string, string, string]
    await link(a, c, 'duplicate')
    await link(b, c, 'duplicate')
    for (const item_ref of [a, b]) await host.call('items_patch', { item_ref, parent: d })
    const nothing = { changed: [[], []] }
    const members = { member_refs: [a, b] }
    const cases: readonly ToolCall[] = [
      { tool: 'relations_bulk_create', args: { ...members, counterpart_ref: c, relation_type: 'duplicate' } },
      { tool: 'relations_bulk_create', args: { ...members, counterpart_ref: d, relation_type: 'parent' } },
      { tool: 'relations_reassign', args: { ...members, to_ref: c, relation_type: 'duplicate' } },
      { tool: 'relations_reassign', args: { ...members, from_ref: c, relation_type: 'enriches' } },
      { tool: 'relations_reassign', args: { ...members, from_ref: c, relation_type: 'parent' } },
      { tool: 'relations_reassign', args: { ...members, from_ref: c, to_ref: d, relation_type: 'parent' } },
      { tool: 'items_bulk_patch', args: { item_refs: [a, b], kind: 'task' } },
      { tool: 'items_move_project', args: { item_refs: [a, b], to_project: 'APP' } },
    ]
    const readNotices = (): Promise<unknown[]> =>
      Promise.all([a, b, c, d].map(async item_ref => (await host.call('activities_list', { item_ref })).activities))
    const before = await readNotices()
    for (const call of cases) assert.deepEqual(await outcomeOf(host, call), nothing, JSON.stringify(call))
    const some = { member_refs: [a, 'APP#999', c], counterpart_ref: c, relation_type: 'duplicate' }
    assert.deepEqual(await outcome('relations_bulk_create', some), { changed: [[], 'not_found', 'invalid_argument'] })
    assert.deepEqual(await readNotices(), before)
  })

  verifies(
    'confirm.real_changes',
    'the question counts the changes, and gives each reason for failures once',
    async () => {
      const [a, b, c, d, e, f] = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(title => create(host, title)))
      const many = [a, b, c, 'APP#998', 'APP#999', a] as string[]
      await link(a!, d!, 'reference')
      assert.deepEqual(
        await outcome('relations_bulk_create', { member_refs: many, counterpart_ref: d, relation_type: 'reference' }),
        {
          asked: `Add the relation reference from 2 of 6 items (${b}, ${c}) to ${d}; 3 cannot be changed: There is no item APP#998, APP#999; ${a} is named twice`,
        },
      )
      const targets = { member_refs: [b, c], counterpart_ref: d, relation_type: 'enriches', member_role: 'target' }
      assert.deepEqual(await outcome('relations_bulk_create', targets), {
        asked: `Add the relation enriches from ${d} to 2 of 2 items (${b}, ${c})`,
      })
      assert.deepEqual(
        await outcome('relations_reassign', {
          member_refs: [a, b, e],
          from_ref: d,
          to_ref: e,
          relation_type: 'reference',
        }),
        {
          asked: `Remove the relation reference from 1 of 3 items (${a}) to ${d}; add the relation reference from 1 of 3 items (${a}) to ${e}; 2 cannot be changed: ${b}, ${e} has no relation reference to ${d}`,
        },
      )
      await host.call('items_patch', { item_ref: a, parent: e })
      await host.call('items_patch', { item_ref: f, parent: a })
      const under = { member_refs: [a, b], relation_type: 'parent' }
      assert.deepEqual(await outcome('relations_reassign', { ...under, to_ref: d }), {
        asked: `Add the relation parent from 2 of 2 items (${a}, ${b}) to ${d}; this replaces the parent ${e} of ${a}`,
      })
      assert.deepEqual(await outcome('relations_bulk_create', { ...under, counterpart_ref: f }), {
        asked: `Add the relation parent from 1 of 2 items (${b}) to ${f}; 1 cannot be changed: ${f} lies below ${a}`,
      })
      assert.deepEqual(await outcome('relations_reassign', { ...under, from_ref: e }), {
        asked: `Remove the relation parent from 1 of 2 items (${a}) to ${e}`,
      })
      assert.deepEqual(
        await outcome('relations_bulk_create', {
          member_refs: [a, foreign],
          counterpart_ref: d,
          relation_type: 'enriches',
        }),
        {
          asked: `Add the relation enriches from 1 of 2 items (${a}) to ${d}; 1 cannot be changed: ${foreign} and ${d} belong to different owners and cannot be linked`,
        },
      )
      assert.deepEqual(
        await outcome('relations_bulk_create', {
          member_refs: [a, b],
          counterpart_ref: foreign,
          relation_type: 'enriches',
        }),
        { refused: 'invalid_argument invalid_argument' },
      )
      await host.call('sprints_create', { project_key: 'APP', name: 'Only here' })
      await host.call('sprints_add_item', { project_key: 'APP', sprint: 'Only here', item_ref: a })
      const moved = await outcome('items_move_project', {
        item_refs: [a, 'APP#998', 'APP#999', foreign],
        to_project: 'INBOX',
      })
      assert.match(
        (moved as { asked: string }).asked,
        new RegExp(
          `^Move ${a} to INBOX, which lacks what they lose: ${a} .*Only here.*; 3 cannot move: There is no item APP#998, APP#999; ${foreign} and the project INBOX belong to different owners$`,
        ),
      )
    },
  )

  verifies('confirm.real_changes', 'every tool that asks names its effect, and does exactly that', async () => {
    const calls = await callsToConfirm((tool, args) => host.call(tool, args))
    const toolNames = new Set(calls.map(({ tool }) => tool))
    assert.deepEqual(
      asking().filter(name => !toolNames.has(name)),
      ['items_move_project'],
    )
    for (const { tool, args } of calls) {
      const found = await outcomeOf(host, { tool, args })
      assert.ok('asked' in found, `${tool} ${JSON.stringify(found)}`)
      assert.match(found.asked, /(INBOX#\d+|Unused of|From of)/, `${tool}: ${found.asked}`)
      const done = await host.confirmed(tool, args)
      assert.ok(done.deleted === true || done.failed === 0, tool)
    }
  })

  verifies('confirm.real_changes', 'the statements of a question do not grow with the members', async t => {
    const items = await Promise.all(Array.from({ length: 8 }, (_, n) => create(host, `Many ${n}`)))
    for (const relation_type of ['enriches', 'parent']) {
      const ask = (count: number): Promise<string[]> =>
        host.statements(() =>
          outcome('relations_bulk_create', {
            member_refs: items.slice(0, count),
            counterpart_ref: items[7],
            relation_type,
          }),
        )
      const [few, many] = [await ask(2), await ask(7)]
      assert.equal(many.length, few.length)
      t.diagnostic(`${relation_type}: ${few.length} statements`)
      assert.ok(few.length <= 12, `${relation_type}: ${few.length}`)
    }
  })
})
