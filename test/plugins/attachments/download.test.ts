import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { ToolResult } from '../../../core/testing/caller.ts'
import { verifies } from '../../verifies.ts'
import { GIF, HTML, PDF, png, SAMPLES, SVG } from './files.ts'
import { filesHost, forEachStore, get, put, refused, type Newcomer } from './setup.ts'

async function attach(user: Newcomer, filename: string, mime_type: string, bytes: Buffer): Promise<string> {
  const { attachment } = await user.call('attachments_upload', {
    parent_kind: 'item',
    parent_ref: user.ref,
    filename,
    mime_type,
    content_base64: bytes.toString('base64'),
  })
  return attachment.id
}

async function linkOf(user: Newcomer, id: string): Promise<string> {
  return (await user.call('attachments_download', { attachment_id: id })).download_url
}

async function blocksOf(user: Newcomer, id: string): Promise<ToolResult> {
  const { body } = await user.rpc('tools/call', { name: 'attachments_download', arguments: { attachment_id: id } })
  return body.result
}

forEachStore('attachments_download', (engine, store) => {
  const files = filesHost(engine, store, { otherPlugins: { project_admin: true } })

  verifies('attachments_download.inline', 'a small picture is returned as a base64 image', async () => {
    const user = await files.newUser()
    const bytes = png()
    const id = await attach(user, 'dot.png', 'image/png', bytes)
    const { content, structuredContent } = await blocksOf(user, id)
    assert.deepEqual(content.slice(1), [{ type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' }])
    assert.deepEqual(JSON.parse(content[0].text), structuredContent)
    assert.deepEqual(Object.keys(structuredContent), ['attachment'])
    assert.equal(structuredContent.attachment.filename, 'dot.png')
  })

  verifies(
    'attachments_download.url',
    'a large picture and every other file is returned as an address that is valid for a few minutes',
    async () => {
      const user = await files.newUser()
      const large = png(300_000, randomBytes(300_000))
      for (const [name, type, bytes] of [
        ['large.png', 'image/png', large],
        ['draw.svg', 'image/svg+xml', SVG],
        ['doc.pdf', 'application/pdf', PDF],
      ] as const) {
        const id = await attach(user, name, type, bytes)
        const { content, structuredContent } = await blocksOf(user, id)
        assert.equal(content.length, 1, type)
        const minutes = (Date.parse(structuredContent.expires_at) - Date.now()) / 60_000
        assert.ok(minutes > 4.5 && minutes <= 5, String(minutes))
        const answer = await get(structuredContent.download_url)
        assert.equal(answer.status, 200)
        assert.ok(answer.body.equals(bytes))
        assert.equal(answer.headers['content-length'], String(bytes.length))
        assert.equal((await get(structuredContent.download_url)).status, 200)
      }
    },
  )

  verifies('attachments_download.expiry', 'an altered or expired address is refused', async () => {
    const user = await files.newUser()
    const [id, other] = [
      await attach(user, 'a.pdf', 'application/pdf', PDF),
      await attach(user, 'b.pdf', 'application/pdf', PDF),
    ]
    const url = await linkOf(user, id)
    const altered = [
      url.replace(/signature=.{4}/, 'signature=AAAA'),
      url.replace(id, other),
      url.replace(user.userId, '00000000-0000-0000-0000-000000000000'),
      url.replace(/expires=(\d+)/, (_match, seconds: string) => `expires=${Number(seconds) + 1}`),
      url.replace(/expires=\d+/, 'expires=9999999999'),
      url.replace(/\?.*/, ''),
    ]
    for (const wrong of altered) {
      const answer = await get(wrong)
      assert.equal(answer.status, 403, wrong)
      assert.equal(answer.error.code, 'forbidden')
    }
    files.pass(5 * 60_000)
    assert.equal((await get(url)).status, 403)
    files.pass(-5 * 60_000)
    assert.equal((await get(url)).status, 200)
  })

  verifies(
    ['attachments_download.expiry', 'sharing.end'],
    'a download address expires with the membership of its user',
    async () => {
      const [owner, member] = [await files.newUser(), await files.newUser()]
      await files.host.command('project create', { key: 'TEAM', name: 'Team', user: owner.email })
      const { item } = await owner.call('items_create', { project_key: 'TEAM', title: 'Shared' })
      const id = await attach({ ...owner, ref: item.ref }, 'a.pdf', 'application/pdf', PDF)
      await files.share(owner, 'TEAM', member.email, 'viewer')
      const [own, theirs] = [await linkOf(owner, id), await linkOf(member, id)]
      assert.equal((await get(theirs)).status, 200)
      // The signature covers the viewer: the address is invalid without a viewer and with another viewer.
      for (const altered of [theirs.replace(/viewer=[^&]*&/, ''), theirs.replace(member.userId, owner.userId)])
        assert.equal((await get(altered)).status, 403)
      await files.share(owner, 'TEAM', member.email, null)
      assert.equal((await get(theirs)).status, 404)
      assert.equal((await get(own)).status, 200)
    },
  )

  test('an address ends with the credential that asked for it, and with its projects', async () => {
    const { host } = files
    const { userId: ownerId } = host
    const { projects } = await host.call('projects_list')
    const inbox = projects.find((project: { is_inbox: boolean }) => project.is_inbox)
    const [row] = await host.sql<{
      id: string
    }>`select id from projects.projects where owner_id = ${ownerId} and is_inbox`
    await host.command('project create', { key: 'HIDDEN', name: 'Hidden', user: 'owner@example.com' })
    const limited = await host.credential({ projects: [row!.id] })
    const { item } = await limited.call('items_create', { project_key: inbox.key, title: 'Shown' })
    const asLimited = { ...limited, email: '', ref: item.ref }
    const id = await attach(asLimited, 'a.pdf', 'application/pdf', PDF)
    const upload = async () =>
      (
        await limited.call('attachments_upload', {
          parent_kind: 'item',
          parent_ref: item.ref,
          filename: 'b.txt',
          mime_type: 'text/plain',
        })
      ).upload_url
    const [download, first, second] = [await linkOf(asLimited, id), await upload(), await upload()]
    assert.equal((await get(download)).status, 200)
    // The signature covers the credential.
    assert.equal((await get(download.replace(/credential=[^&]*&/, ''))).status, 403)

    await host.confirmed('items_move_project', { item_refs: [item.ref], to_project: 'HIDDEN' })
    assert.equal((await get(download)).status, 404)
    const outside = await put(first, Buffer.from('text'))
    assert.ok(outside.status >= 400 && !outside.body.toString().includes('HIDDEN'), outside.body.toString())

    await host.confirmed('items_move_project', {
      item_refs: [`HIDDEN#${item.ref.split('#')[1]}`],
      to_project: inbox.key,
    })
    assert.equal((await get(download)).status, 200)
    await host.command('token revoke', { id: limited.tokenId })
    assert.equal((await get(download)).status, 403)
    assert.equal((await put(second, Buffer.from('text'))).status, 403)
  })

  test('content that a browser could execute is not shown inline', async () => {
    const user = await files.newUser()
    const active: readonly (readonly [string, string, Buffer])[] = [
      ['a.svg', 'image/svg+xml', SVG],
      ['a.html', 'text/plain', HTML],
      ['a.js', 'text/plain', Buffer.from('alert(1)')],
      ...SAMPLES.filter(([type]) => !/png|gif/.test(type)).map(([type, bytes]) => ['a', type, bytes] as const),
    ]
    for (const [name, type, bytes] of active) {
      const { headers } = await get(await linkOf(user, await attach(user, name, type, bytes)))
      assert.match(String(headers['content-disposition']), /^attachment;/, type)
      assert.match(
        String(headers['content-type']),
        /^(text\/(plain|markdown|csv); charset=utf-8|application\/(pdf|zip|json|octet-stream))$/,
        type,
      )
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
      assert.equal(headers['cache-control'], 'private, no-store')
    }
  })

  test('a harmless picture is shown inline under its own name', async () => {
    const user = await files.newUser()
    const noise = Buffer.concat([GIF, randomBytes(300_000)])
    const id = await attach(user, 'a";\u{1f600}é.gif', 'image/gif', noise)
    const { headers } = await get(await linkOf(user, id))
    assert.equal(headers['content-type'], 'image/gif')
    assert.equal(
      headers['content-disposition'],
      `inline; filename="a_____.gif"; filename*=UTF-8''a%22%3B%F0%9F%98%80%C3%A9.gif`,
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

  verifies(
    'attachments_get.metadata',
    'the metadata of a file is read in one statement, by users who may see the file',
    async () => {
      const user = await files.newUser()
      const stranger = await files.newUser()
      const id = await attach(user, 'a.pdf', 'application/pdf', PDF)
      const { attachment } = await user.call('attachments_get', { attachment_id: id })
      const { created_at: _at, ...facts } = attachment
      assert.deepEqual(facts, {
        id,
        parent_kind: 'item',
        parent_ref: user.ref,
        filename: 'a.pdf',
        mime_type: 'application/pdf',
        size: PDF.length,
        status: 'stored',
      })
      for (const tool of ['attachments_get', 'attachments_download']) {
        assert.equal((await files.statements(() => user.call(tool, { attachment_id: id }))).length, 1)
        assert.equal((await refused(stranger.call(tool, { attachment_id: id }))).code, 'not_found')
        assert.equal((await refused(user.call(tool, { attachment_id: 'nonsense' }))).field, 'attachment_id')
      }
      await files.host.command('project create', { key: 'TEAM', name: 'Team', user: user.email })
      const { item } = await user.call('items_create', { project_key: 'TEAM', title: 'Shared' })
      const shared = await attach({ ...user, ref: item.ref }, 'b.pdf', 'application/pdf', PDF)
      await files.share(user, 'TEAM', stranger.email, 'viewer')
      assert.equal((await stranger.call('attachments_get', { attachment_id: shared })).attachment.filename, 'b.pdf')
      assert.ok((await get(await linkOf(stranger, shared))).body.equals(PDF))
      assert.equal((await refused(stranger.call('attachments_get', { attachment_id: id }))).code, 'not_found')
    },
  )

  test('a file that is missing in the storage is unavailable, and so is its address', async () => {
    const user = await files.newUser()
    const [picture, document] = [
      await attach(user, 'a.png', 'image/png', png()),
      await attach(user, 'a.pdf', 'application/pdf', PDF),
    ]
    const url = await linkOf(user, document)
    for (const id of [picture, document]) await files.lose(`${user.userId}/${id}`)
    const error = await refused(user.call('attachments_download', { attachment_id: picture }))
    assert.equal(error.code, 'unavailable')
    assert.equal((await get(url)).status, 503)
    await files.host.sql`delete from items.items where owner_id = ${user.userId}`
    assert.equal((await get(url)).status, 404)
  })
})
