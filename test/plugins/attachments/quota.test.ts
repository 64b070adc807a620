import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifies } from '../../verifies.ts'
import { begin, filesHost, forEachStore, put, refused, until, type Newcomer } from './setup.ts'

const QUOTA = 100_000

const upload = (user: Newcomer, more: object = {}) =>
  user.call('attachments_upload', {
    parent_kind: 'item',
    parent_ref: user.ref,
    filename: 'a.txt',
    mime_type: 'text/plain',
    ...more,
  })
const inline = (user: Newcomer, size: number) =>
  upload(user, { content_base64: Buffer.alloc(size, 'a').toString('base64') })

forEachStore('quota of attachments', (engine, store) => {
  const files = filesHost(engine, store, { settings: { quota_bytes: QUOTA } })

  verifies('attachments.quota', 'a user can store exactly the quota, to the byte', async () => {
    const user = await files.newUser()
    await inline(user, QUOTA - 10)
    const error = await refused(inline(user, 11))
    assert.equal(error.code, 'quota_exceeded')
    assert.deepEqual(error.details, { quota_bytes: QUOTA, available_bytes: 10 })
    await inline(user, 10)
    assert.equal((await refused(inline(user, 1))).code, 'quota_exceeded')
    assert.equal((await refused(upload(user))).code, 'quota_exceeded')
    assert.equal((await files.stored(user.userId)).length, 2)
    await files.host.sql`delete from items.items where owner_id = ${user.userId}`
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Next' })
    await inline({ ...user, ref: item.ref }, QUOTA)
  })

  verifies(
    'attachments_upload.declared',
    'a declared size is checked at once and reserved until the address expires',
    async () => {
      const user = await files.newUser()
      assert.equal((await refused(upload(user, { declared_byte_size: QUOTA + 1 }))).code, 'quota_exceeded')
      await upload(user, { declared_byte_size: QUOTA - 5 })
      assert.equal((await refused(inline(user, 6))).code, 'quota_exceeded')
      await inline(user, 5)
      files.pass(15 * 60_000)
      await inline(user, 6)
      files.pass(-15 * 60_000)
    },
  )

  test('an upload with a declared length above the quota is refused before it is sent, and can be retried later', async () => {
    const user = await files.newUser()
    const { upload_url } = await upload(user)
    await inline(user, QUOTA - 10)
    const answer = await put(upload_url, Buffer.alloc(11, 'a'))
    assert.equal(answer.status, 507)
    assert.equal(answer.error.code, 'quota_exceeded')
    assert.equal((await put(upload_url, Buffer.alloc(10, 'a'))).status, 201)
  })

  test('an upload without a declared length stops at the quota', async () => {
    const user = await files.newUser()
    await inline(user, QUOTA - 5000)
    const { upload_url } = await upload(user)
    const streamed = begin('PUT', upload_url, { 'transfer-encoding': 'chunked' })
    streamed.request.end(Buffer.alloc(5001, 'a'))
    const answer = await streamed.answer
    assert.equal(answer.status, 507)
    assert.equal((await files.stored(user.userId)).length, 1)
    assert.deepEqual(await files.incoming(), [])
  })

  test('of two parallel uploads, one gets the last bytes of the quota', async () => {
    const user = await files.newUser()
    const size = QUOTA * 0.6
    const results = await Promise.allSettled([inline(user, size), inline(user, size), inline(user, size)])
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)

    const other = await files.newUser()
    const offers = [await upload(other), await upload(other), await upload(other)]
    const answers = await Promise.all(offers.map(({ upload_url }) => put(upload_url, Buffer.alloc(size, 'a'))))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 507, 507],
    )

    // Without a length, the service can refuse an upload only after it has arrived.
    const last = await files.newUser()
    const streams = []
    for (const { upload_url } of [await upload(last), await upload(last)]) {
      const streamed = begin('PUT', upload_url, { 'transfer-encoding': 'chunked' })
      streamed.request.write(Buffer.alloc(size, 'a'))
      streams.push(streamed)
    }
    await until(async () => (await files.incoming()).length === 2)
    for (const { request } of streams) request.end()
    const ends = await Promise.all(streams.map(({ answer }) => answer))
    assert.deepEqual(
      ends.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 507],
    )
    for (const { userId } of [user, other, last]) assert.equal((await files.stored(userId)).length, 1)
    assert.deepEqual(await files.incoming(), [])
  })
})
