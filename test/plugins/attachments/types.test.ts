import assert from 'node:assert/strict'
import { verifies } from '../../verifies.ts'
import { HTML, office, PDF, png, SAMPLES, zip } from './files.ts'
import { filesHost, forEachStore, put, refused } from './setup.ts'

const text = (content: string): object => ({
  filename: 'a.txt',
  mime_type: 'text/plain',
  content_base64: Buffer.from(content).toString('base64'),
})

forEachStore('types and names of attachments', (engine, store) => {
  const files = filesHost(engine, store)

  verifies('attachments_upload.types', 'every allowed type is accepted with matching content', async () => {
    const user = await files.newUser()
    for (const [mime_type, bytes] of SAMPLES) {
      const { attachment } = await user.call('attachments_upload', {
        parent_kind: 'item',
        parent_ref: user.ref,
        filename: 'file',
        mime_type,
        content_base64: bytes.toString('base64'),
      })
      assert.equal(attachment.mime_type, mime_type)
    }
    assert.equal((await files.stored(user.userId)).length, SAMPLES.length)
  })

  verifies('attachments_upload.types', 'other types are refused with the list of those allowed', async () => {
    const user = await files.newUser()
    for (const mime_type of [
      'text/html',
      'application/javascript',
      'video/mp4',
      'application/octet-stream',
      'image/',
      'nonsense',
      'image/*',
      'constructor',
      '__proto__',
    ]) {
      const error = await refused(
        user.call('attachments_upload', { ...text('a'), parent_kind: 'item', parent_ref: user.ref, mime_type }),
      )
      assert.equal(error.code, 'unsupported_media_type', mime_type)
      assert.equal(error.field, 'mime_type')
      assert.ok(error.allowed?.includes('application/pdf'))
    }
    assert.deepEqual(await files.stored(user.userId), [])
  })

  verifies(
    'attachments_upload.types',
    'bytes that do not match the declared type are refused, inline and by address',
    async () => {
      const user = await files.newUser()
      const wrong: readonly (readonly [string, Buffer])[] = [
        ['image/png', HTML],
        ['image/png', PDF],
        ['image/jpeg', png()],
        ['image/svg+xml', HTML],
        ['application/pdf', png()],
        ['application/zip', PDF],
        ['text/plain', png()],
        ['text/markdown', Buffer.from('a\0b')],
        ['text/csv', Buffer.from([0x61, 0xff, 0x62])],
        ['application/json', Buffer.from('{"a":1}', 'utf16le')],
        [office('wordprocessingml.document').type, zip({ 'a.txt': 'a' })],
        [office('wordprocessingml.document').type, office('spreadsheetml.sheet').bytes],
      ]
      for (const [mime_type, bytes] of wrong) {
        const upload = { parent_kind: 'item', parent_ref: user.ref, filename: 'a', mime_type }
        const inline = await refused(
          user.call('attachments_upload', { ...upload, content_base64: bytes.toString('base64') }),
        )
        assert.equal(inline.code, 'unsupported_media_type', mime_type)
        const { upload_url } = await user.call('attachments_upload', upload)
        const answer = await put(upload_url, bytes)
        assert.equal(answer.status, 415, mime_type)
        assert.equal(answer.error.code, 'unsupported_media_type')
        assert.equal((await put(upload_url, bytes)).status, 404)
      }
      assert.deepEqual(await files.stored(user.userId), [])
      assert.deepEqual(await files.incoming(), [])
    },
  )

  verifies('attachments_upload.filename', 'a file name has 1 to 255 characters and no folder', async () => {
    const user = await files.newUser()
    const upload = (filename: string) =>
      user.call('attachments_upload', { ...text('a'), parent_kind: 'item', parent_ref: user.ref, filename })
    for (const filename of ['', 'a'.repeat(256), '..', 'folder/', '\u202e', ' ']) {
      const error = await refused(upload(filename))
      assert.equal(error.code, 'invalid_argument', JSON.stringify(filename))
      assert.equal(error.field, 'filename')
    }
    const names = ['a', 'a'.repeat(255), '../../etc/passwd', 'C:\\Temp\\a.txt', 'a\r\nb\u001f.txt', '写真.png']
    const kept = []
    for (const name of names) kept.push((await upload(name)).attachment.filename)
    assert.deepEqual(kept, ['a', 'a'.repeat(255), 'passwd', 'a.txt', 'ab.txt', '写真.png'])
  })
})
