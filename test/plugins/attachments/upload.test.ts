import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databaseText } from '../../database-text.ts'
import { verifies } from '../../verifies.ts'
import { PDF } from './files.ts'
import { begin, filesHost, forEachStore, get, put, refused, until } from './setup.ts'

const MB = 1024 * 1024
const text = (content: string): object => ({
  filename: 'a.txt',
  mime_type: 'text/plain',
  content_base64: Buffer.from(content).toString('base64'),
})

forEachStore('attachments_upload', (engine, store) => {
  const files = filesHost(engine, store)

  verifies('attachments_upload.inline', 'content_base64 is stored at once, byte by byte', async () => {
    const user = await files.newUser()
    const bytes = Buffer.from('line\r\n🙂 é\n')
    const { attachment, ...rest } = await user.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: user.ref,
      filename: 'Notes é.txt',
      mime_type: 'Text/Plain; charset=utf-8',
      content_base64: bytes.toString('base64'),
    })
    assert.deepEqual(rest, { changed: ['attachment'] })
    const { id, created_at, ...facts } = attachment
    assert.deepEqual(facts, {
      parent_kind: 'item',
      parent_ref: user.ref,
      filename: 'Notes é.txt',
      mime_type: 'text/plain',
      size: bytes.length,
      status: 'stored',
    })
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(await files.stored(user.userId), [`${user.userId}/${id}`])
    const { download_url } = await user.call('attachments_download', { attachment_id: id })
    assert.deepEqual((await get(download_url)).body, bytes)
    assert.deepEqual(await files.incoming(), [])
  })

  verifies(
    ['attachments_upload.inline', 'attachments_upload.too_large'],
    'inline files have at most 5 MB',
    async () => {
      const user = await files.newUser()
      const parent = { parent_kind: 'item', parent_ref: user.ref, filename: 'big.txt', mime_type: 'text/plain' }
      const most = Buffer.alloc(5 * MB, 'a')
      const { attachment } = await user.call('attachments_upload', {
        ...parent,
        content_base64: most.toString('base64'),
      })
      assert.equal(attachment.size, 5 * MB)
      const more = Buffer.alloc(5 * MB + 1, 'a').toString('base64')
      const error = await refused(user.call('attachments_upload', { ...parent, content_base64: more }))
      assert.equal(error.code, 'limit_exceeded')
      assert.equal(error.field, 'content_base64')
      // Refused by its length, before a decoder reads ten megabytes that are no base64.
      const content_base64 = '[a]'.repeat(3 * MB)
      const long = await refused(user.call('attachments_upload', { ...parent, content_base64 }))
      assert.equal(long.code, 'limit_exceeded')
      assert.equal((await files.stored(user.userId)).length, 1)
    },
  )

  test('invalid base64 is refused', async () => {
    const user = await files.newUser()
    for (const content_base64 of ['data:text/plain;base64,YQ==', 'YQ=a', 'a', '*', 'YR==', 'YWJjZ']) {
      const call = user.call('attachments_upload', {
        ...text(''),
        parent_kind: 'item',
        parent_ref: user.ref,
        content_base64,
      })
      assert.equal((await refused(call)).field, 'content_base64', content_base64)
    }
    const { attachment } = await user.call('attachments_upload', {
      ...text(''),
      parent_kind: 'item',
      parent_ref: user.ref,
    })
    assert.equal(attachment.size, 0)
  })

  verifies('attachments_upload.url', 'without content the answer is an address for one PUT', async () => {
    const user = await files.newUser()
    const bytes = Buffer.concat([PDF, randomBytes(6 * MB)])
    const offer = await user.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: user.ref,
      filename: 'Report.pdf',
      mime_type: 'application/pdf',
    })
    assert.equal(offer.method, 'PUT')
    assert.equal(offer.max_bytes, 100 * MB)
    assert.equal(offer.attachment.status, 'pending')
    const once = { meta: { idempotencyKey: randomUUID() } }
    const wanted = { parent_kind: 'item', parent_ref: user.ref, filename: 'b.txt', mime_type: 'text/plain' }
    const kept = await user.call('attachments_upload', wanted, once)
    const replayed = await user.call('attachments_upload', wanted, once)
    assert.deepEqual(replayed, { ...kept, replayed: true })
    // Observers of calls, such as conversations, get the call after a delay; flush them first.
    await files.host.calls.flush()
    const text = await databaseText(files.host)
    for (const { upload_url } of [offer, kept])
      assert.ok(
        !text.includes(new URL(upload_url).searchParams.get('signature')!),
        'a usable address is in the database',
      )

    const { id } = offer.attachment
    const pending = await user.call('attachments_get', { attachment_id: id })
    assert.equal(pending.attachment.status, 'pending')
    assert.deepEqual(await user.call('attachments_list', { parent_kind: 'item', parent_ref: user.ref }), {
      attachments: [],
    })
    assert.equal((await refused(user.call('attachments_download', { attachment_id: id }))).code, 'conflict')

    const answer = await put(offer.upload_url, bytes, { 'content-type': 'application/json' })
    assert.equal(answer.status, 201)
    const stored = { ...offer.attachment, size: bytes.length, status: 'stored' }
    assert.deepEqual(JSON.parse(answer.body.toString()), { attachment: stored })
    assert.deepEqual(await user.call('attachments_get', { attachment_id: id }), { attachment: stored })
    const { download_url } = await user.call('attachments_download', { attachment_id: id })
    assert.ok((await get(download_url)).body.equals(bytes))

    const again = await put(offer.upload_url, PDF)
    assert.equal(again.status, 409)
    assert.equal(again.error.code, 'conflict')
    assert.ok((await get(download_url)).body.equals(bytes))
    assert.deepEqual(await files.incoming(), [])
  })

  test('of parallel uploads to one address exactly one succeeds', async () => {
    const user = await files.newUser()
    const { upload_url } = await user.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: user.ref,
      filename: 'a.txt',
      mime_type: 'text/plain',
    })
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(n => put(upload_url, Buffer.alloc(1000 * n, 'a'))))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409, 409, 409, 409],
    )
    assert.equal((await files.stored(user.userId)).length, 1)
  })

  verifies(
    'attachments_upload.too_large',
    'an upload of more than 100 MB is refused before and during the transfer',
    async () => {
      const user = await files.newUser()
      const upload = { parent_kind: 'item', parent_ref: user.ref, filename: 'a.txt', mime_type: 'text/plain' }
      const declared = await refused(user.call('attachments_upload', { ...upload, declared_byte_size: 100 * MB + 1 }))
      assert.equal(declared.code, 'limit_exceeded')
      assert.equal(declared.field, 'declared_byte_size')

      const { upload_url, attachment } = await user.call('attachments_upload', upload)
      const announced = begin('PUT', upload_url, { 'content-length': 100 * MB + 1 })
      announced.request.write(Buffer.alloc(1000, 'a'))
      const early = await announced.answer
      announced.request.destroy()
      assert.equal(early.status, 413)

      const streamed = begin('PUT', upload_url, { 'transfer-encoding': 'chunked' })
      const part = Buffer.alloc(MB, 'a')
      for (let n = 0; n < 101; n++) {
        if (!streamed.request.write(part)) await new Promise(resolve => streamed.request.once('drain', resolve))
      }
      streamed.request.end()
      const late = await streamed.answer
      assert.equal(late.status, 413)
      assert.equal(late.error.code, 'limit_exceeded')
      assert.deepEqual(late.error.details, { max_bytes: 100 * MB })
      assert.deepEqual(await files.stored(user.userId), [])
      assert.deepEqual(await files.incoming(), [])
      assert.equal((await refused(user.call('attachments_get', { attachment_id: attachment.id }))).code, 'not_found')
    },
  )

  test('an interrupted upload leaves nothing behind, and its address can be used again', async () => {
    const user = await files.newUser()
    const { upload_url, attachment } = await user.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: user.ref,
      filename: 'a.txt',
      mime_type: 'text/plain',
    })
    const broken = begin('PUT', upload_url, { 'content-length': 1_000_000 })
    broken.request.write(Buffer.alloc(300_000, 'a'))
    await until(async () => (await files.incoming()).length === 1)
    broken.request.destroy()
    await assert.rejects(broken.answer)
    await until(async () => (await files.incoming()).length === 0)
    assert.deepEqual(await files.stored(user.userId), [])
    assert.deepEqual(await user.call('attachments_list', { parent_kind: 'item', parent_ref: user.ref }), {
      attachments: [],
    })
    await until(async () => {
      const [row] = await files.host.sql<{ state: string }>`
        select state from attachments.attachments where id = ${attachment.id}`
      return row!.state === 'pending'
    })
    assert.equal((await put(upload_url, Buffer.from('whole'))).status, 201)
  })

  test('an altered or expired address, or one of another direction, is refused', async () => {
    const user = await files.newUser()
    const upload = { parent_kind: 'item', parent_ref: user.ref, filename: 'a.txt', mime_type: 'text/plain' }
    const { upload_url, attachment } = await user.call('attachments_upload', upload)
    const other = await user.call('attachments_upload', upload)
    const forged = [
      upload_url.replace(/signature=.{4}/, 'signature=AAAA'),
      upload_url.replace(/&signature=.*/, ''),
      upload_url.replace(/expires=(\d+)/, (_match: string, seconds: string) => `expires=${Number(seconds) + 60}`),
      upload_url.replace(attachment.id, other.attachment.id),
      upload_url.replace(attachment.id, 'nonsense'),
      `${upload_url}&signature=a`,
    ]
    for (const url of forged) {
      const answer = await put(url, Buffer.from('a'))
      assert.equal(answer.status, 403, url)
      assert.equal(answer.error.code, 'forbidden')
    }
    assert.equal((await get(upload_url.replace('/upload/', '/download/'))).status, 403)
    files.pass(15 * 60_000)
    assert.equal((await put(upload_url, Buffer.from('a'))).status, 403)
    files.pass(-15 * 60_000)
    assert.equal((await put(upload_url, Buffer.from('a'))).status, 201)
  })

  test('an upload fails if its item, the permission or the user is removed before its end', async () => {
    const owner = await files.newUser()
    const member = await files.newUser()
    await files.host.command('project create', { key: 'SHARED', name: 'Shared', user: owner.email })
    await files.share(owner, 'SHARED', member.email, 'editor')
    const { item } = await owner.call('items_create', { project_key: 'SHARED', title: 'Shared task' })
    const offer = () =>
      member.call('attachments_upload', {
        parent_kind: 'item',
        parent_ref: item.ref,
        filename: 'a.txt',
        mime_type: 'text/plain',
      })
    const offers = [await offer(), await offer(), await offer(), await offer()]
    assert.equal((await put(offers[0].upload_url, Buffer.from('a'))).status, 201)
    await files.share(owner, 'SHARED', member.email, 'viewer')
    assert.equal((await put(offers[1].upload_url, Buffer.from('a'))).status, 403)
    assert.equal((await refused(offer())).code, 'forbidden')
    await files.host.sql`update core.users set disabled_at = now() where id = ${member.userId}`
    assert.equal((await put(offers[2].upload_url, Buffer.from('a'))).status, 403)
    await files.host.sql`delete from items.items where owner_id = ${owner.userId}`
    assert.equal((await put(offers[3].upload_url, Buffer.from('a'))).status, 404)
    assert.equal((await files.stored(owner.userId)).length, 1)
    assert.deepEqual(await files.incoming(), [])
  })

  test('a file is one entry in the history of its item, by the user who requested the address', async () => {
    const user = await files.newUser()
    const { upload_url } = await user.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: user.ref,
      filename: 'later.txt',
      mime_type: 'text/plain',
    })
    await user.call('attachments_upload', { ...text('a'), parent_kind: 'item', parent_ref: user.ref })
    await put(upload_url, Buffer.from('a'))
    const { activities } = await user.call('activities_list', { item_ref: user.ref })
    const created = activities.filter(({ kind }: { kind: string }) => kind === 'attachment.created')
    assert.deepEqual(
      created.map(({ to, actor }: { to: unknown; actor: unknown }) => [to, actor]),
      [
        ['later.txt', created[1].actor],
        ['a.txt', created[1].actor],
      ],
    )
  })

  test('an upload sends a fixed number of statements, whatever its size', async () => {
    const user = await files.newUser()
    const upload = { ...text('a'), parent_kind: 'item', parent_ref: user.ref }
    const inline = await files.statements(() => user.call('attachments_upload', upload))
    assert.equal(inline.length, 5, inline.join('\n'))
    const { content_base64: _content, ...address } = upload as typeof upload & { content_base64: string }
    let offer: { upload_url: string } | undefined
    const offered = await files.statements(async () => void (offer = await user.call('attachments_upload', address)))
    assert.equal(offered.length, 3, offered.join('\n'))
    const received = await files.statements(() => put(offer!.upload_url, Buffer.alloc(3_000_000, 'a')))
    assert.equal(received.length, 7, received.join('\n'))
  })
})
