import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPostgreSqlTypeParsers } from '@mikro-orm/sql'
import * as fc from 'fast-check'
import { types } from 'pg'
import { parse as parseArray } from 'postgres-array'
import { codePoint } from '../../code-point.ts'
import { openEmbedded } from '../../../core/db/pglite/client.ts'
import type { EmbeddedDatabase } from '../../../core/db/pglite/client.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let db: EmbeddedDatabase

before(async () => {
  db = await openEmbedded({ dataDir: null, queryTimeout: 10_000, log: quiet })
  await db.exec('create table counter (id int primary key)')
})
after(() => db.close())

const cases: readonly [type: string, literal: string, value: unknown][] = [
  ['date', '2026-11-20', '2026-11-20'],
  ['time', '09:30', '09:30:00'],
  ['timestamp', '2026-11-20 09:30', '2026-11-20 09:30:00'],
  ['timestamptz', '2026-11-20 09:30:00.123+09', '2026-11-20 00:30:00.123+00'],
  ['timestamptz', 'infinity', 'infinity'],
  ['interval', '1 day 2 hours', '1 day 02:00:00'],
  ['json', '{"a": [1, null]}', { a: [1, null] }],
  ['jsonb', '{"b": {"c": "ü"}}', { b: { c: 'ü' } }],
  ['jsonb', '"text"', 'text'],
  ['bool', 'true', true],
  ['bool', 'false', false],
  ['int2', '7', 7],
  ['int4', '-2147483648', -2147483648],
  ['int8', '7', '7'],
  ['int8', '9223372036854775807', '9223372036854775807'],
  ['float8', '0.1', 0.1],
  ['float8', 'NaN', NaN],
  ['float8', '-Infinity', -Infinity],
  ['numeric', '12345678901234567890.10', '12345678901234567890.10'],
  ['uuid', '0199d0c6-7b1e-7c3a-9d5e-000000000001', '0199d0c6-7b1e-7c3a-9d5e-000000000001'],
  ['text', 'NULL', 'NULL'],
  ['text[]', '{a,NULL,"NULL"," x ","a,b","q\\"\\\\",""}', ['a', null, 'NULL', ' x ', 'a,b', 'q"\\', '']],
  ['int4[]', '{{1,2},{3,4}}', [[1, 2], [3, 4]]], // prettier-ignore
  ['int8[]', '{1,9223372036854775807}', ['1', '9223372036854775807']],
  ['uuid[]', '{0199d0c6-7b1e-7c3a-9d5e-000000000001}', ['0199d0c6-7b1e-7c3a-9d5e-000000000001']],
  ['date[]', '{2026-11-20}', ['2026-11-20']],
  ['timestamptz[]', '{2026-11-20 09:30+09}', ['2026-11-20 00:30:00+00']],
  ['bytea', '\\x00ff', Buffer.from([0, 255])],
  ['tsvector', `'a':1`, `'a':1`],
]
const mikroOrm = createPostgreSqlTypeParsers(text => parseArray(text))
for (const [type, literal, value] of cases) {
  test(`${type} ${literal} has the value that the PostgreSQL engine gives`, async () => {
    for (const statement of [
      `select '${literal.replaceAll("'", "''")}'::${type} v, 1 one`,
      `select $1::${type} v, 1 one`,
    ]) {
      const params = statement.includes('$1') ? [literal] : []
      const { rows, fields } = await db.query<{ v: unknown }>(statement, params)
      assert.deepEqual(rows, [{ v: value, one: 1 }])
      const oid = fields[0]?.dataTypeID ?? 0
      const asText = await db.query<{ t: string }>(`select format('%s', '${literal.replaceAll("'", "''")}'::${type}) t`)
      const parse = mikroOrm[oid] ?? (types.getTypeParser as (oid: number) => (text: string) => unknown)(oid)
      assert.deepEqual(rows[0]?.v, parse(asText.rows[0]?.t ?? ''))
    }
  })
}

test('null is null in every type', async () => {
  const { rows } = await db.query(`select null::int a, null::jsonb b, null::text[] c, $1::timestamptz d`, [null])
  assert.deepEqual(rows, [{ a: null, b: null, c: null, d: null }])
})

test('parameters survive a round trip', async () => {
  const text = fc.string({ unit: codePoint }).filter(value => !value.includes('\0'))
  // jsonb has no \u0000, no lone surrogates and no negative zero.
  const json = fc
    .jsonValue({ stringUnit: 'grapheme' })
    .filter(value => !/\\u0000|-0(?![.\d])/.test(JSON.stringify(value)))
  const property = fc.asyncProperty(
    text,
    json,
    fc.array(fc.option(text), { minLength: 1 }),
    fc.boolean(),
    fc.integer(),
    fc.date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-30') }),
    async (string, object, list, flag, integer, instant) => {
      const { rows } = await db.query<Record<string, unknown>>(
        'select $1::text s, $2::jsonb j, $3::text[] l, $4::bool f, $5::int i, $6::timestamptz d, $7::text n',
        [string, JSON.stringify(object), list, flag, integer, instant, undefined],
      )
      const [row] = rows
      assert.equal(row?.['s'], string)
      assert.deepEqual(row?.['j'], JSON.parse(JSON.stringify(object)))
      assert.deepEqual(row?.['l'], list)
      assert.equal(row?.['f'], flag)
      assert.equal(row?.['i'], integer)
      const { rows: same } = await db.query<{ same: boolean }>('select $1::timestamptz = $2::timestamptz same', [
        row?.['d'],
        instant.toISOString(),
      ])
      assert.equal(same[0]?.same, true)
      assert.equal(row?.['n'], null)
    },
  )
  await fc.assert(property, { numRuns: 150 })
})

test('affected rows are counted for writes only', async () => {
  assert.equal((await db.query('insert into counter values (8), (9)')).affectedRows, 2)
  assert.equal((await db.query('delete from counter where id > $1', [5])).affectedRows, 2)
  assert.equal((await db.query('select 1')).affectedRows, undefined)
})
