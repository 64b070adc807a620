import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { put, refused } from './setup.ts'

const FILE = { parent_kind: 'item', filename: 'a.txt', mime_type: 'text/plain' }

async function withItem(t: TestContext, settings: object): Promise<{ host: TestHost; upload: object }> {
  const host = await testHost(t, { config: { plugins: { attachments: settings } } })
  await host.listen()
  const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Task' })
  return { host, upload: { ...FILE, parent_ref: item.ref } }
}

test('a failed storage leaves nothing behind, and the address works once the storage does', async t => {
  const { host, upload } = await withItem(t, {})
  const folder = join(host.dataDir, 'attachments')
  await mkdir(folder, { recursive: true })
  // A file at the path of the storage folder.
  await writeFile(join(folder, 'files'), '')
  const error = await refused(host.call('attachments_upload', { ...upload, content_base64: 'YQ==' }))
  assert.equal(error.code, 'unavailable')
  assert.equal(error.retryable, true)
  const { upload_url, attachment } = await host.call('attachments_upload', upload)
  const answer = await put(upload_url, Buffer.from('a'))
  assert.equal(answer.status, 503)
  assert.equal(answer.error.code, 'unavailable')
  const rows = await host.sql<object>`select id, state from attachments.attachments`
  assert.deepEqual(rows, [{ id: attachment.id, state: 'pending' }])
  await rm(join(folder, 'files'))
  assert.equal((await put(upload_url, Buffer.from('a'))).status, 201)
})

test('a bucket that does not answer is unavailable', async t => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test'
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test'
  // Nothing listens on port 1 of this machine.
  const s3 = { bucket: 'attachments', region: 'us-east-1', endpoint: 'http://127.0.0.1:1', force_path_style: true }
  const { host, upload } = await withItem(t, { s3 })
  const error = await refused(host.call('attachments_upload', { ...upload, content_base64: 'YQ==' }))
  assert.equal(error.code, 'unavailable')
  assert.deepEqual(await host.sql`select id from attachments.attachments`, [])
})

test('unknown settings are refused at boot', async t => {
  await assert.rejects(withItem(t, { s3: { prefix: 'a/' } }), /attachments.*bucket/)
  await assert.rejects(withItem(t, { quota: 1 }), /attachments.*quota/)
})
