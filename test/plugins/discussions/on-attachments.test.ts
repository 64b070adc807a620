import assert from 'node:assert/strict'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'

const FILE = { filename: 'a.txt', mime_type: 'text/plain', content_base64: 'YQ==' }

forEachEngine('files of discussions', engine => {
  const { newUser } = sharedHost(engine, { config: { plugins: { discussions: {}, attachments: {} } } })

  verifies('attachments_upload.parents', 'a file of a discussion is visible to users who see its item', async () => {
    const [owner, viewer, stranger] = [await newUser(), await newUser(), await newUser()]
    await owner.createProject('TEAM')
    await owner.share('TEAM', viewer.email, 'viewer')
    const { item } = await owner.call('items_create', { project_key: 'TEAM', title: 'Topic' })
    const { discussion } = await owner.call('discussions_create', { item_ref: item.ref, body: 'See the file' })
    const parent = { parent_kind: 'discussion', parent_id: discussion.id }
    const { attachment } = await owner.call('attachments_upload', { ...FILE, ...parent })
    assert.equal(attachment.parent_ref, item.ref)
    assert.deepEqual(await viewer.call('attachments_list', parent), { attachments: [attachment] })
    await assert.rejects(viewer.call('attachments_upload', { ...FILE, ...parent }), { code: 'forbidden' })
    for (const [tool, more] of [
      ['attachments_list', {}],
      ['attachments_upload', FILE],
    ] as const) {
      await assert.rejects(stranger.call(tool, { ...more, ...parent }), { code: 'not_found', field: 'parent_id' })
    }
    const { activities } = await owner.call('activities_list', { item_ref: item.ref, kind: 'attachment.*' })
    assert.equal(activities.length, 1)
  })

  verifies('attachments_upload.parents', 'the files of a discussion are deleted with it, at once', async () => {
    const owner = await newUser()
    const { item } = await owner.call('items_create', { project_key: 'INBOX', title: 'Topic' })
    const { discussion } = await owner.call('discussions_create', { item_ref: item.ref, body: 'See the file' })
    const parent = { parent_kind: 'discussion', parent_id: discussion.id }
    const { attachment } = await owner.call('attachments_upload', { ...FILE, ...parent })
    const kept = await owner.call('discussions_create', { item_ref: item.ref, body: 'Another' })
    const other = { parent_kind: 'discussion', parent_id: kept.discussion.id }
    await owner.call('attachments_upload', { ...FILE, ...other })
    const { attachment: open } = await owner.call('attachments_upload', {
      ...parent,
      filename: 'later.txt',
      mime_type: 'text/plain',
    })
    await assert.rejects(owner.call('discussions_delete', { discussion_id: discussion.id }), {
      code: 'confirmation_required',
      message: /with 1 file: /,
    })
    const deletion = await owner.confirmed('discussions_delete', { discussion_id: discussion.id })
    assert.deepEqual([deletion.deleted, deletion.deleted_files], [true, 1])
    for (const attachment_id of [attachment.id, open.id])
      for (const tool of ['attachments_get', 'attachments_download'])
        await assert.rejects(owner.call(tool, { attachment_id }), { code: 'not_found' })
    await assert.rejects(owner.call('attachments_list', parent), { code: 'not_found', field: 'parent_id' })
    assert.equal((await owner.call('attachments_list', other)).attachments.length, 1)
  })
})
