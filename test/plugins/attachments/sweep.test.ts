import assert from 'node:assert/strict'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql, uuid } from 'tasuki/plugin'
import { lockQuota } from '../../../plugins/attachments/upload.repository.ts'
import { storageOf } from '../../../plugins/attachments/storage/choose.ts'
import { filesHost, forEachStore, get, put, type Newcomer } from './setup.ts'

const HOUR = 3_600_000
const FILE = { parent_kind: 'item', filename: 'a.txt', mime_type: 'text/plain' }

const attach = async (user: Newcomer): Promise<string> => {
  const call = user.call('attachments_upload', { ...FILE, parent_ref: user.ref, content_base64: 'YQ==' })
  return (await call).attachment.id
}

forEachStore('the sweep of attachments', (engine, store) => {
  const files = filesHost(engine, store)

  test('files of deleted items are removed, others stay', async () => {
    const user = await files.newUser()
    const other = await files.newUser()
    await attach(user)
    const kept = await attach(other)
    await files.host.sql`delete from items.items where owner_id = ${user.userId}`
    await files.run('sweep')
    assert.deepEqual(await files.stored(user.userId), [])
    assert.deepEqual(await files.stored(other.userId), [`${other.userId}/${kept}`])
    const { download_url } = await other.call('attachments_download', { attachment_id: kept })
    assert.equal((await get(download_url)).body.toString(), 'a')
  })

  test('uploads that never happened expire, and remains of crashed ones are removed', async () => {
    const user = await files.newUser()
    const live = await attach(user)
    const { upload_url, attachment } = await user.call('attachments_upload', { ...FILE, parent_ref: user.ref })
    assert.equal((await put(upload_url, Buffer.from('b'))).status, 201)
    // The state after the process died between writing to the storage and to the database.
    await files.host.sql`
      update attachments.attachments set state = 'receiving', expires_at = now() + interval '16 minutes' where id = ${attachment.id}`
    const incoming = join(files.host.dataDir, 'attachments', 'incoming')
    await mkdir(incoming, { recursive: true })
    await writeFile(join(incoming, 'left'), 'behind')
    await utimes(join(incoming, 'left'), new Date(Date.now() - HOUR - 1000), new Date(Date.now() - HOUR - 1000))
    await writeFile(join(incoming, 'under way'), '')

    await files.run('expire')
    await files.run('sweep')
    assert.deepEqual(await files.incoming(), ['under way'])
    assert.equal((await files.stored(user.userId)).length, 2)
    files.pass(16 * 60_000)
    await files.run('expire')
    await files.run('sweep')
    files.pass(-16 * 60_000)
    assert.deepEqual(await files.stored(user.userId), [`${user.userId}/${live}`])
    const rows = await files.host.sql<{ id: string }>`
      select id from attachments.attachments where owner_id = ${user.userId}`
    assert.deepEqual(
      rows.map(({ id }) => id),
      [live],
    )
  })

  test('a file whose upload is not committed yet stays', async () => {
    const user = await files.newUser()
    const first = await attach(user)
    const id = uuid()
    const bytes = join(files.host.dataDir, 'new')
    let swept: Promise<void> | undefined
    await files.host.write(async ctx => {
      await lockQuota(ctx, user.userId)
      await sql`
        insert into attachments.attachments select (jsonb_populate_record(a, jsonb_build_object('id', ${id}::text))).*
        from attachments.attachments a where a.owner_id = ${user.userId} and a.id = ${first}
      `.execute(ctx.db)
      await writeFile(bytes, 'a')
      await storageOf(ctx).put(`${user.userId}/${id}`, bytes, 1)
      swept = files.run('sweep')
      await new Promise(resolve => setTimeout(resolve, 300))
    })
    await swept
    assert.deepEqual(await files.stored(user.userId), [`${user.userId}/${first}`, `${user.userId}/${id}`])
  })

  test('files of unknown users stay', async () => {
    const user = await files.newUser()
    const id = await attach(user)
    await files.host.sql`delete from items.items where owner_id = ${user.userId}`
    await files.host.sql`delete from core.users where id = ${user.userId}`
    await files.run('sweep')
    assert.deepEqual(await files.stored(user.userId), [`${user.userId}/${id}`])
  })

  test('the sweep continues after each page', async () => {
    const users = [await files.newUser(), await files.newUser(), await files.newUser()].toSorted((a, b) =>
      a.userId < b.userId ? -1 : 1,
    )
    const counts = () => Promise.all(users.map(async ({ userId }) => (await files.stored(userId)).length))
    const ids: string[] = []
    for (const user of users) ids.push(await attach(user))
    for (const { userId } of users) await files.host.sql`delete from items.items where owner_id = ${userId}`
    await files.run('sweep', { after: `${users[1]!.userId}/${ids[1]}` })
    assert.deepEqual(await counts(), [1, 1, 0])
    await files.run('sweep')
    assert.deepEqual(await counts(), [0, 0, 0])
  })
})
