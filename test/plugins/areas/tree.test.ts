import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { areaKey, areaName, MAX_DEPTH, pathKey } from '../../../plugins/areas/names.ts'
import { findArea } from '../../../plugins/areas/pick.ts'
import { placeProblems } from '../../../plugins/areas/structure.ts'
import { lastPlace, subtree, treeOf, type AreaRow } from '../../../plugins/areas/tree.ts'

const newRow = (id: string, name: string, parentId: string | null, displayOrder: number): AreaRow => ({
  id,
  parentId,
  name,
  key: areaKey(name),
  description: null,
  displayOrder,
  marked: false,
  itemCount: 0,
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
})

/** Creates or moves: which area (a new one beyond the end), below which (the top beyond the end), under what name. */
const step = fc.record({
  area: fc.nat(12),
  parent: fc.nat(12),
  name: fc.constantFrom('a', 'A', 'ａ', 'b', 'c', 'd', 'é', 'e\u0301'),
})

test('no sequence of accepted creations and moves breaks the tree', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      let rows: AreaRow[] = []
      for (const [n, { area: which, parent: below, name }] of steps.entries()) {
        const tree = treeOf(rows)
        const [area, parent] = [tree[which] ?? null, tree[below] ?? null]
        if (placeProblems(tree, { parent, name, area, parentField: 'parent_path' }).length > 0) continue
        const row = newRow(area?.id ?? String(n).padStart(3, '0'), name, parent?.id ?? null, lastPlace(tree, parent))
        rows = [...rows.filter(({ id }) => id !== row.id), row]
      }
      const tree = treeOf(rows)
      assert.equal(tree.length, rows.length, 'every area can be reached from the top')
      assert.ok(tree.every(node => node.depth <= MAX_DEPTH))
      assert.equal(new Set(tree.map(node => node.pathKey)).size, tree.length, 'every path is unique')
      for (const node of tree) {
        assert.equal(findArea(tree, node.path, { projectKey: 'APP', field: 'area_path' }), node)
        assert.deepEqual(subtree(tree, node)[0], node)
      }
    }),
  )
})

test('a path is found in any case and width, with spaces and slashes around its names', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
    .filter(text => areaKey(text) !== '' && !areaKey(text).includes('/'))
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), names => {
      const key = names.map(areaKey).join('/')
      assert.equal(pathKey(names.join('/')), key)
      assert.equal(pathKey(`/${names.map(each => ` ${each}\u3000`).join('/')}/`), key)
      assert.equal(pathKey(names.map(each => each.normalize('NFD')).join('／')), key)
    }),
  )
})

test('a name is stored as written without surrounding spaces, and never contains a slash', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const usable = areaKey(text) !== '' && !areaKey(text).includes('/')
      if (usable) assert.equal(areaName(text), text.trim())
      else assert.throws(() => areaName(text), { code: 'invalid_argument' })
    }),
  )
})
