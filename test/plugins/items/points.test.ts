import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Contribution } from 'tasuki/plugin'
import { itemChecks, itemFields, itemFilters, itemParams, itemSections } from '../../../plugins/items/points.ts'
import { plugin as items } from '../../../plugins/items/index.ts'
import { plugin as portal } from '../../../plugins/portal/index.ts'
import { portalPages } from '../../../plugins/portal/points.ts'
import { plugin as projects } from '../../../plugins/projects/index.ts'
import { plugin as workflows } from '../../../plugins/workflows/index.ts'
import { compilePlugins, spec } from '../../core/runtime/registry/specs.ts'

/** What a plugin in plain JavaScript may write: each would boot, and break calls of everybody. */
const WRONG: readonly (readonly [Contribution, RegExp])[] = [
  [itemChecks({} as never), /items\.checks is wrong: it must be a function/],
  [itemFilters({ key: 'odd', type: 'text', sql: () => sql`true` } as never), /items\.filters has no summary/],
  [filter({ type: 'strange' }), /type must be one of text, .*got "strange"/],
  [filter({ sql: sql`true` }), /sql must be a function/],
  [itemParams({ tools: ['items_make'], params: {}, prepare: () => undefined } as never), /one of items_create, /],
  [itemFields({ when: 'sometimes', fields: {}, sql: sql`null` } as never), /when must be .*got "sometimes"/],
  [itemSections({ name: 'odd', schema: {}, sql: 'select 1' } as never), /sql must be a function/],
  [page({ name: 'Odd' }), /name must be a function/],
  [page({ menu: { place: 'top', rank: 10 } }), /menu → place must be .*\(main\|settings\|.*got "top"/],
  [page({ title: 'Odd' }), /title must be a function/],
]

function filter(more: object): Contribution {
  return itemFilters({
    key: 'odd',
    type: 'text',
    summary: 'x',
    example: 'odd:1',
    sql: () => sql`true`,
    ...more,
  } as never)
}

function page(more: object): Contribution {
  return portalPages({
    path: '/odd',
    title: () => '',
    load: () => null,
    view: () => null,
    open: false,
    ...more,
  } as never)
}

test('the boot stops with the name of the plugin whose contribution has a wrong shape', () => {
  const others = [projects, workflows, items, portal].map(plugin => plugin.spec)
  for (const [contribution, problem] of WRONG) {
    const odd = spec('odd', { dependsOn: ['items', 'portal'], contributes: [contribution] })
    assert.throws(() => compilePlugins([...others, odd]), { name: 'HostError', message: problem })
    assert.throws(() => compilePlugins([...others, odd]), /plugin odd: what it contributes to/)
  }
})
