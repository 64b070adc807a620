import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'tasuki/plugin'
import { compileQuery } from '../../../../plugins/items/query/compile.ts'
import type { ItemFilter } from '../../../../plugins/items/query/filter.ts'
import { searchHelp, shortReference } from '../../../../plugins/items/query/help.ts'
import { builtInFilters } from '../../../../plugins/items/query/built-in-filters.ts'
import { parseQuery } from '../../../../plugins/items/query/parse.ts'
import { filterContext } from './database.ts'

function contributed(key: string, more: Partial<ItemFilter>): ItemFilter {
  return {
    key,
    type: 'name',
    nullable: true,
    summary: `name of the ${key}`,
    example: `${key}:"Alpha"`,
    sql: () => sql`true`,
    ...more,
  }
}
/** Roughly the filters of a deployment with every plugin. */
const filters: readonly ItemFilter[] = [
  ...builtInFilters({
    has: ['label', 'area', 'estimate', 'attachment', 'reminder', 'relation', 'checklist'].map(value => ({
      value,
      summary: value,
      sql: () => sql<boolean>`true`,
    })),
    someday: () => sql`false`,
  }),
  contributed('label', {}),
  contributed('sprint', { symbols: ['@active', '@next'] }),
  contributed('version', {}),
  contributed('area', {}),
  contributed('estimate', { type: 'number', example: 'estimate:>=5' }),
  contributed('relates', { type: 'ref', example: 'relates:#3' }),
  contributed('cf', { family: true, type: 'text', example: 'cf.customer:Acme', summary: 'custom field' }),
  contributed('assignee', { symbols: ['@me'] }),
  ...['author', 'commit', 'branch', 'series', 'template', 'reminder', 'thread'].map(key => contributed(key, {})),
]

describe('searchHelp', () => {
  const help = searchHelp(filters)

  test('fits 1,500 tokens with 37 fields', () => {
    assert.equal(filters.length, 37)
    const tokens = JSON.stringify(help).length / 4
    assert.ok(tokens <= 1500, `about ${tokens} tokens`)
  })

  test('has every registered field', () => {
    assert.deepEqual(
      help.fields.map(field => field.key),
      filters.map(filter => (filter.family === true ? `${filter.key}.<name>` : filter.key)),
    )
  })

  test('all of its examples are accepted', () => {
    const examples = [...help.examples, ...help.fields.map(field => field.example)]
    assert.ok(help.examples.length >= 3)
    for (const example of examples) {
      compileQuery(parseQuery(example), filters, filterContext, { words: () => 'ignore' })
    }
  })

  test('lists operators by type, and with the field where they differ', () => {
    assert.equal(help.ops['date'], '= != < <= > >= ..')
    assert.equal(help.fields.find(field => field.key === 'priority')?.ops, '= != < <= > >= ..')
    assert.equal(help.fields.find(field => field.key === 'due')?.ops, undefined)
  })

  test('shows no example of a key that is not registered', () => {
    assert.ok(searchHelp(builtInFilters()).examples.every(example => !/label|sprint/.test(example)))
  })

  test('the short reference stays below 600 characters, whatever the number of keys', () => {
    assert.match(shortReference(filters), /^Keys: is type .* cf\.<name> .*thisweek\.$/)
    const many = Array.from({ length: 200 }, (_, n) => contributed(`key${n}`, {}))
    for (const list of [filters, many]) assert.ok(shortReference(list).length <= 600)
  })
})
