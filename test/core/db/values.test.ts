import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeParams } from '../../../core/db/values.ts'

test('values are serialized by the function of node-postgres, which its types do not declare', () => {
  const cases: readonly (readonly [value: unknown, sent: unknown])[] = [
    [null, null],
    [undefined, null],
    ['a"\\', 'a"\\'],
    [true, 'true'],
    [1.5, '1.5'],
    [12345678901234567890n, '12345678901234567890'],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [['a,b', null, '"', [1]], '{"a,b",NULL,"\\"",{"1"}}'],
    [Buffer.from([0, 255]), Buffer.from([0, 255])],
    [new Uint8Array([1, 2]), Buffer.from([1, 2])],
  ]
  assert.deepEqual(
    encodeParams(cases.map(([value]) => value)),
    cases.map(([, sent]) => sent),
  )
})
