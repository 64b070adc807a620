import assert from 'node:assert/strict'
import { testHost, type TestHost } from 'tasuki/testing'
import { blankItem, newDraft, openPlace, writeItem } from '../../../plugins/items/index.ts'
import { setFeatures } from '../../../plugins/projects/index.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'

/** Events come from the portal and from project_admin; here they are written as those do. */
async function createEvent(host: TestHost, title: string, dueDate: string): Promise<void> {
  const principal = (await host.authenticator.principalOf(host.database.write, host.userId))!
  await host.runner.write(
    {
      principal,
      name: 'test',
      requestId: 'test',
      ifUpdatedAt: null,
      clientName: null,
      signal: new AbortController().signal,
      log: host.app.log,
      client: {
        capabilities: {},
        progress: () => undefined,
        log: () => undefined,
        ask: () => Promise.reject(new Error('nobody')),
      },
    },
    async ctx => {
      const place = await openPlace(ctx, 'INBOX')
      const values = { ...blankItem('event', place), title, dueDate }
      await writeItem(
        ctx,
        newDraft({ project: place, number: place.number, workflowId: place.workflowId, parent: null, values }),
        { tool: 'items_create', input: {} },
      )
    },
  )
}

forEachEngine('events', engine => {
  verifies(
    ['events_list.events', 'events_list.filters', 'events_list.disabled', 'features.disabled_error'],
    'events are listed by date, and not at all while the calendar is off',
    async t => {
      const host = await testHost(t, { engine, config: { plugins: { events: {} } } })
      await createEvent(host, 'Late', '2026-12-24')
      await createEvent(host, 'Early', '2026-12-01')
      await host.call('items_create', { project_key: 'INBOX', title: 'A task' })
      const { items } = await host.call('events_list')
      assert.deepEqual(
        items.map((item: { title: string }) => item.title),
        ['Early', 'Late'],
      )
      assert.equal((await host.call('events_list', { due_before: '2026-12-24' })).items.length, 1)
      assert.equal((await host.call('events_list', { due_after: '2026-12-01', status: 'open' })).items.length, 1)
      assert.equal((await host.statements(() => host.call('events_list'))).length, 1)
      await host.write(ctx => setFeatures(ctx, host.userId, null, { calendar: false }))
      await assert.rejects(host.call('events_list'), { code: 'feature_disabled', hint: /portal|project_features_set/ })
      await host.write(ctx => setFeatures(ctx, host.userId, null, { calendar: true }))
      assert.equal((await host.call('events_list')).items.length, 2)
    },
  )
})
