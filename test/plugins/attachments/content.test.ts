import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkContent } from '../../../plugins/attachments/content.ts'
import { contentDisposition, safeFilename } from '../../../plugins/attachments/filename.ts'
import { signLink, verifyLink } from '../../../plugins/attachments/links.ts'
import { requireAllowedType, toServedType } from '../../../plugins/attachments/media-type.ts'
import { localStorage } from '../../../plugins/attachments/storage/local.ts'
import { HTML, SAMPLES } from './files.ts'

const deployment = { dataDir: '.', baseUrl: () => 'http://localhost', key: () => Buffer.alloc(32, 1) }
const now = new Date('2026-05-01T12:00:00Z')

test('content of one type is not accepted as another', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'attachments-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [type, bytes] of [...SAMPLES, ['text/html', HTML] as const]) {
    const path = join(folder, 'file')
    await writeFile(path, bytes)
    for (const [declared] of SAMPLES) {
      const { family } = requireAllowedType(declared)
      const passes = await checkContent(path, declared, family).then(
        () => true,
        () => false,
      )
      const isText = /^text|json|svg/.test(type)
      // Any text type is accepted for text, and Office files are zip archives.
      const expected =
        type === declared ||
        (isText && family === 'text') ||
        (type.includes('openxmlformats') && declared === 'application/zip') ||
        (type === 'application/pdf' && family === 'text')
      assert.equal(passes, expected, `${type} as ${declared}`)
    }
  }
})

test('text that is cut inside a character is not UTF-8', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'attachments-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'file')
  await writeFile(path, Buffer.from('aé').subarray(0, 2))
  await assert.rejects(checkContent(path, 'text/plain', 'text'), { code: 'unsupported_media_type' })
  // Longer than one chunk, so that a character crosses the border of a chunk.
  await writeFile(path, `a${'é'.repeat(200_000)}`)
  await checkContent(path, 'text/plain', 'text')
})

test('a file name cannot escape its folder or its header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }), text => {
      let name: string
      try {
        name = safeFilename(text)
      } catch {
        return
      }
      assert.ok(name !== '' && name !== '.' && name !== '..' && !/[/\\\p{Cc}]/u.test(name))
      assert.equal(safeFilename(name), name)
      const header = contentDisposition('attachment', name)
      assert.match(header, /^attachment; filename="[^"\\\r\n]*"; filename\*=UTF-8''[\w.%~&+$#^`|@!-]*$/)
      assert.equal(decodeURIComponent(header.split("UTF-8''")[1]!), name)
    }),
  )
})

test('a signed address is valid only for its direction, file and time', () => {
  const file = { ownerId: '0190f2a0-0000-7000-8000-000000000001', id: '0190f2a0-0000-7000-8000-000000000002' }
  const expires = new Date(now.getTime() + 60_000)
  const { searchParams, pathname } = new URL(signLink(deployment, 'upload', file, expires))
  const query = Object.fromEntries(searchParams)
  assert.equal(pathname, `/attachments/upload/${file.ownerId}/${file.id}`)
  assert.deepEqual(verifyLink(deployment, 'upload', file, query, now), expires)
  assert.throws(() => verifyLink(deployment, 'download', file, query, now), { code: 'forbidden' })
  assert.throws(() => verifyLink(deployment, 'upload', { ...file, id: file.ownerId }, query, now), {
    code: 'forbidden',
  })
  assert.throws(() => verifyLink(deployment, 'upload', file, query, expires), /expired/)
  const otherKey = { ...deployment, key: () => Buffer.alloc(32, 2) }
  assert.throws(() => verifyLink(otherKey, 'upload', file, query, now), { code: 'forbidden' })
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('expires', 'signature'), fc.oneof(fc.string(), fc.array(fc.string()))),
      given => {
        assert.throws(
          () => verifyLink(deployment, 'upload', file, { ...given, signature: given['signature'] ?? 'x' }, now),
          {
            code: 'forbidden',
          },
        )
      },
    ),
  )
})

test('no type that a browser executes is served inline', () => {
  for (const type of [
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/javascript',
    'image/x-unknown',
  ]) {
    assert.equal(toServedType(type), 'application/octet-stream')
  }
})

test('the local storage lists in order by page and ignores missing files', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'attachments-'))
  t.after(() => rm(folder, { recursive: true }))
  const storage = localStorage(join(folder, 'files'))
  assert.deepEqual(await storage.list(null, 10), [])
  const keys = ['b/2', 'a/3', 'b/1', 'c/1', 'a/1']
  for (const key of keys) {
    const path = join(folder, 'new')
    await writeFile(path, key)
    await storage.put(key, path, key.length)
  }
  const listed: string[] = []
  for (let after: string | null = null; ; after = listed.at(-1)!) {
    const page = await storage.list(after, 2)
    listed.push(...page)
    if (page.length < 2) break
  }
  assert.deepEqual(listed, keys.toSorted())
  await storage.delete(['b/1', 'x/y'])
  assert.equal(await storage.get('b/1'), null)
  assert.equal((await storage.list('a/3', 10))[0], 'b/2')
})
