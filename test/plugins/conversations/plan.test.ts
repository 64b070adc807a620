import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectRow } from '../../../plugins/projects/index.ts'
import { share } from '../../members.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { conversationsHost } from './conversations-host.ts'

const FILE = { filename: 'a.txt', mime_type: 'text/plain', content_base64: 'YQ==' }

forEachEngine('conversations and other plugins', engine => {
  const suite = conversationsHost(engine, { notes: {}, attachments: {} })
  const { newUser, http, talk, as, pass } = suite

  verifies(
    ['notes_create.plan', 'me_overview.conversations'],
    'a plan note is bound to the conversation in which it is created, and shown until the conversation ends',
    async () => {
      const user = await newUser()
      const plan = { title: 'Release plan', body: 'First the tests.', bind_as_plan_draft: true }
      const made = (await as(user, 'claude', 'notes_create', plan)) as { item: { ref: string }; warnings?: string[] }
      assert.equal(made.warnings, undefined)
      assert.equal(made.item.ref, 'INBOX#1')
      const overview = async (client: string) =>
        (await as(user, client, 'me_overview')) as {
          plan?: { ref: string; updated_at: string }
          conversations: object[]
        }
      const { updated_at, ...shown } = (await overview('claude')).plan!
      assert.deepEqual(shown, { ref: 'INBOX#1', title: 'Release plan', detail: 'First the tests.' })
      assert.ok(Date.parse(updated_at) > 0)
      assert.equal((await overview('cursor')).plan, undefined)
      await as(user, 'claude', 'notes_create', { title: 'Better plan', bind_as_plan_draft: true })
      assert.equal((await overview('claude')).plan!.ref, 'INBOX#2')
      await as(user, 'claude', 'items_patch', { item_ref: 'INBOX#2', archived_at: new Date().toISOString() })
      assert.equal((await overview('claude')).plan, undefined)
      await as(user, 'claude', 'items_patch', { item_ref: 'INBOX#2', archived_at: null })
      await pass(31)
      const later = await overview('claude')
      assert.equal(later.plan, undefined)
      assert.equal(later.conversations.filter(thread => 'plan_ref' in thread).length, 1)
    },
  )

  verifies('me_overview.conversations', 'the overview sums up the last conversations', async () => {
    const user = await newUser()
    await talk(user, 'Trip', 'Where shall we go?', 'I would rather stay at home this year.')
    for (const title of ['One', 'Two']) await as(user, 'claude', 'items_create', { project_key: 'INBOX', title })
    await as(user, 'claude', 'items_get', { item_ref: 'INBOX#1' })
    await suite.host.calls.flush()
    const { conversations } = await user.call('me_overview')
    const [claude, trip, ...more] = conversations
    assert.deepEqual(more, [])
    assert.deepEqual(
      [claude.client, claude.open, claude.summary],
      ['claude', true, 'items_create ×2, items_get; INBOX#1, INBOX#2'],
    )
    assert.deepEqual([trip.title, trip.summary], ['Trip', '"I would rather stay at home this year."'])
    assert.equal((await suite.host.statements(() => user.call('me_overview'))).length, 1)
    const { conversations: theirs } = await (await newUser()).call('me_overview')
    assert.equal(theirs, undefined)
  })

  verifies(
    'notes_create.plan',
    'a plan in a project of another owner is shown while the caller may see it',
    async () => {
      const [owner, member] = [await newUser(), await newUser()]
      await suite.host.command('project create', { key: 'TEAM', name: 'Team', user: owner.email })
      const [project] = await suite.host.sql<ProjectRow>`
      select owner_id as "ownerId", id, key from projects.projects where owner_id = ${owner.userId} and key = 'TEAM'`
      await suite.host.write(ctx => share(ctx, project!, member.email, 'editor'))
      await member.call('notes_create', { project_key: 'TEAM', title: 'Our plan', bind_as_plan_draft: true })
      assert.equal((await member.call('me_overview')).plan.title, 'Our plan')
      assert.equal((await owner.call('me_overview')).plan, undefined)
      await suite.host.write(ctx => share(ctx, project!, member.email, null))
      assert.equal((await member.call('me_overview')).plan, undefined)
    },
  )

  verifies('attachments_upload.thread', 'a file is attached to a message of a thread, for its user only', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const thread_id = await talk(user, undefined, 'See the file')
    const [message] = (await http(user, 'GET', `/${thread_id}/messages`)).body.messages
    const parent = { parent_kind: 'ai_chat_message', parent_id: message.id }
    await assert.rejects(user.call('attachments_upload', { ...FILE, ...parent }), {
      code: 'missing_argument',
      field: 'thread_id',
    })
    for (const wrong of [message.id, 'no thread']) {
      await assert.rejects(user.call('attachments_upload', { ...FILE, ...parent, thread_id: wrong }), {
        code: 'not_found',
        field: 'parent_id',
      })
    }
    const { attachment } = await user.call('attachments_upload', { ...FILE, ...parent, thread_id })
    assert.deepEqual(await user.call('attachments_list', parent), { attachments: [attachment] })
    await assert.rejects(stranger.call('attachments_upload', { ...FILE, ...parent, thread_id }), { code: 'not_found' })
    await assert.rejects(stranger.call('attachments_list', parent), { code: 'not_found' })
    await assert.rejects(stranger.call('attachments_get', { attachment_id: attachment.id }), { code: 'not_found' })
    await http(user, 'DELETE', `/${thread_id}`)
    const expire = suite.host.registry.jobs.find(({ name }) => name === 'attachments.expire')!
    await suite.host.write(ctx => expire.run(ctx, {}))
    await assert.rejects(user.call('attachments_get', { attachment_id: attachment.id }), { code: 'not_found' })
  })

  test('binding a note sends two further statements', async () => {
    const user = await newUser()
    const count = async (plan: boolean) => {
      const note = { project_key: 'INBOX', title: 'Note', ...(plan && { bind_as_plan_draft: true }) }
      return (await suite.host.statements(() => user.call('notes_create', note))).length
    }
    await count(false)
    assert.equal(await count(true), (await count(false)) + 2)
  })
})
