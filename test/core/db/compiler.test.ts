import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createQueryId, PostgresQueryCompiler, sql, type RawBuilder, type RootOperationNode } from 'kysely'
import { RememberingCompiler } from '../../../core/db/compiler.ts'

type Fragment = RawBuilder<unknown>

// One place in the program each, so that only what is put in tells two statements apart.
const alone = (one: unknown): Fragment => sql`${one}`
const pair = (one: unknown, other: unknown): Fragment => sql`${one}${other}`
const equal = (one: unknown, other: unknown): Fragment => sql`${one} = ${other}`
const called = (texts: readonly string[], parts: readonly unknown[]): Fragment =>
  sql(texts as unknown as TemplateStringsArray, ...parts)

const { fragment } = fc.letrec<{ fragment: Fragment; part: unknown }>(tie => {
  const part = tie('part')
  const text = fc.constantFrom('', ', ', 'a', 'b', 'a.b', '"a"', '$1')
  const word = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'a"b')
  return {
    part: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.integer(), fc.constantFrom('a', '', ', ', null, true), fc.constant([1, 2])),
      tie('fragment'),
    ),
    fragment: fc.oneof(
      { maxDepth: 4 },
      text.map(sql.raw),
      word.map(name => sql.ref(name)),
      word.map(name => sql.table(name)),
      fc.array(fc.constantFrom('a', 'b', 'a"b'), { minLength: 1, maxLength: 3 }).map(names => sql.id(...names)),
      fc.constantFrom('a', '', 1, 1.5, true, false, null).map(literal => sql.lit(literal)),
      part.map(alone),
      fc.tuple(part, part).map(([one, other]) => pair(one, other)),
      fc.tuple(part, part).map(([one, other]) => equal(one, other)),
      fc.tuple(part, word).map(([one, name]) => alone(alone(one).as(name))),
      fc.tuple(part, text).map(([one, alias]) => alone(alone(one).as(sql.raw(alias)))),
      fc.array(part, { maxLength: 3 }).map(parts => sql.join(parts)),
      fc.array(part, { maxLength: 3 }).map(parts => sql.join(parts, sql``)),
      fc.array(fc.tuple(part, text), { maxLength: 3 }).map(parts =>
        called(
          ['a', ...parts.map(([, after]) => after)],
          parts.map(([one]) => one),
        ),
      ),
    ),
  }
})

const plain = new PostgresQueryCompiler()
const remembering = new RememberingCompiler()

function texts(node: RootOperationNode): { sql: string; parameters: readonly unknown[] }[] {
  return [plain, remembering, remembering].map(compiler => {
    const { sql: text, parameters } = compiler.compileQuery(node, createQueryId())
    return { sql: text, parameters }
  })
}

test('a cached statement text is the one that Kysely compiles', () => {
  fc.assert(
    fc.property(fragment, made => {
      const [expected, first, again] = texts(made.toOperationNode())
      assert.deepEqual(first, expected)
      assert.deepEqual(again, expected)
    }),
    { numRuns: 5000 },
  )
})

test('equal parts with other values share one text, and long lists are compiled each time', () => {
  const read = (id: number) => remembering.compileQuery(sql`select ${id}`.toOperationNode(), createQueryId())
  assert.deepEqual(
    [read(1), read(2)].map(query => query.parameters),
    [[1], [2]],
  )
  assert.equal(read(1).sql, 'select $1')
  const list = sql.join(Array.from({ length: 300 }, (_, n) => n))
  const [expected, first] = texts(sql`select ${list}`.toOperationNode())
  assert.deepEqual(first, expected)
})

test('a full cache evicts statements and never mixes them', () => {
  for (let n = 0; n < 30_000; n++) {
    const node = sql`select ${sql.raw(`c${n}`)}, ${n}`.toOperationNode()
    const { sql: text, parameters } = remembering.compileQuery(node, createQueryId())
    assert.deepEqual([text, parameters], [`select c${n}, $1`, [n]])
  }
})
