import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuid } from 'tasuki/plugin'
import { testHost, type ToolFailure } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { filesHost, get, refused, type Newcomer } from './setup.ts'

const nobody = uuid()
const FILE = { filename: 'a.txt', mime_type: 'text/plain', content_base64: 'YQ==' }

forEachEngine('parents of attachments', engine => {
  const files = filesHost(engine, 'local', { otherPlugins: { discussions: {}, conversations: {} } })
  const discuss = async (user: Newcomer): Promise<string> =>
    (await user.call('discussions_create', { item_ref: user.ref, body: 'See the file' })).discussion.id
  const post = async <T>(user: Newcomer, path: string, payload: object): Promise<T> => {
    const headers = { authorization: `Bearer ${user.token}` }
    return (await files.host.app.inject({ method: 'POST', url: `/api/threads${path}`, headers, payload })).json<T>()
  }
  /** Posts a message in a new thread, to use it as parent. */
  const say = async (user: Newcomer) => {
    const { thread } = await post<{ thread: { id: string } }>(user, '', {})
    const message = { role: 'user', content: 'See the file' }
    const { messages } = await post<{ messages: { id: string }[] }>(user, `/${thread.id}/messages`, message)
    return { parent_kind: 'ai_chat_message', parent_id: messages[0]!.id, thread_id: thread.id }
  }

  verifies(
    'attachments_upload.parents',
    'files are attached to items by parent_ref and to other records by parent_id',
    async () => {
      const user = await files.newUser()
      const onItem = await user.call('attachments_upload', {
        ...FILE,
        parent_kind: 'item',
        parent_ref: user.ref.toLowerCase(),
      })
      assert.equal(onItem.attachment.parent_ref, user.ref)
      const parent_id = await discuss(user)
      const onDiscussion = await user.call('attachments_upload', { ...FILE, parent_kind: 'discussion', parent_id })
      assert.equal(onDiscussion.attachment.parent_ref, user.ref)
      const message = await say(user)
      const onMessage = await user.call('attachments_upload', { ...FILE, ...message })
      assert.equal(onMessage.attachment.parent_ref, undefined)
      assert.equal(onMessage.attachment.parent_id, message.parent_id)

      const lists = [
        await user.call('attachments_list', { parent_kind: 'item', parent_ref: user.ref }),
        await user.call('attachments_list', { parent_kind: 'discussion', parent_id }),
        await user.call('attachments_list', { parent_kind: 'ai_chat_message', parent_id: message.parent_id }),
      ]
      assert.deepEqual(lists, [
        { attachments: [onItem.attachment] },
        { attachments: [onDiscussion.attachment] },
        { attachments: [onMessage.attachment] },
      ])
      const { item } = await user.call('items_get', { item_ref: user.ref })
      assert.equal(item.attachment_count, 1)
    },
  )

  verifies('attachments_upload.parents', 'a missing or unknown parent is refused', async () => {
    const user = await files.newUser()
    const stranger = await files.newUser()
    const cases: readonly (readonly [object, ToolFailure['code'], string])[] = [
      [{ parent_kind: 'item' }, 'missing_argument', 'parent_ref'],
      [{ parent_kind: 'item', parent_id: nobody }, 'missing_argument', 'parent_ref'],
      [{ parent_kind: 'item', parent_ref: '#999' }, 'not_found', 'parent_ref'],
      [{ parent_kind: 'discussion', parent_ref: user.ref }, 'missing_argument', 'parent_id'],
      [{ parent_kind: 'discussion', parent_id: nobody }, 'not_found', 'parent_id'],
      [{ parent_kind: 'discussion', parent_id: await discuss(stranger) }, 'not_found', 'parent_id'],
      [{ parent_kind: 'project', parent_id: nobody }, 'invalid_argument', 'parent_kind'],
    ]
    for (const [parent, code, field] of cases) {
      for (const [tool, more] of [
        ['attachments_upload', FILE],
        ['attachments_list', {}],
      ] as const) {
        const error = await refused(user.call(tool, { ...more, ...parent }))
        assert.deepEqual([error.code, error.field], [code, field], `${tool} ${JSON.stringify(parent)}`)
      }
    }
    assert.deepEqual(await files.stored(user.userId), [])
  })

  verifies('attachments_upload.thread', 'a chat message as parent needs its thread', async () => {
    const user = await files.newUser()
    const { thread_id: _thread, ...parent } = await say(user)
    const error = await refused(user.call('attachments_upload', { ...FILE, ...parent }))
    assert.equal(error.code, 'missing_argument')
    assert.equal(error.field, 'thread_id')
  })

  test('files of a chat are visible to its user only', async () => {
    const user = await files.newUser()
    const other = await files.newUser()
    const { attachment } = await user.call('attachments_upload', { ...FILE, ...(await say(user)) })
    await files.share(user, 'INBOX', other.email, 'editor')
    assert.equal((await refused(other.call('attachments_get', { attachment_id: attachment.id }))).code, 'not_found')
    const { download_url } = await user.call('attachments_download', { attachment_id: attachment.id })
    assert.equal((await get(download_url)).body.toString(), 'a')
  })

  test('files are deleted with the item of their discussion, and with a parent without a foreign key', async () => {
    const user = await files.newUser()
    const parent_id = await discuss(user)
    await user.call('attachments_upload', { ...FILE, parent_kind: 'discussion', parent_id })
    const [kept, gone] = [await say(user), await say(user)]
    for (const parent of [kept, gone]) await user.call('attachments_upload', { ...FILE, ...parent })
    await files.host.sql`delete from conversations.messages where id = ${gone.parent_id}`
    await files.host.sql`delete from items.items where owner_id = ${user.userId}`
    await files.run('expire')
    await files.run('sweep')
    const rows = await files.host.sql<{ parent_id: string }>`
      select parent_id from attachments.attachments where owner_id = ${user.userId}`
    assert.deepEqual(rows, [{ parent_id: kept.parent_id }])
    assert.equal((await files.stored(user.userId)).length, 1)
  })

  verifies(
    ['tasks_list.include_attachments', 'attachments_list.metadata'],
    'items list their files without another statement',
    async () => {
      const user = await files.newUser()
      await user.call('items_create', { project_key: 'INBOX', title: 'Without' })
      for (let n = 0; n < 3; n++)
        await user.call('attachments_upload', { ...FILE, parent_kind: 'item', parent_ref: user.ref })
      const { content_base64: _content, ...pending } = FILE
      await user.call('attachments_upload', { ...pending, parent_kind: 'item', parent_ref: user.ref })
      const counts = async (args: object) => {
        const { items } = await user.call('tasks_list', args)
        return Object.fromEntries(
          items.map((item: Record<string, unknown>) => [item['title'], item['attachment_count']]),
        )
      }
      assert.deepEqual(await counts({ include_attachments: true }), { 'Task with files': 3, Without: 0 })
      assert.deepEqual(await counts({}), { 'Task with files': undefined, Without: undefined })
      assert.deepEqual(await counts({ q: 'has:attachment', include_attachments: true }), { 'Task with files': 3 })
      assert.deepEqual(await counts({ q: 'no:attachment', include_attachments: true }), { Without: 0 })
      const list = { parent_kind: 'item', parent_ref: user.ref }
      assert.equal((await user.call('attachments_list', list)).attachments.length, 3)
      assert.equal((await files.statements(() => user.call('attachments_list', list))).length, 1)
      assert.equal((await files.statements(() => user.call('tasks_list', { include_attachments: true }))).length, 1)
    },
  )

  verifies('items_context_get.sections', 'items_context_get shows the files of an item', async () => {
    const user = await files.newUser()
    const { attachment } = await user.call('attachments_upload', { ...FILE, parent_kind: 'item', parent_ref: user.ref })
    const call = () => user.call('items_context_get', { item_ref: user.ref, include: ['attachments'] })
    assert.deepEqual((await call()).attachments, [attachment])
    assert.equal((await files.statements(call)).length, 1)
  })

  test('uploading needs write access, reading does not', async () => {
    const user = await files.newUser()
    const { attachment } = await user.call('attachments_upload', { ...FILE, parent_kind: 'item', parent_ref: user.ref })
    const [token] = await files.host.sql<{ id: string }>`
      update core.tokens set scope = 'read' where user_id = ${user.userId} returning id`
    assert.ok(token)
    files.host.authenticator.forget([user.userId])
    const { download_url } = await user.call('attachments_download', { attachment_id: attachment.id })
    assert.equal((await get(download_url)).status, 200)
    await assert.rejects(
      user.call('attachments_upload', { ...FILE, parent_kind: 'item', parent_ref: user.ref }),
      /403: attachments_upload writes/,
    )
  })
})

forEachEngine('attachments without other plugins', engine => {
  test('only parent kinds of enabled plugins are offered, with their parameters', async t => {
    const host = await testHost(t, { engine, config: { plugins: { attachments: {} } } })
    const tools = await host.listTools()
    const propertiesOf = (name: string) =>
      (
        tools.find(tool => tool.name === name) as unknown as {
          inputSchema: { properties: Record<string, { enum?: string[] }> }
        }
      ).inputSchema.properties
    for (const name of ['attachments_upload', 'attachments_list']) {
      const properties = propertiesOf(name)
      assert.equal(properties['parent_kind']?.enum?.[0], 'item')
      assert.ok('parent_ref' in properties)
    }
  })

  test('with the plugin off nothing mentions attachments', async t => {
    const host = await testHost(t, { engine, config: { plugins: { attachments: false } } })
    const tools = JSON.stringify(await host.listTools())
    assert.doesNotMatch(tools, /attachment/)
    assert.equal((await refused(host.call('tasks_list', { q: 'has:attachment' }))).code, 'invalid_query')
    assert.equal((await host.app.inject({ method: 'PUT', url: '/attachments/upload/a/b' })).statusCode, 404)
  })
})
