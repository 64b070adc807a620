import assert from 'node:assert/strict'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { adminHost } from './admin.ts'

forEachEngine('items_restore_revision and workflows_update', engine => {
  const empty = adminHost(engine)

  verifies(
    'items_restore_revision.restore',
    'a rewrite is undone in one call, without the body, and that can be undone again',
    async () => {
      const host = await empty()
      const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Bug', detail: 'First\r\nbody' })
      const item_ref = item.ref as string
      const body = async (): Promise<string> => (await host.call('items_get', { item_ref })).item.detail
      const { revision_id } = await host.call('items_rewrite_detail', { item_ref, new_detail: 'Second body' })
      await host.call('items_patch', { item_ref, title: 'Bug 2' })
      const undone = await host.call('items_restore_revision', { item_ref, revision_id, reason: 'Too short' })
      assert.deepEqual([await body(), undone.item.title, undone.changed], ['First\r\nbody', 'Bug', ['title', 'detail']])
      const { revisions } = await host.call('note_revisions_list', { item_ref })
      assert.deepEqual(
        [revisions.length, revisions[0].revision_id, revisions[0].note],
        [2, undone.revision_id, 'Too short'],
      )
      const back = await host.call('items_restore_revision', { item_ref, revision_id: undone.revision_id })
      assert.deepEqual([await body(), back.item.title], ['Second body', 'Bug 2'])
      const again = await host.call('items_restore_revision', { item_ref, revision_id: undone.revision_id })
      assert.deepEqual([again.changed, again.revision_id], [[], undefined])
      const other = (await host.call('items_create', { project_key: 'INBOX', title: 'Other' })).item.ref
      await assert.rejects(host.call('items_restore_revision', { item_ref: other, revision_id }), {
        code: 'not_found',
        field: 'revision_id',
      })
    },
  )

  verifies('workflows_update.change', "a user's own workflow enforces a review, and is renamed", async () => {
    const host = await empty()
    await host.command('project create', { key: 'APP', name: 'App' })
    const { workflow } = await host.call('workflows_create', { name: 'Reviewed' })
    const { id: from_state_id } = workflow.states.find(({ name }: { name: string }) => name === 'In progress')
    const { transitions } = await host.call('workflow_transitions_list', { from_state_id })
    const around = transitions.filter(({ to_state }: { to_state: string }) => to_state === 'Done')
    for (const { id } of around)
      await host.confirmed('workflow_transitions_delete', { workflow_id: workflow.id, transition_id: id })
    const enforced = await host.call('workflows_update', { workflow_id: 'Reviewed', enforce_transitions: true })
    assert.deepEqual(enforced, {
      workflow: { id: workflow.id, name: 'Reviewed', enforce_transitions: true },
      changed: ['enforce_transitions'],
    })
    await host.call('projects_update', { project_key: 'APP', workflow_id: 'Reviewed' })
    const { item } = await host.call('items_create', { project_key: 'APP', title: 'x' })
    const move = (state: string) => host.call('items_move_state', { item_ref: item.ref, status_definition_id: state })
    await move('In progress')
    await assert.rejects(move('Done'), { code: 'transition_not_allowed' })
    await move('In review')
    await move('Done')
    await host.call('workflows_create', { name: 'Other' })
    const update = (args: object) => host.call('workflows_update', { workflow_id: 'Reviewed', ...args })
    await assert.rejects(update({ name: 'OTHER' }), { code: 'conflict', field: 'name' })
    await assert.rejects(update({ name: ' ' }), { code: 'invalid_argument', field: 'name' })
    await assert.rejects(update({}), { code: 'missing_argument' })
    assert.deepEqual((await update({ name: 'REVIEWED', enforce_transitions: true })).changed, ['name'])
    await assert.rejects(
      host.call(
        'workflows_update',
        { workflow_id: workflow.id, name: 'x' },
        { meta: { ifUpdatedAt: '2020-01-01T00:00:00Z' } },
      ),
      {
        code: 'stale_write',
      },
    )
    const [system] = await host.sql<{
      id: string
    }>`select id from workflows.workflows where is_system and owner_id = ${host.userId}`
    await assert.rejects(host.call('workflows_update', { workflow_id: system!.id, name: 'Mine' }), {
      code: 'not_user_owned',
    })
  })
})
