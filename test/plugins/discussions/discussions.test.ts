import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mentions } from '../../../plugins/discussions/mentions.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'

test('a mention is @ and the whole name, in any case and width', () => {
  assert.ok(mentions('thanks @Bob!', 'bob'))
  assert.ok(mentions('＠田中さん、確認してください', '田中'))
  assert.ok(mentions('see @bob@example.com', 'bob@example.com'))
  assert.ok(!mentions('@bobby', 'bob'))
  assert.ok(!mentions('@bob.smith@example.com', 'bob'))
  assert.ok(mentions('Ask @bob.', 'bob'))
  assert.ok(!mentions('mail to x@bob', 'bob'))
  assert.ok(!mentions('bob', 'bob'))
  assert.ok(!mentions('Eggs @ 3, milk @', ''))
})

forEachEngine('discussions', engine => {
  const { newUser, statements, write } = sharedHost(engine, { config: { plugins: { discussions: {} } } })
  const withItem = async () => {
    const user = await newUser()
    await user.createProject('TEAM')
    const { item } = await user.call('items_create', { project_key: 'TEAM', title: 'Topic' })
    return { user, ref: item.ref as string }
  }

  test('all of 35 and of 75 comments and changes can be read, and a shortened list says so', async () => {
    const { user, ref } = await withItem()
    const detail = 'A long report. '.repeat(2730)
    await user.call('items_patch', { item_ref: ref, detail: detail.slice(0, 30_000) })
    await user.call('items_patch', { item_ref: ref, detail_append: detail.slice(30_000) })
    const readAll = async (tool: string, list: string): Promise<string[]> => {
      const found: string[] = []
      for (let offset: number | null = 0; offset !== null;) {
        const page: { next_offset: number | null; has_more: boolean } & Record<
          string,
          { body?: string; created_at: string }[]
        > = await user.call(tool, { item_ref: ref, offset })
        assert.equal(page.has_more, page.next_offset !== null)
        found.push(...page[list]!.map(each => each.body ?? each.created_at))
        offset = page.next_offset
      }
      return found
    }
    let created = 0
    for (const count of [30, 35, 75]) {
      while (created < count) await user.call('discussions_create', { item_ref: ref, body: `Note ${++created}` })
      const bodies = await readAll('discussions_list', 'discussions')
      assert.deepEqual(
        bodies,
        Array.from({ length: count }, (_, n) => `Note ${count - n}`),
      )
      // The creation, two changes of the body, and each comment.
      assert.equal((await readAll('activities_list', 'activities')).length, count + 3)
      const context = await user.call('items_context_get', { item_ref: ref })
      assert.equal(context.item.detail, detail)
      assert.equal(context.discussions.length, 30)
      assert.deepEqual(
        context.warnings,
        count === 30
          ? undefined
          : [`discussions has the first 30 of ${count}; discussions_list with offset 30 reads on.`],
      )
    }
    assert.equal((await statements(() => user.call('items_context_get', { item_ref: ref }))).length, 1)
    assert.equal((await statements(() => user.call('discussions_list', { item_ref: ref, offset: 30 }))).length, 1)
    const slice = await user.call('items_get', { item_ref: ref, detail_max_chars: 8000 })
    assert.deepEqual(
      [slice.item.detail.length, slice.item.detail_truncated, slice.item.detail_length, slice.item.detail_next_offset],
      [8000, true, detail.length, 8000],
    )
  })

  verifies(
    ['discussions_create.create', 'discussions_list.limit', 'items_grep.comments'],
    'comments have a kind and an author, and are listed newest first, ten at a time',
    async () => {
      const { user, ref } = await withItem()
      for (let n = 1; n <= 12; n++)
        await user.call('discussions_create', {
          item_ref: ref,
          body: `Note ${n}`,
          ...(n === 12 && { kind: 'decision' }),
        })
      const page = await user.call('discussions_list', { item_ref: ref })
      assert.equal(page.discussions.length, 10)
      assert.equal(page.has_more, true)
      const [newest] = page.discussions
      assert.equal(newest.body, 'Note 12')
      assert.equal(newest.kind, 'decision')
      assert.equal(newest.author_kind, 'agent')
      assert.equal(newest.author, user.email.split('@')[0])
      assert.equal(page.discussions[1].kind, 'progress')
      assert.equal((await user.call('discussions_list', { item_ref: ref, limit: 30 })).discussions.length, 12)
      await assert.rejects(user.call('discussions_list', { item_ref: ref, limit: 31 }), {
        code: 'invalid_argument',
        field: 'limit',
      })
      assert.equal((await user.call('items_context_get', { item_ref: ref })).discussions.length, 12)
      assert.equal((await user.call('tasks_list', { q: 'has:discussion' })).items.length, 1)
      const found = await user.call('items_grep', { pattern: 'Note 7' })
      assert.deepEqual(
        found.items[0].snippets.map((each: { field: string }) => each.field),
        ['comments.body'],
      )
      const byAuthor = await user.call('items_grep', { pattern: newest.author, fields: ['comments.author'] })
      assert.equal(byAuthor.items.length, 1)
    },
  )

  verifies(
    ['discussions_patch.author_only', 'discussions_delete.who'],
    'only the author changes a comment; the author or the owner of the project deletes it',
    async () => {
      const { user: owner, ref } = await withItem()
      const [bob, eve] = [await newUser(), await newUser()]
      await owner.share('TEAM', bob.email, 'editor')
      await owner.share('TEAM', eve.email, 'editor')
      const { discussion } = await bob.call('discussions_create', { item_ref: ref, body: 'Mine' })
      const change = { discussion_id: discussion.id, body: 'Yours' }
      await assert.rejects(owner.call('discussions_patch', change), { code: 'forbidden' })
      assert.deepEqual((await bob.call('discussions_patch', change)).changed, ['body'])
      assert.deepEqual((await bob.call('discussions_patch', change)).changed, [])
      await assert.rejects(eve.confirmed('discussions_delete', { discussion_id: discussion.id }), { code: 'forbidden' })
      const gone = await owner.confirmed('discussions_delete', { discussion_id: discussion.id })
      assert.equal(gone.deleted, true)
      await assert.rejects(bob.call('discussions_patch', change), { code: 'not_found' })
      const stranger = await newUser()
      const { discussion: other } = await owner.call('discussions_create', { item_ref: ref, body: 'Ours' })
      await assert.rejects(stranger.call('discussions_patch', { discussion_id: other.id, body: 'x' }), {
        code: 'not_found',
      })
      const { activities } = await owner.call('activities_list', { item_ref: ref, kind: 'discussion.*' })
      assert.equal(activities.length, 4)
    },
  )

  verifies('discussions_create.create', 'mentioned users who may see the item are notified once', async () => {
    const { user: owner, ref } = await withItem()
    const [bob, stranger] = [await newUser(), await newUser()]
    await owner.share('TEAM', bob.email, 'viewer')
    const name = bob.email.split('@')[0]
    const { discussion } = await owner.call('discussions_create', {
      item_ref: ref,
      body: `@${name} @${stranger.email} please look`,
    })
    await owner.call('discussions_patch', { discussion_id: discussion.id, body: `@${name} please look again` })
    const { notifications } = await bob.call('notifications_list')
    assert.equal(notifications.length, 1)
    assert.equal(notifications[0].kind, 'discussion.mention')
    assert.deepEqual((await stranger.call('notifications_list')).notifications, [])
    await assert.rejects(bob.call('discussions_create', { item_ref: ref, body: 'x' }), { code: 'forbidden' })
  })

  test('a first name or the start of an address mentions the only member who has it', async () => {
    const { user: owner, ref } = await withItem()
    const members: Awaited<ReturnType<typeof newUser>>[] = []
    for (const name of ['Tomo Tokyo', 'Ann Lee', 'Ann Ito', '田中 太郎']) {
      const member = await newUser()
      await write(ctx => ctx.users.update(member.userId, { name, timeZone: 'Asia/Tokyo' }))
      await owner.share('TEAM', member.email, 'viewer')
      members.push(member)
    }
    const counts = async (body: string): Promise<number[]> => {
      await owner.call('discussions_create', { item_ref: ref, body })
      const pages = await Promise.all(members.map(member => member.call('notifications_list')))
      return pages.map(({ notifications }) => notifications.length)
    }
    assert.deepEqual(await counts('@tomo please look'), [1, 0, 0, 0])
    assert.deepEqual(await counts(`@${members[1]!.email.split('@')[0]}, too`), [1, 1, 0, 0])
    assert.deepEqual(await counts('＠田中さん'), [1, 1, 0, 1])
    assert.deepEqual(await counts('Which @Ann? Not @tomo.baker@example.com'), [1, 1, 0, 1])
    assert.deepEqual(await counts('@Ann Ito'), [1, 1, 1, 1])
  })

  verifies('discussions_list.limit', 'each call sends a fixed number of statements', async () => {
    const { user, ref } = await withItem()
    assert.equal((await statements(() => user.call('discussions_create', { item_ref: ref, body: 'x' }))).length, 4)
    assert.equal((await statements(() => user.call('discussions_list', { item_ref: ref }))).length, 1)
  })
})
