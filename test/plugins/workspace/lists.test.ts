import assert from 'node:assert/strict'
import { definePlugin, sql } from 'tasuki/plugin'
import { testHost, type TestHost } from 'tasuki/testing'
import { notify } from '../../../plugins/workspace/index.ts'
import { settingSources, type Setting } from '../../../plugins/workspace/points.ts'
import { forEachEngine } from '../../engines.ts'
import { emptiedHost } from '../../shared-host.ts'
import { verifies } from '../../verifies.ts'

forEachEngine('projects_list', engine => {
  const start = emptiedHost(engine)

  verifies(
    ['projects_list.fields', 'projects_list.inbox'],
    'the Inbox comes first, then projects by key with their fields',
    async () => {
      const host = await start()
      await host.command('project create', { key: 'APP', name: 'App', description: 'The app' })
      await host.call('items_create', { project_key: 'APP', title: 'One' })
      await host.call('items_create', { project_key: 'APP', title: 'Two' })
      await host.call('items_complete', { item_ref: 'APP#2' })
      const { projects } = await host.call('projects_list')
      const features = ['calendar', 'sprints', 'roadmap', 'estimation', 'agile_ai']
      assert.deepEqual(projects, [
        {
          key: 'INBOX',
          name: 'Inbox',
          is_inbox: true,
          archived: false,
          estimate_unit: 'points',
          features,
          open_tasks: 0,
        },
        {
          key: 'APP',
          name: 'App',
          description: 'The app',
          is_inbox: false,
          archived: false,
          estimate_unit: 'points',
          features,
          open_tasks: 1,
        },
      ])
    },
  )

  verifies('projects_list.archived', 'archived projects are listed only on request', async () => {
    const host = await start()
    await host.command('project create', { key: 'OLD', name: 'Old' })
    await host.sql`update projects.projects set archived_at = now() where key = 'OLD'`
    const keys = async (args: object): Promise<string[]> =>
      (await host.call('projects_list', args)).projects.map(
        (project: { key: string; archived: boolean }) => `${project.key} ${project.archived}`,
      )
    assert.deepEqual(await keys({}), ['INBOX false'])
    assert.deepEqual(await keys({ include_archived: true }), ['INBOX false', 'OLD true'])
  })

  verifies('projects_list.fields', 'it sends one statement, whatever the number of projects', async () => {
    const host = await start()
    for (const key of ['A', 'B', 'C', 'D']) await host.command('project create', { key, name: key })
    assert.equal((await host.statements(() => host.call('projects_list'))).length, 1)
  })

  verifies('ownership.invisible', 'a credential that is limited to a project sees only that one', async () => {
    const host = await start()
    await host.command('project create', { key: 'APP', name: 'App' })
    const [app] = await host.sql<{ id: string }>`select id from projects.projects where key = 'APP'`
    const limited = await host.credential({ projects: [app!.id] })
    const { projects } = await limited.call('projects_list')
    assert.deepEqual(
      projects.map((project: { key: string }) => project.key),
      ['APP'],
    )
  })
})

forEachEngine('item_kinds_list', engine => {
  const start = emptiedHost(engine)

  verifies(
    ['item_kinds_list.custom', 'item_kinds_list.project_scope'],
    'built-in kinds, then kinds of the project, each with its items',
    async () => {
      const host = await start()
      await host.command('project create', { key: 'APP', name: 'App' })
      await host.command('project create', { key: 'LAB', name: 'Lab' })
      await host.command('project kinds', { key: 'APP', set: 'spike,incident' })
      await host.call('items_create', { project_key: 'APP', title: 'Try it', kind: 'spike' })
      await host.call('items_create', { project_key: 'APP', title: 'Do it' })
      const kinds = async (key: string): Promise<string[]> =>
        (await host.call('item_kinds_list', { project_key: key })).kinds.map(
          (kind: { kind: string; items: number; built_in: boolean }) =>
            `${kind.kind} ${kind.items}${kind.built_in ? '' : ' custom'}`,
        )
      const builtIn = (tasks: number) => ['epic 0', 'story 0', `task ${tasks}`, 'bug 0', 'chore 0']
      assert.deepEqual(await kinds('app'), [...builtIn(1), 'spike 1 custom', 'incident 0 custom'])
      assert.deepEqual(await kinds('LAB'), builtIn(0))
      assert.equal((await host.statements(() => host.call('item_kinds_list', { project_key: 'APP' }))).length, 1)
      await assert.rejects(host.call('item_kinds_list', { project_key: 'NOPE' }), {
        code: 'not_found',
        field: 'project_key',
      })
      await host.command('project kinds', { key: 'LAB', set: 'constructor,__proto__' })
      assert.deepEqual(await kinds('LAB'), [...builtIn(0), 'constructor 0 custom', '__proto__ 0 custom'])
    },
  )
})

forEachEngine('notifications_list', engine => {
  const start = emptiedHost(engine)

  verifies(
    ['notifications_list.status', 'notifications_list.keeps_unread'],
    'unread notifications are listed by default, newest first, and stay unread',
    async () => {
      const host = await start()
      await host.call('items_create', { project_key: 'INBOX', title: 'Call' })
      const { item } = await host.call('items_get', { item_ref: '#1' })
      await host.write(async ctx => {
        const about = { ownerId: host.userId, id: item.id as string }
        await notify(ctx, [
          {
            userId: host.userId,
            kind: 'reminder.due',
            title: 'Call is due',
            body: 'At 10:00',
            item: about,
            data: { lead: 10 },
          },
          { userId: host.userId, kind: 'news', title: 'Welcome' },
        ])
      })
      const first = await host.call('notifications_list')
      assert.deepEqual(
        first.notifications.map(
          ({ created_at, ...rest }: { created_at: string }) => (assert.match(created_at, /Z$/), rest),
        ),
        [
          { kind: 'news', title: 'Welcome', read: false },
          {
            kind: 'reminder.due',
            title: 'Call is due',
            body: 'At 10:00',
            item_ref: 'INBOX#1',
            item_title: 'Call',
            data: { lead: 10 },
            read: false,
          },
        ],
      )
      assert.deepEqual(await host.call('notifications_list'), first)
      assert.equal((await host.call('me_overview')).unread_notifications, 2)
      await host.sql`update workspace.notifications set read_at = now() where kind = 'news'`
      assert.equal((await host.call('notifications_list')).notifications.length, 1)
      const all = await host.call('notifications_list', { status: 'all' })
      assert.deepEqual(
        all.notifications.map((notification: { read: boolean }) => notification.read),
        [true, false],
      )
      assert.equal((await host.statements(() => host.call('notifications_list'))).length, 1)
      // The nearest of allowed says the opposite.
      const read = { field: 'status', hint: 'Choose one of allowed.', allowed: ['unread', 'all'] }
      await assert.rejects(host.call('notifications_list', { status: 'read' }), read)
    },
  )

  verifies('notifications_list.limit', 'limit is 1 to 30, 10 by default', async () => {
    const host = await start()
    const many = Array.from({ length: 12 }, (_, n) => ({ userId: host.userId, kind: 'news', title: `News ${n}` }))
    const sent = await host.statements(() => host.write(ctx => notify(ctx, many)))
    assert.equal(sent.filter(text => text.includes('workspace.notifications')).length, 1)
    const page = await host.call('notifications_list')
    assert.deepEqual([page.notifications.length, page.has_more, page.notifications[0].title], [10, true, 'News 11'])
    const all = await host.call('notifications_list', { limit: 30 })
    assert.deepEqual([all.notifications.length, all.has_more], [12, false])
    for (const limit of [0, 31])
      await assert.rejects(host.call('notifications_list', { limit }), { code: 'invalid_argument', field: 'limit' })
  })

  verifies('ownership.invisible', 'notifications of others, or about invisible items, are not listed', async () => {
    const host = await start()
    const other = await host.user('other@example.com')
    await other.call('items_create', { project_key: 'INBOX', title: 'Theirs' })
    const { item } = await other.call('items_get', { item_ref: '#1' })
    await host.write(ctx =>
      notify(ctx, [
        { userId: host.userId, kind: 'mention', title: 'Theirs', item: { ownerId: other.userId, id: item.id } },
        { userId: other.userId, kind: 'news', title: 'For the other' },
      ]),
    )
    assert.deepEqual((await host.call('notifications_list', { status: 'all' })).notifications, [])
    assert.equal((await host.call('me_overview')).unread_notifications, 0)
    assert.equal((await other.call('notifications_list')).notifications.length, 1)
  })
})

forEachEngine('settings_list', engine => {
  const start = emptiedHost(engine)

  verifies('settings_list.read_only', 'settings carry value and source', async () => {
    const host = await start()
    const { settings } = await host.call('settings_list')
    const byKey = new Map((settings as Setting[]).map(setting => [setting.key, setting]))
    assert.deepEqual(byKey.get('chat.timezone'), { key: 'chat.timezone', value: 'Asia/Tokyo', source: 'default' })
    assert.deepEqual(byKey.get('chat.auto_summary'), { key: 'chat.auto_summary', value: false, source: 'default' })
    assert.deepEqual(byKey.get('features.sprints'), { key: 'features.sprints', value: true, source: 'default' })
    const names = (prefix: string) => [...byKey.keys()].filter(key => key.startsWith(prefix))
    assert.deepEqual([...byKey.keys()], [...byKey.keys()].toSorted())
    assert.deepEqual(names('chat.'), ['chat.auto_summary', 'chat.language', 'chat.timezone'])
    assert.deepEqual(
      names('features.'),
      ['agile_ai', 'calendar', 'estimation', 'roadmap', 'sprints', 'summaries'].map(feature => `features.${feature}`),
    )
    assert.deepEqual(
      names('limits.').map(key => byKey.get(key)!.value),
      [25, 32_000, 100_000, 200],
    )
    assert.equal(host.registry.tools.get('settings_list')?.class, 'R')
    assert.equal((await host.statements(() => host.call('settings_list'))).length, 1)
  })

  verifies('settings_list.models', 'model settings are those of the deployment', async t => {
    const models = async (host: TestHost): Promise<Record<string, unknown>> => {
      const { settings } = await host.call('settings_list', { prefix: 'model.' })
      for (const { source } of settings as Setting[]) assert.equal(source, 'deployment')
      return Object.fromEntries(settings.map(({ key, value }: Setting) => [key, value]))
    }
    assert.deepEqual(await models(await start()), {
      'model.embeddings': 'built-in',
      'model.embeddings_model': 'synonyms/1',
      'model.summaries': 'extractive',
    })
    const plugins = {
      search: { provider: 'none' },
      summaries: { provider: 'openai', base_url: 'http://127.0.0.1:9', model: 'tiny-1' },
    }
    assert.deepEqual(await models(await testHost(t, { engine, config: { plugins } })), {
      'model.embeddings': 'none',
      'model.summaries': 'openai',
      'model.summaries_model': 'tiny-1',
    })
  })

  verifies('settings_list.read_only', 'settings of a user are shown to that user only', async () => {
    const host = await start()
    const traveller = await host.user('traveller@example.com', { timeZone: 'Europe/Paris' })
    await host.sql`insert into workspace.settings (owner_id, key, value, updated_at) values (${traveller.userId}, 'chat.language', '"fr"', now())`
    const chat = async (caller: typeof traveller) =>
      (await caller.call('settings_list', { prefix: 'chat.' })).settings as Setting[]
    assert.deepEqual((await chat(traveller)).slice(1), [
      { key: 'chat.language', value: 'fr', source: 'user' },
      { key: 'chat.timezone', value: 'Europe/Paris', source: 'user' },
    ])
    assert.deepEqual((await chat(host))[1], { key: 'chat.language', value: 'auto', source: 'default' })
  })

  verifies('settings_list.prefix', 'prefix filters the keys', async () => {
    const host = await start()
    const keys = async (prefix: string): Promise<string[]> =>
      (await host.call('settings_list', { prefix })).settings.map((setting: Setting) => setting.key)
    assert.deepEqual(await keys('chat.'), ['chat.auto_summary', 'chat.language', 'chat.timezone'])
    assert.deepEqual(await keys('Chat.L'), ['chat.language'])
    assert.deepEqual(await keys('nope'), [])
  })

  verifies('settings_list.read_only', 'other plugins add keys, from code or in the same statement', async t => {
    const source = settingSources({
      sql: () => sql`select json_build_object('answer', 42)`,
      settings: (_ctx, found) => [
        { key: 'model.embeddings', value: 'local', source: 'deployment' },
        { key: 'model.answer', value: (found as { answer: number }).answer, source: 'deployment' },
      ],
    })
    const plugin = definePlugin({
      name: 'models',
      version: '1.0.0',
      api: 1,
      group: 'workspace',
      dependsOn: ['workspace'],
      contributes: [source],
    })
    const host = await testHost(t, {
      engine,
      plugins: [plugin],
      config: { plugins: { search: false, summaries: false } },
    })
    const { settings } = await host.call('settings_list', { prefix: 'model.' })
    assert.deepEqual(
      settings.map(({ key, value }: Setting) => [key, value]),
      [
        ['model.answer', 42],
        ['model.embeddings', 'local'],
      ],
    )
    assert.equal((await host.statements(() => host.call('settings_list'))).length, 1)
  })
})
