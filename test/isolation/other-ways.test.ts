import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { TestCaller, TestHost } from 'tasuki/testing'
import { hostOfSuite } from '../host-pool.ts'
import { suiteScope } from '../core/suite-scope.ts'
import { forEachEngine } from '../engines.ts'
import { acceptAll } from '../members.ts'
import { projectId } from './world.ts'

/** Indirect ways to hidden data: stored answers, former keys, refused moves, signed addresses. */
forEachEngine('indirect ways to hidden records', engine => {
  const scope = suiteScope()
  let host: TestHost
  let member: TestCaller
  let limited: TestCaller
  const create = async (project_key: string, title: string): Promise<string> =>
    (await host.call('items_create', { project_key, title })).item.ref
  const setRole = async (role: 'editor' | 'viewer' | null): Promise<void> => {
    await host.call('project_members_set', { project_key: 'TEAM', email: 'member@example.com', role })
    await host.write(ctx => acceptAll(ctx, 'member@example.com'))
  }
  before(async () => {
    host = await hostOfSuite(scope, { engine, config: { plugins: { project_admin: {} } } })
    member = await host.user('member@example.com')
    for (const key of ['TEAM', 'PRIV']) await host.call('projects_create', { key, name: `${key} project` })
    await setRole('editor')
    limited = await host.credential({ projects: [await projectId(host, 'TEAM')] })
  })

  test('a removed member gets no stored answer, and the call does not run again', async () => {
    const meta = { idempotencyKey: 'before' }
    const args = { project_key: 'TEAM', title: 'Written by the member' }
    const own = { project_key: 'INBOX', title: 'Of their own' }
    await member.call('items_create', args, { meta })
    assert.equal((await member.call('items_create', args, { meta })).replayed, true)
    await setRole(null)
    await assert.rejects(member.call('items_create', args, { meta }), error => {
      assert.equal((error as { code?: string }).code, 'idempotency_conflict')
      assert.doesNotMatch(JSON.stringify(error), /Written by/)
      return true
    })
    await member.call('items_create', own, { meta: { idempotencyKey: 'after' } })
    assert.equal((await member.call('items_create', own, { meta: { idempotencyKey: 'after' } })).replayed, true)
    await setRole('editor')
    await assert.rejects(member.call('items_create', args, { meta }), { code: 'idempotency_conflict' })
    const { items } = await host.call('tasks_list', { project_key: 'TEAM', q: '"Written by"' })
    assert.equal(items.length, 1)
  })

  test('a former key names an item only for callers who see its project', async () => {
    const ref = await create('PRIV', 'Moved')
    const number = ref.split('#')[1]
    await host.confirmed('items_move_project', { item_refs: [ref], to_project: 'TEAM' })
    assert.equal((await host.call('items_get', { item_ref: ref })).item.ref, `TEAM#${number}`)
    for (const caller of [member, limited]) {
      const refused = async (item_ref: string): Promise<string> => {
        const error = await caller.call('items_get', { item_ref }).catch((reason: unknown) => reason)
        assert.equal((error as { code?: string }).code, 'not_found')
        return JSON.stringify(error).replaceAll(item_ref, 'X#1')
      }
      assert.equal(await refused(`PRIV#${number}`), await refused(`NONE#${number}`))
    }
    await setRole(null)
    await assert.rejects(member.call('items_get', { item_ref: `owner@example.com/PRIV#${number}` }), {
      code: 'not_found',
    })
    await setRole('editor')
  })

  test('moving an item under its descendant through a hidden item is no cycle, and detaches the descendant', async () => {
    const [top, hidden, low] = [
      await create('TEAM', 'top'),
      await create('PRIV', 'between'),
      await create('TEAM', 'low'),
    ]
    const under = (caller: TestCaller, item_ref: string, parent: string) =>
      caller.call('items_patch', { item_ref, parent })
    await under(host, hidden, top)
    await under(host, low, hidden)
    await assert.rejects(under(host, top, low), { code: 'cycle' })
    const parents = async (): Promise<readonly unknown[]> =>
      Promise.all(
        [top, hidden, low].map(async item_ref => (await host.call('items_get', { item_ref })).item.parent_ref ?? null),
      )
    for (const caller of [member, limited]) {
      await under(caller, top, low)
      assert.deepEqual(await parents(), [low, top, null])
      await assert.rejects(under(caller, low, top), { code: 'cycle' })
      const { activities } = await host.call('activities_list', { item_ref: low, kind: 'item.parent.changed' })
      assert.equal(activities[0].from, hidden)
      for (const [item, parent] of [
        [top, null],
        [low, hidden],
      ] as const)
        await host.call('items_patch', { item_ref: item, parent })
    }
  })

  test('a limited credential learns what to do about a workflow that others use, but not who uses it', async () => {
    const { workflow } = await host.call('workflows_create', { name: 'Ours' })
    for (const project_key of ['TEAM', 'PRIV'])
      await host.confirmed('projects_update', { project_key, workflow_id: workflow.id })
    const error = await limited
      .call('workflow_states_create', { workflow_id: workflow.id, name: 'New', system_status: 'open' })
      .catch((reason: unknown) => reason)
    assert.match(String((error as { hint?: string }).hint), /copy this one/)
    assert.doesNotMatch(JSON.stringify(error), /PRIV|other projects|also used/)
  })

  test('an upload address expires with the membership, and a guessed file id behaves like a missing file', async () => {
    const ref = await create('TEAM', 'With files')
    const file = { parent_kind: 'item', parent_ref: ref, filename: 'a.txt', mime_type: 'text/plain' }
    const { upload_url: address } = await member.call('attachments_upload', file)
    const { attachment } = await host.call('attachments_upload', { ...file, content_base64: 'aGVsbG8=' })
    const { download_url: download } = await member.call('attachments_download', { attachment_id: attachment.id })
    await setRole(null)
    const put = await host.app.inject({
      method: 'PUT',
      url: new URL(address).pathname + new URL(address).search,
      payload: 'hello',
      headers: { 'content-type': 'text/plain' },
    })
    assert.equal(put.statusCode, 404, put.body)
    const get = await host.app.inject({ method: 'GET', url: new URL(download).pathname + new URL(download).search })
    assert.equal(get.statusCode, 404)
    const guess = async (id: string) => {
      const { statusCode, body } = await host.app.inject({
        method: 'GET',
        url: `/attachments/download/${host.userId}/${id}?expires=9999999999&signature=AAAA`,
      })
      return `${statusCode} ${body}`
    }
    assert.equal(await guess(attachment.id), await guess('01980000-0000-7000-8000-000000000000'))
    await setRole('editor')
  })
})
