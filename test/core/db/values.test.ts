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

test('an instant is sent as it is in every time zone of the machine', t => {
  const { TZ } = process.env
  t.after(() => (TZ === undefined ? delete process.env['TZ'] : (process.env['TZ'] = TZ)))
  for (const zone of ['UTC', 'Asia/Tokyo', 'America/St_Johns', 'Asia/Kathmandu']) {
    process.env['TZ'] = zone
    for (const instant of ['0001-01-02T00:00:00.000', '1800-01-01T12:30:15.123', '2026-03-29T01:30:00.000'])
      assert.deepEqual(encodeParams([new Date(`${instant}Z`)]), [`${instant}+00:00`], zone)
  }
})
