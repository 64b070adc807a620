import assert from 'node:assert/strict'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { verifies } from '../../verifies.ts'
import { adminHost } from './admin.ts'

forEachEngine('project_features_set', engine => {
  const empty = adminHost(engine)

  verifies(
    ['project_features_set.owner', 'features.defaults'],
    'without a project it sets the default of the owner',
    async () => {
      const host = await empty()
      const { settings } = await host.call('settings_list', { prefix: 'features.' })
      assert.deepEqual(
        settings.filter(({ value }: { value: boolean }) => !value).map(({ key }: { key: string }) => key),
        ['features.summaries'],
      )
      const { features, changed, project_key } = await host.call('project_features_set', {
        features: { sprints: false, calendar: true },
      })
      assert.deepEqual(changed, ['sprints'])
      assert.equal(project_key, undefined)
      assert.deepEqual(features, {
        calendar: true,
        sprints: false,
        roadmap: true,
        estimation: true,
        agile_ai: true,
        summaries: false,
      })
      const after = await host.call('settings_list', { prefix: 'features.sprints' })
      assert.deepEqual(after.settings, [{ key: 'features.sprints', value: false, source: 'user' }])
    },
  )

  verifies('features.override', 'the owner of a shared project decides, not the caller', async () => {
    const host = await empty()
    await host.call('projects_create', { key: 'APP', name: 'App' })
    const guest = await host.user('guest@example.com')
    await host.call('project_members_set', { project_key: 'APP', email: 'guest@example.com', role: 'editor' })
    await host.write(ctx => acceptAll(ctx, 'guest@example.com'))
    const version = (name: string) => guest.call('versions_create', { project_key: 'APP', name })
    const none = guest.call('project_features_set', { features: {} })
    await assert.rejects(none, { message: 'features must be an object of at least 1 entry, got an empty object' })
    await guest.call('project_features_set', { features: { roadmap: false, sprints: false } })
    await version('1')
    assert.equal((await guest.call('sprints_list', {})).sprints.length, 0)
    await host.call('sprints_create', { project_key: 'APP', name: 'One', status: 'active' })
    assert.equal((await guest.call('sprints_list', {})).sprints.length, 1)
    await guest.call('project_features_set', { features: { roadmap: true } })
    await host.call('project_features_set', { features: { roadmap: false } })
    await assert.rejects(version('2'), { code: 'feature_disabled' })
    await host.call('project_features_set', { project_key: 'APP', features: { roadmap: true } })
    await version('3')
  })

  verifies(
    ['project_features_set.project', 'features.override'],
    'a project overrides the default, whichever is set first',
    async () => {
      const host = await empty()
      await host.call('projects_create', { key: 'APP', name: 'App' })
      const { features, changed, project_key } = await host.call('project_features_set', {
        project_key: 'app',
        features: { sprints: false },
      })
      assert.deepEqual([features.sprints, changed, project_key], [false, ['sprints'], 'APP'])
      const on = async (): Promise<boolean[]> =>
        (await host.call('projects_list')).projects.map((project: { features: string[] }) =>
          project.features.includes('sprints'),
        )
      assert.deepEqual(await on(), [true, false])
      await host.call('project_features_set', { features: { sprints: false } })
      assert.deepEqual(await on(), [false, false])
      await host.call('project_features_set', { project_key: 'APP', features: { sprints: true } })
      assert.deepEqual(await on(), [false, true])
      const other = await host.user('other@example.com')
      assert.ok((await other.call('projects_list')).projects[0].features.includes('sprints'))
    },
  )

  verifies(
    'project_features_set.project',
    'unknown switches, values that are not boolean and an empty map are refused',
    async () => {
      const host = await empty()
      const refused = (features: object) =>
        host
          .call('project_features_set', { features })
          .then(assert.fail, (error: { code: string; allowed?: string[] }) => error)
      const unknown = await refused({ sprint: true, calendar: false })
      assert.equal(unknown.code, 'unknown_argument')
      assert.ok(unknown.allowed?.includes('sprints'))
      assert.equal((await refused({ sprints: 'off' })).code, 'invalid_argument')
      assert.equal((await refused({})).code, 'invalid_argument')
      assert.equal((await refused({ __proto__x: true })).code, 'unknown_argument')
      await assert.rejects(host.call('project_features_set', { project_key: 'NOPE', features: { sprints: true } }), {
        code: 'not_found',
      })
    },
  )

  verifies('project_features_set.project', 'it sends two or three statements', async () => {
    const host = await empty()
    const count = async (args: object): Promise<number> =>
      (await host.statements(() => host.call('project_features_set', args))).filter(text => /projects\./.test(text))
        .length
    assert.equal(await count({ features: { sprints: false } }), 1)
    assert.equal(await count({ project_key: 'INBOX', features: { sprints: false } }), 2)
  })
})
