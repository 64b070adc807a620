import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { nameKey } from 'tasuki/plugin'
import { type AreaRow } from '../../../plugins/areas/area.ts'
import { areaProblems, inTreeOrder, lastOrder, positionArea } from '../../../plugins/areas/position.ts'
import { areaName, areas } from '../../../plugins/areas/placement.repository.ts'
import { findNamed, pathKey, subtree } from '../../../plugins/items/index.ts'

type Stored = Pick<AreaRow, 'id' | 'parentId' | 'name' | 'displayOrder'>

/** Converts stored areas to rows; paths follow from the parents. */
function read(stored: readonly Stored[]): AreaRow[] {
  const place = ({ id, parentId, name, displayOrder }: Stored): AreaRow => {
    const parent = stored.find(other => other.id === parentId)
    const times = { createdAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z' }
    const values = { ownerId: 'o', projectId: 'p', description: null, marked: false, itemCount: 0, ...times }
    return positionArea({ ...values, id, name, displayOrder }, parent ? place(parent) : null)
  }
  return inTreeOrder(stored.map(place))
}

/**
 * A random step that creates or moves an area: its index (a new area if beyond the end), the index of its parent (the top if beyond the
 * end), and its name.
 */
const step = fc.record({
  area: fc.nat(12),
  parent: fc.nat(12),
  name: fc.constantFrom('a', 'A', 'ａ', 'b', 'c', 'd', 'é', 'e\u0301'),
})

test('no sequence of accepted creations and moves breaks the tree', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      let stored: Stored[] = []
      for (const [n, { area: which, parent: below, name }] of steps.entries()) {
        const rows = read(stored)
        const [row, parent] = [rows[which] ?? null, rows[below] ?? null]
        if (areaProblems(rows, name, { row, parent, field: 'parent_path' }).length > 0) continue
        const id = row?.id ?? String(n).padStart(3, '0')
        const moved = { id, name, parentId: parent?.id ?? null, displayOrder: lastOrder(rows, parent) }
        stored = [...stored.filter(other => other.id !== id), moved]
      }
      const rows = read(stored)
      assert.equal(rows.length, stored.length, 'every area can be reached from the top')
      assert.ok(rows.every(row => row.depth <= areas.levels))
      assert.equal(new Set(rows.map(row => row.pathKey)).size, rows.length, 'every path is unique')
      for (const row of rows) {
        assert.equal(findNamed(areas, rows, row.path, { projectKey: 'APP', field: 'area_path' }), row)
        assert.deepEqual(subtree(rows, row)[0], row)
      }
    }),
  )
})

test('a path is found in any case and width, with spaces and slashes around its names', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
    .filter(text => nameKey(text) !== '' && !nameKey(text).includes('/'))
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), names => {
      const key = names.map(nameKey).join('/')
      assert.equal(pathKey(names.join('/')), key)
      assert.equal(pathKey(`/${names.map(each => ` ${each}\u3000`).join('/')}/`), key)
      assert.equal(pathKey(names.map(each => each.normalize('NFD')).join('／')), key)
    }),
  )
})

test('a name is stored as written without surrounding spaces, and never contains a slash', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const usable = nameKey(text) !== '' && !nameKey(text).includes('/')
      if (usable) assert.equal(areaName(text), text.trim())
      else assert.throws(() => areaName(text), { code: 'invalid_argument' })
    }),
  )
})
