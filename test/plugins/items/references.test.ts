import assert from 'node:assert/strict'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type ItemsUser } from './setup.ts'

/** Every tool that takes item references, each with arguments that would have an effect. */
const calls = (ref: string, other: string): [tool: string, args: object][] => [
  ['items_get', { item_ref: ref }],
  ['items_context_get', { item_ref: ref }],
  ['items_patch', { item_ref: ref, title: 'Taken' }],
  ['items_complete', { item_ref: ref }],
  ['items_move_state', { item_ref: ref, status_definition_id: 'Done' }],
  ['items_rewrite_detail', { item_ref: ref, new_detail: 'Taken' }],
  ['items_create', { project_key: 'INBOX', title: 'x', parent: ref }],
  ['items_bulk_patch_preview', { item_refs: [ref, other], title: 'Taken' }],
]

forEachEngine('item references', engine => {
  const { newUser } = itemsHost(engine)
  const setUp = async (): Promise<ItemsUser> => {
    const user = await newUser()
    await user.createProject('APP')
    await user.task('In the Inbox')
    await user.task({ project_key: 'APP', title: 'In a project' })
    return user
  }
  const titleOf = async (user: ItemsUser, ref: string): Promise<string> => (await user.get(ref))['title']

  verifies(
    ['conventions.item_ref_forms', 'refs.key_number', 'refs.bare_number', 'refs.inbox_key'],
    'KEY#n and #n name the same item, whatever its project',
    async () => {
      const user = await setUp()
      for (const ref of ['INBOX#1', '#1']) assert.equal(await titleOf(user, ref), 'In the Inbox')
      for (const ref of ['APP#2', '#2']) assert.equal(await titleOf(user, ref), 'In a project')
    },
  )

  verifies('refs.tolerant', 'case, width and blanks do not matter', async () => {
    const user = await setUp()
    for (const ref of ['app#2', 'ＡＰＰ＃２', ' App # 2 ', '＃2', '#0002']) {
      assert.equal(await titleOf(user, ref), 'In a project', ref)
    }
  })

  verifies('ownership.key_mismatch', 'a wrong key answers not_found with the right reference', async () => {
    const user = await setUp()
    await assert.rejects(user.get('INBOX#2'), {
      code: 'not_found',
      field: 'item_ref',
      message: 'There is no item INBOX#2.',
      hint: 'Its number belongs to APP#2.',
      allowed: ['APP#2'],
    })
  })

  verifies('refs.key_number', 'two references in one text are refused, and the last one is not suggested', async () => {
    const user = await setUp()
    for (const ref of ['INBOX#1, APP#2', 'INBOX#1,#2', '#1 #2', 'INBOX#1 and APP#2'])
      await assert.rejects(user.get(ref), {
        code: 'invalid_argument',
        hint: /^Write KEY#12, or #12 for an item of your own; listings show it as ref\.$/,
        allowed: undefined,
      })
  })

  verifies('refs.dash_hint', 'a dash instead of # is answered with the right form', async () => {
    const user = await setUp()
    await assert.rejects(user.get('app-2'), { code: 'not_found', hint: /APP#2/ })
    for (const ref of ['APP-1', 'APP-9']) await assert.rejects(user.get(ref), { code: 'not_found', allowed: undefined })
  })

  verifies(
    ['items_get.not_found', 'errors.names_value', 'errors.shape', 'errors.closed_codes'],
    'an invalid reference is refused, an unknown reference is not found',
    async () => {
      const user = await setUp()
      for (const ref of ['12', 'APP', '#', '#-1', 'APP#x', 'https://example.com/#', '#1234567890']) {
        await assert.rejects(user.get(ref), { code: 'invalid_argument', field: 'item_ref' }, ref)
      }
      for (const [tool, args] of calls('#77', '#78')) {
        if (tool === 'items_bulk_patch_preview') continue
        const field = tool === 'items_create' ? 'parent' : 'item_ref'
        await assert.rejects(
          user.call(tool, args),
          { code: 'not_found', field, message: 'There is no item #77.' },
          tool,
        )
      }
    },
  )

  verifies(
    ['ownership.own_first', 'ownership.member_sees_project', 'ownership.viewer_reads'],
    'a bare number means own items first, then shared items; several shared items are ambiguous',
    async () => {
      const [reader, one, two] = [await newUser(), await setUp(), await setUp()]
      for (const owner of [one, two]) await owner.share('APP', reader.email, 'viewer')
      assert.equal(await reader.task('Mine'), 'INBOX#1')
      assert.equal(await titleOf(reader, '#1'), 'Mine')
      const candidates = [one, two].map(owner => `${owner.email}/APP#2`)
      for (const ref of ['#2', 'APP#2']) {
        await assert.rejects(reader.get(ref), error => {
          const { code, allowed } = error as { code: string; allowed: string[] }
          assert.equal(code, 'ambiguous_ref')
          assert.deepEqual(allowed.toSorted(), candidates.toSorted())
          return true
        })
      }
      assert.equal(await titleOf(reader, candidates[0]!), 'In a project')
      await assert.rejects(reader.call('items_patch', { item_ref: candidates[0], title: 'x' }), { code: 'forbidden' })
      await one.share('APP', reader.email, 'editor')
      const { item } = await reader.call('items_patch', { item_ref: candidates[0], title: 'Edited' })
      assert.equal(item.title, 'Edited')
      assert.equal(await titleOf(one, '#2'), 'Edited')
      assert.equal(await titleOf(two, '#2'), 'In a project')
    },
  )

  verifies('ownership.key_mismatch', 'a reference with an owner suggests items of that owner only', async () => {
    const [reader, owner, stranger] = [await newUser(), await setUp(), await newUser()]
    await owner.share('APP', reader.email, 'viewer')
    for (const email of [stranger.email, 'nobody@example.com'])
      await assert.rejects(reader.get(`${email}/APP#2`), {
        code: 'not_found',
        hint: 'Find items with tasks_list or items_grep.',
        allowed: undefined,
      })
    await assert.rejects(reader.get(`${owner.email}/XX#2`), { code: 'not_found', allowed: ['APP#2'] })
    assert.equal(await titleOf(reader, `${owner.email}/APP#2`), 'In a project')
  })

  verifies(
    ['ownership.invisible', 'items_grep.visible_only', 'errors.writes_nothing'],
    "two owners never see each other's items, whatever the tool",
    async () => {
      const [mine, theirs] = [await newUser(), await setUp()]
      const before = await Promise.all(['#1', '#2'].map(ref => theirs.get(ref)))
      for (const [tool, args] of calls('#1', '#2')) {
        if (tool !== 'items_bulk_patch_preview')
          await assert.rejects(mine.call(tool, args), { code: 'not_found' }, tool)
      }
      for (const tool of ['items_bulk_patch_preview', 'items_bulk_patch']) {
        const call = tool === 'items_bulk_patch' ? mine.confirmed : mine.call
        const { results } = await call(tool, { item_refs: ['#1', 'APP#2'], title: 'Taken' })
        assert.deepEqual(
          results.map((result: { error: { code: string } }) => result.error.code),
          ['not_found', 'not_found'],
        )
      }
      const { items, total } = await mine.call('tasks_list', { include_total: true })
      assert.deepEqual([items, total], [[], 0])
      await assert.rejects(mine.call('tasks_list', { project_key: 'APP' }), { code: 'not_found' })
      assert.equal((await mine.call('items_facet', { facet_by: 'project' })).total, 0)
      assert.deepEqual((await mine.call('items_grep', { pattern: 'In' })).items, [])
      assert.deepEqual(await Promise.all(['#1', '#2'].map(ref => theirs.get(ref))), before)
    },
  )
})
