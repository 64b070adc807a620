import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createQueryId, DummyDriver, expressionBuilder, Kysely, PostgresQueryCompiler, sql } from 'kysely'
import type { ComparisonOperatorExpression, Expression, RawBuilder, RootOperationNode, SqlBool } from 'kysely'
import { compileFragment, parameterize, renderFragment } from '../../../core/plugin/sql.ts'
import { RememberingCompiler } from '../../../core/db/compiler.ts'
import { postgresDialect } from '../../../core/db/dialect.ts'

type Fragment = RawBuilder<unknown>

// Each template has one call site, so that two statements differ only in the values.
const alone = (one: unknown): Fragment => sql`${one}`
const pair = (one: unknown, other: unknown): Fragment => sql`${one}${other}`
const equal = (one: unknown, other: unknown): Fragment => sql`${one} = ${other}`
const called = (texts: readonly string[], parts: readonly unknown[]): Fragment =>
  sql(texts as unknown as TemplateStringsArray, ...parts)

type Boards = { b: { id: number; name: string; done: boolean } }
const eb = expressionBuilder<Boards, 'b'>()
const db = new Kysely<Boards>({ dialect: postgresDialect(() => new DummyDriver()) })

const { fragment, condition } = fc.letrec<{ fragment: Fragment; part: unknown; condition: Expression<SqlBool> }>(
  tie => {
    const part = tie('part')
    const condition = tie('condition')
    const column = fc.constantFrom('b.id', 'b.name', 'id', 'name')
    const value = fc.constantFrom<unknown>(1, 2, 'a', '')
    const operator = fc.constantFrom<ComparisonOperatorExpression>('=', '<', '!=', 'like')
    const type = fc.constantFrom('text', 'integer', 'date')
    const text = fc.constantFrom('', ', ', 'a', 'b', 'a.b', '"a"', '$1')
    const word = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'a"b')
    return {
      part: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.integer(), fc.constantFrom('a', '', ', ', null, true), fc.constant([1, 2])),
        tie('fragment'),
        condition,
      ),
      condition: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(column, operator, value).map(([one, by, other]) => eb(one as 'b.id', by, other as number)),
        fc.tuple(column, operator, column).map(([one, by, other]) => eb(one as 'b.id', by, eb.ref(other as 'b.id'))),
        fc.tuple(column, fc.boolean()).map(([one, set]) => eb(one as 'b.id', set ? 'is not' : 'is', null)),
        fc
          .tuple(column, fc.array(value, { maxLength: 3 }))
          .map(([one, list]) => eb(one as 'b.id', 'in', list as number[])),
        fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 3 }).map(list =>
          eb(
            eb.refTuple('b.id', 'b.name'),
            'in',
            list.map(([id, name]) => eb.tuple(id as number, name as string)),
          ),
        ),
        fc
          .tuple(column, type, value)
          .map(([one, as, other]) => eb(eb.cast(one as 'b.id', as as 'text'), '=', other as string)),
        fc
          .tuple(fc.constantFrom('lower', 'upper'), column, value)
          .map(([name, one, other]) => eb(eb.fn(name, [one as 'b.id']), '=', other)),
        fc
          .tuple(fc.array(condition, { maxLength: 3 }), fc.boolean())
          .map(([list, all]) => (all ? eb.and(list) : eb.or(list))),
        condition.map(one => eb.not(one)),
        fc.tuple(condition, column, fc.boolean(), fc.boolean()).map(([one, as, distinct, last]) => {
          const read = db
            .selectFrom('b')
            .select(as as 'id')
            .where(one)
          const ordered = last ? read.orderBy('b.name', 'desc').limit(1).offset(2) : read.groupBy('b.id')
          return eb.exists(distinct ? ordered.distinct() : ordered)
        }),
        fc.tuple(condition, fc.boolean()).map(([one, filtered]) => {
          const count = eb.fn.count<number>('b.id')
          return eb(
            db
              .selectFrom('b')
              .select(filtered ? count.filterWhere(one).as('n') : count.distinct().orderBy('b.id').as('n')),
            '=',
            1,
          )
        }),
        fc
          .tuple(condition, value, value)
          .map(([one, then, other]) => eb(eb.case().when(one).then(then).else(other).end(), '=', then)),
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
  },
)

const plain = new PostgresQueryCompiler()
const remembering = new RememberingCompiler()

function texts(node: RootOperationNode): { sql: string; parameters: readonly unknown[] }[] {
  return [plain, remembering, remembering].map(compiler => {
    const { sql: text, parameters } = compiler.compileQuery(node, createQueryId())
    return { sql: text, parameters }
  })
}

test('a cached statement text equals the one that Kysely compiles', () => {
  fc.assert(
    fc.property(fragment, made => {
      const [expected, first, again] = texts(made.toOperationNode())
      assert.deepEqual(first, expected)
      assert.deepEqual(again, expected)
    }),
    { numRuns: 5000 },
  )
})

/** Counts the fragments that Kysely compiles itself. */
class CountingCompiler extends RememberingCompiler {
  written = 0
  protected override append(text: string): void {
    this.written++
    super.append(text)
  }
}

test('the text of typed conditions in a template is compiled once, whatever their values', () => {
  const counting = new CountingCompiler()
  const compile = (made: Expression<SqlBool>) => {
    counting.written = 0
    counting.compileQuery(sql`select from b where ${made}`.toOperationNode(), createQueryId())
    return counting.written
  }
  fc.assert(
    fc.property(condition, made => {
      const { sql: text, parameters } = compileFragment(sql`${made}`)
      // Only Kysely compiles `distinct`, and long lists are compiled each time.
      fc.pre(!text.includes('select distinct') && parameters.length <= 100)
      compile(made)
      // The first compilation may have exceeded the cache limit, which clears the cache.
      compile(made)
      assert.equal(compile(made), 0)
    }),
    { numRuns: 1000 },
  )
  compile(eb('b.id', 'in', [1, 2]))
  assert.equal(compile(eb('b.id', 'in', [3, 4])), 0)
})

test('equal fragments with different values share one text, and long lists are compiled each time', () => {
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

test('a rendered fragment has the text and the values of its parts, also beside a literal that looks like a value', () => {
  fc.assert(
    fc.property(condition, made => {
      const whole = sql`select ${sql.lit('$1')}, ${made}, ${'other'}`
      const [rendered, expected] = [compileFragment(renderFragment(whole)), compileFragment(whole)]
      assert.deepEqual([rendered.sql, rendered.parameters], [expected.sql, expected.parameters])
    }),
  )
})

test('a parameterized fragment is built once and has the values of each call, in the order of the text', () => {
  let built = 0
  const made = parameterize((id: Expression<number>, name: Expression<string>) => {
    built++
    return sql`${eb('b.name', '=', name)} or ${eb('b.id', 'in', [id])} or ${eb('b.name', '<', name)}`
  })
  const [first, second] = [compileFragment(made(1, 'a')), compileFragment(made(2, 'b'))]
  assert.equal(first.sql, '"b"."name" = $1 or "b"."id" in ($2) or "b"."name" < $3')
  assert.deepEqual(first.parameters, ['a', 1, 'a'])
  assert.deepEqual([second.sql, second.parameters], [first.sql, ['b', 2, 'b']])
  assert.equal(built, 1)
})
