import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validate, version } from 'uuid'
import { isUuid, uuid } from '../../core/plugin/uuid.ts'

test('ids are UUIDs of version 7, increase within a millisecond, and contain their time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 5000 }, uuid)
  assert.ok(ids.every(id => validate(id) && version(id) === 7))
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
  const timestamp = Number.parseInt(ids[0]!.replaceAll('-', '').slice(0, 12), 16)
  assert.ok(timestamp >= before && timestamp <= Date.now())
})

test('a UUID is recognised in upper and lower case, and other texts are not', () => {
  const id = uuid()
  assert.ok([id, id.toUpperCase(), '00000000-0000-0000-0000-000000000000'].every(isUuid))
  for (const text of ['', `${id} `, id.slice(1), `${id}0`, id.replaceAll('-', ''), `{${id}}`]) {
    assert.equal(isUuid(text), false, text)
  }
})
