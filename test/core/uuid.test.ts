import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validate, version } from 'uuid'
import { uuid } from '../../core/plugin/uuid.ts'

test('ids are UUIDs of version 7, increase within a millisecond, and contain their time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 5000 }, uuid)
  assert.ok(ids.every(id => validate(id) && version(id) === 7))
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
  const told = Number.parseInt(ids[0]!.replaceAll('-', '').slice(0, 12), 16)
  assert.ok(told >= before && told <= Date.now())
})
