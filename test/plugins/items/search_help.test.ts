import assert from 'node:assert/strict'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost } from './setup.ts'

interface Help {
  readonly version: number
  readonly grammar: string
  readonly fields: {
    readonly key: string
    readonly type: string
    readonly example: string
    readonly values?: string[]
  }[]
  readonly relative_dates: string[]
  readonly examples: string[]
}

forEachEngine('search_help', engine => {
  const shared = itemsHost(engine)

  verifies(
    ['search_help.reference', 'search_help.generated'],
    'it lists every key with its values, and all its examples are valid',
    async () => {
      const user = await shared.newUser()
      const help: Help = await user.call('search_help')
      const keys = [
        'type',
        'kind',
        'state',
        'category',
        'is',
        'project',
        'label',
        'priority',
        'due',
        'start',
        'created',
        'updated',
        'completed',
        'activity',
        'area',
        'parent',
        'has',
        'no',
        'ref',
        'number',
        'title',
        'detail',
        'schedule',
      ]
      assert.deepEqual(
        keys.filter(key => !help.fields.some(field => field.key === key)),
        [],
      )
      assert.match(help.grammar, /term = key ":"/)
      const queries = [
        ...help.examples,
        ...help.fields.map(field => field.example),
        ...help.fields.flatMap(({ key, values = [] }) => values.map(value => `${key}:${value}`)),
        ...help.relative_dates.map(
          form =>
            `due:${form.split(':')[0]!.split('..')[0]!.replace('YYYY-MM-DD', '2026-01-31').replace('YYYY-MM', '2026-01')}`,
        ),
      ]
      assert.ok(queries.length > 60)
      for (const q of queries)
        await user.call('tasks_list', { q }).catch((error: Error) => assert.fail(`${q}: ${error.message}`))
    },
  )

  verifies('filter.plugin_keys', 'it lists no keys of disabled plugins', async t => {
    const host = await testHost(t, { engine, config: { plugins: { labels: false, areas: false } } })
    const help: Help = await host.call('search_help')
    assert.deepEqual(
      help.fields.filter(({ key }) => key === 'label' || key === 'area'),
      [],
    )
    assert.doesNotMatch(JSON.stringify(help), /label|area|someday/)
    for (const q of ['label:x', 'area:x', 'schedule:someday', 'has:label']) {
      await assert.rejects(host.call('tasks_list', { q }), { code: 'invalid_query' }, q)
    }
  })
})
