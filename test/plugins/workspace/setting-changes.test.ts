import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestHost } from 'tasuki/testing'
import { setFeatures, type ProjectRow } from '../../../plugins/projects/index.ts'
import { share } from '../../members.ts'
import { forEachEngine } from '../../engines.ts'
import { emptiedHost } from '../../shared-host.ts'
import { verifies } from '../../verifies.ts'

interface Entry {
  readonly kind: string
  readonly from: Record<string, unknown> | null
  readonly to: Record<string, unknown> | null
  readonly actor: string
  readonly client: string | null
  readonly credential: string | null
  readonly call: string
  readonly project: string | null
}

forEachEngine('changes that belong to no item', engine => {
  const empty = emptiedHost(engine)
  const start = async (): Promise<TestHost> => {
    const host = await empty()
    await host.command('project create', { key: 'APP', name: 'App' })
    return host
  }
  const entries = (host: TestHost): Promise<readonly Entry[]> => host.sql<Entry>`
    select a.kind, a.from_value as "from", a.to_value as "to", a.actor_kind as actor, a.client, a.credential_label as credential,
      a.call, p.key as project
    from workspace.activities a left join projects.projects p on p.owner_id = a.owner_id and p.id = a.project_id
    where a.owner_id = ${host.userId} and a.item_id is null order by a.id
  `
  const project = { project_key: 'APP' }

  verifies(
    ['activities.every_write', 'actors.kept'],
    'are recorded with the changed values, the actor, the credential and the tool',
    async () => {
      const host = await start()
      await host.call('sprints_create', { ...project, name: 'One', goal: 'Ship' })
      await host.call('sprints_update', { ...project, sprint: 'One', goal: 'Ship it' })
      await host.call('sprints_note_set', { ...project, sprint: 'One', slot: 'retro', body: 'x'.repeat(5000) })
      const [made, created, changed, note, ...more] = await entries(host)
      assert.deepEqual(more, [])
      assert.deepEqual([made!.kind, made!.actor, made!.call], ['project.created', 'system', 'project create'])
      const { id } = created!.to!
      assert.deepEqual(created, {
        kind: 'sprint.created',
        from: null,
        to: { id, name: 'One', goal: 'Ship', status: 'planning' },
        actor: 'agent',
        client: created!.client,
        credential: 'token of owner@example.com',
        call: 'sprints_create',
        project: 'APP',
      })
      assert.deepEqual(
        [changed!.kind, changed!.from, changed!.to],
        ['sprint.changed', { id, name: 'One', goal: 'Ship' }, { id, name: 'One', goal: 'Ship it' }],
      )
      assert.deepEqual([note!.kind, (note!.to!['body'] as { length: number }).length], ['sprint.note.changed', 5000])
    },
  )

  verifies('activities.every_write', 'are not recorded if nothing changed or the call was refused', async () => {
    const host = await start()
    await host.call('versions_create', { ...project, name: '1.0', description: 'First' })
    const before = await entries(host)
    await host.call('versions_update', { ...project, version: '1.0', description: 'First' })
    await assert.rejects(host.call('versions_create', { ...project, name: '1.0' }))
    await assert.rejects(host.call('versions_delete', { ...project, version: '2.0' }))
    assert.deepEqual(await entries(host), before)
  })

  test('are also recorded for pages and the command line', async () => {
    const host = await start()
    await host.user('bob@example.com')
    const [row] = await host.sql<ProjectRow>`
      select owner_id as "ownerId", id, key, name from projects.projects where owner_id = ${host.userId} and key = 'APP'`
    await host.write(ctx => share(ctx, row!, 'bob@example.com', 'viewer'))
    await host.write(ctx => share(ctx, row!, 'bob@example.com', 'viewer'))
    await host.write(ctx => setFeatures(ctx, host.userId, null, { calendar: false }))
    const owner = { user: 'owner@example.com' }
    await host.command('workflow copy', { name: 'Own', ...owner })
    await host.command('series create', { key: 'bill', prefix: 'BILL', ...owner })
    const [, invitation, member, features, workflow, series, ...more] = await entries(host)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [invitation!.kind, invitation!.to!['role'], invitation!.to!['invited']],
      ['project.member.changed', 'viewer', true],
    )
    assert.deepEqual([member!.kind, member!.to!['role'], member!.project], ['project.member.changed', 'viewer', 'APP'])
    assert.deepEqual(
      [features!.kind, features!.from!['calendar'], features!.to!['calendar'], features!.project],
      ['features.changed', true, false, null],
    )
    assert.deepEqual([workflow!.kind, workflow!.to!['name']], ['workflow.created', 'Own'])
    assert.deepEqual([series!.kind, series!.to!['prefix']], ['series.created', 'BILL'])
  })

  test('do not displace changes of items in the overview', async () => {
    const host = await start()
    await host.call('items_create', { ...project, title: 'Look at me' })
    for (let n = 0; n < 12; n++) await host.call('project_labels_create', { ...project, name: `label ${n}` })
    const { recent_activity } = await host.call('me_overview')
    assert.deepEqual(
      recent_activity.map((each: { title: string }) => each.title),
      ['Look at me'],
    )
  })
})
