import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMentioned } from '../../../plugins/code_refs/mentions.ts'
import type { TestCaller, ToolFailure } from 'tasuki/testing'
import { sharedHost, type Newcomer } from '../../shared-host.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { adminHost } from './admin.ts'

type Item = Record<string, unknown>
interface Moved {
  readonly ref?: string
  readonly ok: boolean
  readonly changed?: string[]
  readonly mapped?: { field: string; from: unknown; to?: unknown }[]
  readonly lost?: { field: string; from: unknown; to?: unknown }[]
  readonly error?: { code: string; message: string }
}

forEachEngine('items_move_project', engine => {
  const shared = sharedHost(engine, { config: { plugins: { project_admin: {} } } })

  const start = async (): Promise<Newcomer> => {
    const user = await shared.newUser()
    await user.createProject('OLD')
    await user.createProject('NEW')
    return user
  }
  const create = async (user: Newcomer, args: object): Promise<string> =>
    (await user.call('items_create', { project_key: 'OLD', title: 'Task', ...args })).item.ref
  const move = (user: Newcomer, refs: string | string[], more: object = {}): ReturnType<TestCaller['call']> =>
    user.call('items_move_project', { item_refs: [refs].flat(), to_project: 'NEW', ...more })
  const moveOne = async (user: Newcomer, ref: string, more: object = {}): Promise<Moved> =>
    (await move(user, ref, more)).results[0]
  /** Moves items and confirms the loss of data. @returns the result, and the sentence of the question */
  const moveConfirmed = async (user: Newcomer, refs: string[], more: object = {}) => {
    const asked = (await move(user, refs, more).then(
      () => assert.fail('nobody was asked'),
      (error: unknown) => error,
    )) as ToolFailure
    assert.equal(asked.code, 'confirmation_required')
    const { confirm_token } = asked.details as { confirm_token: string }
    const { results } = await move(user, refs, { ...more, confirm_token })
    return { effect: String(asked.details['effect']), results: results as Moved[] }
  }
  const get = async (user: Newcomer, ref: string): Promise<Item> =>
    (await user.call('items_get', { item_ref: ref })).item

  verifies(
    'items_move_project.number',
    'the number stays, and references by a former project resolve everywhere',
    async () => {
      const user = await start()
      const ref = await create(user, { title: 'Fix the door', detail: 'It creaks' })
      const child = await create(user, { parent: ref })
      const moved = await moveOne(user, ref)
      const number = ref.split('#')[1]
      assert.deepEqual(moved, { item_ref: ref, ok: true, ref: `NEW#${number}`, changed: ['project'] })
      for (const name of [ref, `old#${number}`, `NEW#${number}`, `#${number}`, `${user.email}/OLD#${number}`])
        assert.equal((await get(user, name))['ref'], `NEW#${number}`, name)
      assert.equal((await get(user, child))['parent_ref'], `NEW#${number}`)
      assert.equal((await user.call('items_context_get', { item_ref: ref })).item.ref, `NEW#${number}`)
      assert.equal((await user.call('items_patch', { item_ref: ref, priority: 'high' })).item.ref, `NEW#${number}`)
      const linked = await create(user, {})
      const ends = { source_item_ref: linked, target_item_ref: ref }
      await user.call('relations_create', { ...ends, relation_type: 'reference' })
      for (const key of ['OLD', 'NEW'])
        for (const [filter, found] of [
          ['ref', `NEW#${number}`],
          ['parent', child],
          ['relates', linked],
        ]) {
          const { items } = await user.call('tasks_list', { q: `${filter}:${key}#${number}` })
          assert.deepEqual(
            items.map((item: Item) => item['ref']),
            [found],
            `${filter} ${key}`,
          )
        }
      const { activities } = await user.call('activities_list', { item_ref: ref, kind: 'item.moved' })
      assert.deepEqual(
        activities.map(({ kind, from, to, tool }: Item) => [kind, from, to, tool]),
        [['item.moved', 'OLD', 'NEW', 'items_move_project']],
      )
      const mentioned = await shared.write(async ctx => {
        const project = await ctx.db
          .selectFrom('projects.projects')
          .select('id')
          .where('owner_id', '=', user.userId)
          .where('key', '=', 'NEW')
          .executeTakeFirstOrThrow()
        return findMentioned(ctx, { ownerId: user.userId, projectId: project.id }, [ref, `INBOX#${number}`])
      })
      assert.deepEqual(
        mentioned.map(each => [each.ref, each.names]),
        [],
      )
      const refused = { code: 'not_found', allowed: [`NEW#${number}`] }
      await assert.rejects(get(user, `INBOX#${number}`), refused)
      // After the move back, the first key is the item's own key again, and the second is a former key.
      await user.call('items_move_project', { item_refs: [ref], to_project: 'OLD' })
      assert.equal((await get(user, `NEW#${number}`))['ref'], ref)
      await assert.rejects(get(user, `INBOX#${number}`), { code: 'not_found', allowed: [ref] })
      const { items } = await user.call('tasks_list', { project_key: 'OLD' })
      assert.deepEqual(
        items.map((item: Item) => item['ref']),
        [ref, child, linked],
      )
      assert.equal((await user.call('query', { q: 'creaks' })).items[0].ref, ref)
    },
  )

  verifies(
    'items_move_project.mapped',
    'state, sprint, version, area, labels, fields and folder are kept by name, without asking',
    async () => {
      const user = await start()
      for (const project_key of ['OLD', 'NEW']) {
        await user.call('sprints_create', { project_key, name: 'S1' })
        await user.call('versions_create', { project_key, name: '1.0' })
        await user.call('project_areas_create', { project_key, name: 'Backend' })
        await user.call('project_areas_create', { project_key, name: 'API', parent_path: 'Backend' })
        await user.call('project_custom_fields_create', { project_key, label: 'Customer' })
      }
      await user.call('project_labels_create', { project_key: 'OLD', name: 'urgent', color_hex: '#ff0000' })
      await user.call('project_labels_create', { project_key: 'NEW', name: 'Bug' })
      const ref = await create(user, {
        sprint: 's1',
        version: '1.0',
        area_path: 'Backend/API',
        labels: ['bug', 'urgent'],
      })
      await user.call('items_set_custom_fields', { item_ref: ref, custom_fields: { customer: 'Acme' } })
      await user.call('items_move_state', { item_ref: ref, status_definition_id: 'In review' })
      await user.call('checklist_add', { item_ref: ref, content: 'Step' })
      await user.call('agile_meta_patch', { item_ref: ref, estimate: '3' })
      const moved = await moveOne(user, ref)
      assert.equal(moved.lost, undefined)
      assert.deepEqual(
        moved.mapped?.toSorted((a, b) => (a.field < b.field ? -1 : 1)),
        [
          { field: 'area', from: 'Backend/API', to: 'Backend/API' },
          { field: 'custom_fields.customer', from: 'Acme', to: 'Acme' },
          { field: 'labels', from: ['urgent', 'bug'], to: ['urgent', 'Bug'] },
          { field: 'sprint', from: 'S1', to: 'S1' },
          { field: 'version', from: '1.0', to: '1.0' },
        ],
      )
      assert.deepEqual(moved.changed, ['project', 'labels'])
      const item = await get(user, ref)
      assert.deepEqual(
        [
          item['area_path'],
          item['sprint_path'],
          item['version_name'],
          item['labels'],
          item['status'],
          item['estimate'],
        ],
        ['Backend/API', 'S1', '1.0', ['Bug', 'urgent'], 'In review', '3'],
      )
      assert.equal((item['custom_fields'] as Item[])[0]!['value'], 'Acme')
      const { items } = await user.call('tasks_list', { project_key: 'NEW', q: 'sprint:s1 version:1.0 label:urgent' })
      assert.equal(items.length, 1)
      const { labels } = await user.call('project_labels_list', { project_key: 'NEW' })
      const urgent = labels.find(({ name }: Item) => name === 'urgent')
      assert.deepEqual([urgent.color_hex, urgent.item_count], ['#ff0000', 1])
      const note = (await user.call('notes_create', { project_key: 'OLD', title: 'Note', body: '' })).item.ref
      for (const key of ['OLD', 'NEW']) {
        const of = (await user.call('notes_create', { project_key: key, title: 'Other', body: '' })).item.ref
        await shared.command('note place', { ref: of, path: 'Docs/API', user: user.email })
      }
      await shared.command('note place', { ref: note, path: 'Docs/API', user: user.email })
      assert.deepEqual((await moveOne(user, note)).mapped, [{ field: 'folder', from: 'Docs/API', to: 'Docs/API' }])
      const tree = await user.call('library_tree_get', { project_key: 'NEW' })
      assert.equal(tree.library.folders[0].folders[0].notes.length, 2)
    },
  )

  verifies(
    'items_move_project.lost',
    'losses are listed first, need consent, and are recorded in the history',
    async () => {
      const user = await start()
      const project_key = 'OLD'
      await user.call('sprints_create', { project_key, name: 'S1' })
      await user.call('versions_create', { project_key, name: '1.0' })
      await user.call('project_areas_create', { project_key, name: 'Backend' })
      await user.call('project_custom_fields_create', { project_key, label: 'Customer' })
      await shared.command('project kinds', { key: 'OLD', set: 'spike', user: user.email })
      await user.call('projects_update', { project_key: 'NEW', estimate_unit: 'hours' })
      const ref = await create(user, { sprint: 'S1', version: '1.0', area_path: 'Backend', kind: 'spike' })
      await user.call('items_set_custom_fields', { item_ref: ref, custom_fields: { customer: 'Acme' } })
      await user.call('agile_meta_patch', { item_ref: ref, estimate: '3' })
      const plain = await create(user, {})
      const lost = [
        { field: 'area', from: 'Backend' },
        { field: 'custom_fields.customer', from: 'Acme' },
        { field: 'estimate', from: '3 points' },
        { field: 'kind', from: 'spike', to: 'task' },
        { field: 'sprint', from: 'S1' },
        { field: 'version', from: '1.0' },
      ]
      const sorted = (fields: Moved['lost'] = []) => fields.toSorted((a, b) => (a.field < b.field ? -1 : 1))
      const preview = await move(user, [ref, plain], { dry_run: true })
      assert.equal(preview.dry_run, true)
      assert.deepEqual(sorted(preview.results[0].lost), lost)
      assert.equal((await get(user, ref))['ref'], ref)
      const { effect, results } = await moveConfirmed(user, [ref, plain], { reason: 'Triage' })
      assert.ok(effect.startsWith(`Move ${ref}, ${plain} to NEW, which lacks what they lose: ${ref} `), effect)
      for (const words of [
        'sprint S1',
        'version 1.0',
        'area Backend',
        'custom_fields.customer Acme',
        'estimate "3 points"',
      ])
        assert.ok(effect.includes(words), words)
      assert.ok(effect.includes('kind spike (becomes task)'))
      assert.deepEqual(sorted(results[0]!.lost), lost)
      assert.equal(results[1]!.lost, undefined)
      const item = await get(user, ref)
      for (const field of ['area_path', 'sprint_path', 'version_name', 'custom_fields', 'estimate'])
        assert.equal(item[field] ?? undefined, undefined, field)
      assert.equal(item['agile_kind'], 'task')
      const { activities } = await user.call('activities_list', { item_ref: ref, limit: 10 })
      // Newest first, so the first entry of a kind is the one of the move.
      const kept = new Map(activities.toReversed().map((each: Item) => [each['kind'], each['from']]))
      assert.equal(kept.get('item.sprint.changed'), 'S1')
      assert.equal(kept.get('item.custom_fields.customer.changed'), 'Acme')
      assert.ok(activities.every((each: Item) => each['kind'] !== 'item.moved' || each['reason'] === 'Triage'))
    },
  )

  test('writes that race with a move find the item by its old reference', async () => {
    const user = await start()
    for (let round = 0; round < 15; round++) {
      const ref = await create(user, {})
      const writes = [0, 1, 2, 3].flatMap(n => [
        user.call('items_patch', { item_ref: ref, detail_append: `line ${n}` }),
        user.call('items_complete', { item_ref: ref }),
      ])
      await Promise.all([move(user, ref), ...writes])
      const { item } = await user.call('items_get', { item_ref: ref })
      assert.deepEqual([item.project_key, item.detail.match(/line/g).length], ['NEW', 4])
    }
  })

  test('an item takes the state that means the same in the other workflow, completed or not', async () => {
    const user = await start()
    const { workflow } = await user.call('workflows_create', { name: `Flow ${user.email}` })
    await user.call('projects_update', { project_key: 'NEW', workflow_id: workflow.id })
    await user.call('workflow_states_update', { workflow_id: workflow.id, state_id: 'In review', name: 'Checking' })
    const review = await create(user, {})
    await user.call('items_move_state', { item_ref: review, status_definition_id: 'In review' })
    const done = await create(user, {})
    const { completed_at } = (await user.call('items_complete', { item_ref: done })).item
    const { results } = await move(user, [review, done])
    assert.deepEqual(results[0].mapped, [{ field: 'status', from: 'In review', to: 'Checking' }])
    assert.equal(results[1].mapped, undefined)
    assert.deepEqual(
      [(await get(user, review))['status'], (await get(user, done))['completed_at']],
      ['Checking', completed_at],
    )
    // The old workflow does not have this state.
    await user.call('items_move_state', { item_ref: done, status_definition_id: 'Checking' })
  })

  test('a completed item of a closed sprint loses its place in it, and the figures of the sprint stay', async () => {
    const user = await start()
    const sprint = { project_key: 'OLD', name: 'S1', start_date: '2026-06-01', end_date: '2026-06-14' }
    await user.call('sprints_create', sprint)
    await user.call('sprints_update', { project_key: 'OLD', sprint: 'S1', status: 'active' })
    const ref = await create(user, { sprint: 'S1' })
    await user.call('agile_meta_patch', { item_ref: ref, estimate: '5' })
    await user.call('items_complete', { item_ref: ref })
    await user.call('sprints_close', { project_key: 'OLD', sprint: 'S1' })
    const { results } = await moveConfirmed(user, [ref])
    assert.deepEqual(results[0]!.lost, [{ field: 'sprint', from: 'S1' }])
    const { sprints } = await user.call('sprints_list', { project_key: 'OLD' })
    assert.equal(sprints[0].velocity ?? sprints[0].done_points, 5)
  })

  test('files, history and comments are visible to members of the new project only', async () => {
    const user = await start()
    const [before, after] = [await shared.newUser(), await shared.newUser()]
    await user.share('OLD', before.email, 'editor')
    await user.share('NEW', after.email, 'viewer')
    const ref = await create(user, { title: 'Secret plan' })
    const file = { parent_kind: 'item', parent_ref: ref, filename: 'a.txt', mime_type: 'text/plain' }
    const { attachment } = await user.call('attachments_upload', { ...file, content_base64: 'aGVsbG8=' })
    await user.call('discussions_create', { item_ref: ref, body: 'Said', kind: 'fact' })
    await before.call('items_get', { item_ref: ref })
    // The caller may write to only one of the two projects.
    await assert.rejects(before.call('items_move_project', { item_refs: [ref], to_project: 'NEW' }), {
      code: 'not_found',
      field: 'to_project',
    })
    await moveOne(user, ref)
    await assert.rejects(before.call('items_get', { item_ref: ref }), { code: 'not_found' })
    await assert.rejects(before.call('attachments_get', { attachment_id: attachment.id }), { code: 'not_found' })
    assert.deepEqual((await before.call('me_overview', {})).recent_activity, [])
    assert.equal((await before.call('query', { q: 'secret plan' })).items.length, 0)
    // The caller never saw the former project, so its key must mean nothing to them.
    await assert.rejects(after.call('items_get', { item_ref: `${user.email}/${ref}` }), { code: 'not_found' })
    const found = await after.call('items_context_get', { item_ref: `${user.email}/${ref.replace('OLD', 'NEW')}` })
    assert.equal(found.item.title, 'Secret plan')
    assert.equal((await after.call('attachments_get', { attachment_id: attachment.id })).attachment.filename, 'a.txt')
    assert.equal((await after.call('query', { q: 'secret plan' })).items.length, 1)
    const refused = await move(after, ref.replace('OLD', 'NEW'), { to_project: 'INBOX' })
    assert.equal(refused.results[0].error.code, 'forbidden')
  })

  test('items of another owner, archived projects and unknown items are refused, and the others move', async () => {
    const user = await start()
    const other = await shared.newUser()
    await other.createProject('THEIRS')
    await other.share('THEIRS', user.email, 'editor')
    const ref = await create(user, {})
    const gone = `OLD#${Number(ref.split('#')[1]) + 100}`
    const theirs = await move(user, ref, { to_project: 'THEIRS' })
    assert.equal(theirs.results[0].error.code, 'invalid_argument')
    assert.match(theirs.results[0].error.message, /belong to different owners/)
    const { results, succeeded, failed } = await move(user, [ref, gone, ref])
    assert.deepEqual(
      [results[0].ok, results[1].error.code, results[2].error.code, succeeded, failed],
      [true, 'not_found', 'invalid_argument', 1, 2],
    )
    assert.deepEqual((await moveOne(user, ref)).changed, [])
    await user.call('projects_update', { project_key: 'OLD', archived: true })
    await assert.rejects(move(user, ref, { to_project: 'OLD' }), { code: 'invalid_argument', field: 'to_project' })
    const child = await create(user, { project_key: 'NEW', parent: ref })
    const { warnings } = await move(user, ref, { to_project: 'INBOX' })
    assert.match(warnings[0], /keeps 1 child in another project/)
    assert.equal((await get(user, child))['parent_ref'], ref.replace('OLD', 'INBOX'))
  })

  test('a credential that is limited to one of the projects moves nothing to the other', async () => {
    const host = await empty()
    for (const key of ['OLD', 'NEW']) await host.command('project create', { key, name: key })
    const [old] = await host.sql<{ id: string }>`select id from projects.projects where key = 'OLD'`
    const limited = await host.credential({ projects: [old!.id] })
    const { item } = await limited.call('items_create', { project_key: 'OLD', title: 'x' })
    await assert.rejects(limited.call('items_move_project', { item_refs: [item.ref], to_project: 'NEW' }), {
      code: 'not_found',
    })
  })
  const empty = adminHost(engine)

  test('25 items move with as many statements as 2', async () => {
    const user = await start()
    await user.call('sprints_create', { project_key: 'OLD', name: 'S1' })
    await user.call('sprints_create', { project_key: 'NEW', name: 'S1' })
    const refs: string[] = []
    for (let n = 0; n < 27; n++) refs.push(await create(user, { labels: ['a', `b${n}`], sprint: 'S1' }))
    const few = await shared.statements(() => move(user, refs.slice(0, 2)))
    const many = await shared.statements(() => move(user, refs.slice(2)))
    assert.equal(many.length, few.length)
    assert.ok(few.length <= 30, `${few.length} statements`)
  })

  verifies('items_move_project.triage', 'Inbox items are sorted into two projects in three calls', async () => {
    const user = await start()
    for (let n = 0; n < 12; n++) await create(user, { project_key: 'INBOX', title: `${n % 2 ? 'Home' : 'Work'} ${n}` })
    let calls = 0
    const call = (name: string, args: object) => {
      calls++
      return user.call(name, args)
    }
    const { items } = await call('tasks_list', { project_key: 'INBOX', limit: 50 })
    const of = (word: string): string[] =>
      items.flatMap(({ ref, title }: { ref: string; title: string }) => (title.startsWith(word) ? [ref] : []))
    for (const [word, to_project] of [
      ['Work', 'OLD'],
      ['Home', 'NEW'],
    ]) {
      const { succeeded } = await call('items_move_project', { item_refs: of(word!), to_project })
      assert.equal(succeeded, 6)
    }
    assert.equal(calls, 3)
    assert.deepEqual((await user.call('tasks_list', { project_key: 'INBOX' })).items, [])
  })

  verifies(
    'items_move_project.command',
    'the command moves an item, and shows what it would lose before it does',
    async () => {
      const user = await start()
      await user.call('sprints_create', { project_key: 'OLD', name: 'S1' })
      const ref = await create(user, { sprint: 'S1' })
      const run = (args: object = {}) =>
        shared.command('item move', { item_ref: ref, to_project: 'new', user: user.email, ...args })
      const shown = await run()
      assert.match(shown.text!, /^Nothing was moved/)
      assert.deepEqual(shown.rows, [{ field: 'sprint', what: 'lost', from: 'S1', to: '' }])
      assert.equal((await get(user, ref))['ref'], ref)
      const moved = (await get(user, ref))['ref'] as string
      assert.equal((await run({ yes: true })).text, `Moved ${moved}; it is ${moved.replace('OLD', 'NEW')} now.`)
      assert.match((await run()).text!, /is in NEW already/)
      assert.match((await run({ to_project: 'INBOX' })).text!, /it is INBOX#/)
      await assert.rejects(run({ item_ref: 'OLD#9999' }), { code: 'not_found' })
      await assert.rejects(run({ to_project: 'NONE' }), { code: 'not_found', message: /has no project NONE/ })
    },
  )
})
