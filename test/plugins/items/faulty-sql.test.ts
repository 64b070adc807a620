import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin, sql, Type, type Contribution } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { loggerOptions } from '../../../core/host/log-stream.ts'
import {
  itemFields,
  itemFilters,
  itemGrepFields,
  itemHas,
  itemIs,
  itemPolicies,
  itemSections,
  itemSomeday,
} from '../../../plugins/items/points.ts'
import { forEachEngine } from '../../engines.ts'

type Sql = () => never

const fail: Sql = () => {
  throw new Error('out of paper')
}
const harmless = (() => sql`null`) as Sql
const refused = (() => sql`faulty.nowhere`) as Sql
const nothing = (() => undefined) as unknown as Sql

/** Each point whose contributions are SQL, with a call that uses it. */
const POINTS: Readonly<Record<string, readonly [(broken: Sql) => Contribution, string, object]>> = {
  fields: [
    broken => itemFields({ when: 'include_odd', summary: 'x', fields: { odd: Type.Any() }, sql: broken }),
    'tasks_list',
    { include_odd: true },
  ],
  policies: [broken => itemPolicies({ name: 'odd', sql: broken }), 'tasks_list', { include_agile: true }],
  sections: [
    broken => itemSections({ name: 'odd', schema: Type.Any(), sql: broken }),
    'items_context_get',
    { item_ref: '#1', include: ['odd'] },
  ],
  filters: [
    broken => itemFilters({ key: 'odd', type: 'text', summary: 'x', example: 'x', sql: broken }),
    'tasks_list',
    { q: 'odd:1' },
  ],
  is: [broken => itemIs({ value: 'odd', summary: 'x', sql: broken }), 'tasks_list', { q: 'is:odd' }],
  has: [broken => itemHas({ value: 'odd', summary: 'x', sql: broken }), 'tasks_list', { q: '-has:odd' }],
  no: [broken => itemHas({ value: 'odder', summary: 'x', sql: broken }), 'tasks_list', { q: 'no:odder' }],
  someday: [itemSomeday, 'tasks_list', { q: 'schedule:someday' }],
  grepFields: [
    broken => itemGrepFields({ name: 'odd', byDefault: true, texts: broken }),
    'items_grep',
    { pattern: 'milk' },
  ],
}

forEachEngine('SQL that a plugin adds', engine => {
  test('names its plugin in the log if it throws, or if the database refuses it', async t => {
    const lines: { call?: string; err?: { plugin?: string } }[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const parts: Record<string, Sql> = {}
    const plugin = definePlugin({
      name: 'faulty',
      version: '1.0.0',
      api: 1,
      dependsOn: ['items'],
      contributes: Object.entries(POINTS).map(([point, [contribute]]) =>
        contribute(() => (parts[point] ?? harmless)()),
      ),
    })
    const logger = { ...loggerOptions({ logLevel: 'error' }), stream }
    const host = await testHost(t, { engine, plugins: [plugin], logger })
    await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk' })
    for (const [point, [, tool, input]] of Object.entries(POINTS)) {
      for (const broken of [fail, nothing, refused]) {
        parts[point] = broken
        lines.length = 0
        await assert.rejects(host.call(tool, input), { code: 'internal' }, point)
        assert.deepEqual(
          lines.map(({ call, err }) => [call, err?.plugin]),
          [[tool, 'faulty']],
          point,
        )
      }
      delete parts[point]
    }
  })
})
