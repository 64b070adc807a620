import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dependencyOrder } from '../../../../core/runtime/registry/order.ts'
import { spec } from './specs.ts'

/** Returns the sorted names of plugins. `needs` are required plugins, `uses` optional ones. */
function orderOf(plugins: Readonly<Record<string, { readonly needs?: string[]; readonly uses?: string[] }>>): string {
  const specs = Object.entries(plugins).map(([name, { needs, uses }]) => ({
    spec: spec(name, { ...(needs && { dependsOn: needs }), ...(uses && { optionalDependsOn: uses }) }),
  }))
  const order = dependencyOrder(specs).map(plugin => plugin.spec.name)
  assert.deepEqual(
    dependencyOrder(specs.toReversed()).map(plugin => plugin.spec.name),
    order,
    'in whatever order they are configured',
  )
  return order.join(' ')
}

describe('the order of plugins', () => {
  test('places each plugin after those that it needs and uses, otherwise by name', () => {
    assert.equal(orderOf({ a: {}, b: {}, c: {} }), 'a b c')
    assert.equal(orderOf({ a: { needs: ['c'] }, b: {}, c: {} }), 'c a b')
    assert.equal(orderOf({ a: { uses: ['c'] }, b: {}, c: {} }), 'c a b')
    assert.equal(orderOf({ a: { uses: ['b'] }, b: { uses: ['d'] }, c: {}, d: { needs: ['c'] } }), 'c d b a')
  })

  test('ignores disabled plugins', () => {
    assert.equal(orderOf({ a: { uses: ['zebra', 'b'] }, b: {} }), 'b a')
  })

  test('gives needs precedence over uses, so that a plugin may use its dependent', () => {
    assert.equal(orderOf({ portal: { needs: ['projects'] }, projects: { uses: ['portal'] } }), 'projects portal')
    // Indirect dependencies.
    assert.equal(
      orderOf({ items: { needs: ['projects'] }, portal: { needs: ['items'] }, projects: { uses: ['portal'] } }),
      'projects items portal',
    )
  })

  test('is deterministic for plugins that use each other: the first name comes later', () => {
    assert.equal(orderOf({ a: { uses: ['b'] }, b: { uses: ['a'] } }), 'b a')
    assert.equal(orderOf({ a: { uses: ['b'] }, b: { uses: ['c'] }, c: { uses: ['a'] } }), 'c b a')
  })
})
