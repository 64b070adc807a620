import { createQueryId, expressionBuilder, isOperationNodeSource, PostgresQueryCompiler, sql } from 'kysely'
import type {
  AliasableExpression,
  ComparisonOperatorExpression,
  CompiledQuery,
  Expression,
  ExpressionBuilder,
  Kysely,
  RawBuilder,
  RootOperationNode,
  SqlBool,
} from 'kysely'
import { FIXED_PLAN } from './fixed-plan.ts'
import type { Tables } from './tables.ts'

const isoFragments = new Map<string, RawBuilder<string>>()

/** Converts a timestamptz column to ISO 8601 UTC text with milliseconds and `Z`, the same on both engines; null stays null. */
export function iso(column: string): RawBuilder<string> {
  // Cached, because a read uses about a dozen of them and there are few different columns.
  const fragment =
    isoFragments.get(column) ??
    renderFragment(sql<string>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
  isoFragments.set(column, fragment)
  return fragment
}

/**
 * Marker for a statement that has the same best plan for all values: it finds rows by a unique key, or inserts. PostgreSQL then caches the
 * plan, because planning may take longer than the execution. All other statements are planned for their values each time, because owners
 * differ in size.
 */
export const fixedPlan: RawBuilder<unknown> = sql.raw(FIXED_PLAN)

const compiler = new PostgresQueryCompiler()

/** Compiles a fragment to its text and parameters, without running it. */
export function compileFragment(fragment: Expression<unknown>): Pick<CompiledQuery, 'sql' | 'parameters'> {
  return compiler.compileQuery(fragment.toOperationNode() as RootOperationNode, createQueryId())
}

/** Compiles each value to a character that no SQL contains, at which the text is split. */
class SplittingCompiler extends PostgresQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '\0'
  }
}
const splittingCompiler = new SplittingCompiler()
/** Few texts are rendered; those of callers differ by the number of projects that are shared with them. */
const MAX_TEMPLATES = 2000
const templates = new Map<string, TemplateStringsArray>()

/** Compiles a fragment to one text with values, because building statements of many parts takes longer than sending them. */
export function renderFragment<T>(fragment: Expression<T>): RawBuilder<T> {
  const { template, parameters } = renderTemplate(fragment)
  return sql<T>(template, ...parameters)
}

/** Returns the same template for the same text, because the compiler of statements caches by template. */
function renderTemplate(fragment: Expression<unknown>) {
  const node = fragment.toOperationNode() as RootOperationNode
  const { sql: text, parameters } = splittingCompiler.compileQuery(node, createQueryId())
  const strings = text.split('\0')
  const template: TemplateStringsArray = templates.get(text) ?? Object.assign(strings, { raw: strings })
  if (templates.size >= MAX_TEMPLATES) templates.clear()
  templates.set(text, template)
  return { template, parameters }
}

/** Compiles a fragment once and returns a function that fills in its values. @param build gets an expression in the place of each value */
export function parameterize<V extends readonly unknown[], T>(
  build: (...values: { [N in keyof V]: Expression<V[N]> }) => Expression<T>,
): (...values: V) => RawBuilder<T> {
  const places = Array.from({ length: build.length }, () => Symbol('value'))
  const { template, parameters } = renderTemplate(build(...(places.map(place => sql.val(place)) as never)))
  const order = parameters.map(parameter => places.indexOf(parameter as symbol))
  return (...values) => sql<T>(template, ...order.map(n => values[n]))
}

/** Builds a LIKE pattern that finds the text anywhere. */
export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, match => `\\${match}`)}%`
}

/** An empty fragment, for a part that is omitted. */
export const noSql: RawBuilder<never> = sql.raw('')

/** A condition for `where`: an expression of the query builder, or a template. */
export type Condition = Expression<SqlBool>

type Aliases = Readonly<Record<string, keyof Tables>>
type Aliased<A extends Aliases> = Tables & { [Alias in keyof A]: Tables[A[Alias]] }

/**
 * Returns an expression builder for tables by alias, for parts of statements: `expressions<{ i: 'items.items' }>()('i.type', '=', 'task')`.
 * Columns and values are type-checked.
 */
export function expressions<A extends Aliases>(): ExpressionBuilder<Aliased<A>, keyof A> {
  return expressionBuilder<Aliased<A>, keyof A>()
}

const untyped = expressionBuilder<Record<string, Record<string, unknown>>, string>()

/** Builds a comparison without type checks: a column by alias and name, or an expression, with a value or another expression. */
export function compare(
  left: string | Expression<unknown>,
  operator: ComparisonOperatorExpression,
  right: unknown,
): Condition {
  return untyped(left, operator, right)
}

type ColumnType = 'boolean' | 'date' | 'integer' | 'numeric' | 'text' | 'timestamptz' | 'uuid'

/** Casts a value or an expression, for places where PostgreSQL cannot infer the type. */
export function castTo<T = unknown>(value: unknown, type: ColumnType): AliasableExpression<T> {
  return untyped.cast<T>(isOperationNodeSource(value) ? (value as Expression<unknown>) : untyped.val(value), type)
}

/** Returns the new time of change: now, but at least one millisecond after the last change, because `requireUnchanged` compares the two. */
export function nextUpdate({ now }: { readonly now: Date }, column: string): RawBuilder<string> {
  return sql`greatest(${now}::timestamptz, ${sql.ref(column)} + interval '1 millisecond')`
}

/** Converts a text to lower case, for case-insensitive comparisons. */
export function lower(text: string | Expression<unknown>): Expression<string> {
  return untyped.fn<string>('lower', [text])
}

/** Puts an expression in parentheses: a nested condition, or a scalar subquery. */
export function parens<T>(expression: Expression<T>): AliasableExpression<T> {
  return untyped.parens(expression)
}

/** Condition that a subquery has rows. @param read from the query builder, or a template with everything after `select` */
export function exists(read: Expression<unknown>): AliasableExpression<boolean> {
  return 'isRawBuilder' in read ? sql<boolean>`exists (select ${read})` : untyped.exists(read).$castTo<boolean>()
}

/** Condition that a table has a row with the same columns: `rowExists('risk.remarks', { owner_id: 'i.owner_id', item_id: 'i.id' })`. */
export function rowExists(table: keyof Tables, columns: Readonly<Record<string, string>>): RawBuilder<boolean> {
  const equal = Object.entries(columns).map(([name, other]) => compare(`r.${name}`, '=', sql.ref(other)))
  return renderFragment(sql<boolean>`exists (select from ${sql.table(table)} r where ${allOf(equal)})`)
}

/**
 * Condition that no other row has the name key, among the rows that are equal in the columns `among`: `isFreeName('risk.risks', 'r',
 * ['owner_id'], key)`.
 * @param alias alias of the row that takes the name
 */
export function isFreeName(table: keyof Tables, alias: string, among: readonly string[], key: string): Condition {
  const aliased: string = `${table} as o`
  const others = among.reduce(
    (query, column) => query.whereRef(`o.${column}`, '=', `${alias}.${column}`),
    untyped.selectFrom(aliased),
  )
  return negate(untyped.exists(others.where('o.name_key', '=', key).whereRef('o.id', '<>', `${alias}.id`)))
}

/** Condition that a column is one of some values, possibly none. */
export function isIn(column: string | Expression<unknown>, values: readonly unknown[]): Condition {
  // Kysely would write `in ()`, which is a syntax error in PostgreSQL.
  return values.length === 0 ? sql.lit(false) : compare(column, 'in', values)
}

/** Condition on an id from a caller, which may be any text. */
export function idIs(column: string, text: string): Condition {
  return compare(castTo(sql.ref(column), 'text'), '=', text)
}

/**
 * Condition that a row follows the last one of a page in the order of its columns. @param last column values of the last row; without them
 * every row matches
 */
export function isAfter(columns: readonly string[], last: readonly unknown[] | null | undefined): Condition {
  if (!last) return sql.lit(true)
  return sql`(${sql.join(columns.map(column => sql.ref(column)))}) > (${sql.join(last)})`
}

/** Returns whether the database has a table, for tables of other plugins or extensions. */
export async function tableExists(db: Kysely<Tables>, name: string): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`select to_regclass(${name}) is not null as made`.execute(db)
  return rows[0]!.made
}

/** Takes an advisory lock until the end of the transaction: only one transaction per purpose and id runs at a time. */
export async function lockUntilCommit(db: Kysely<Tables>, purpose: string, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${purpose}), hashtext(${id}))`.execute(db)
}

/** Join condition of tables with the same owner, by owner and id: the row of `alias` is the target of `reference` (`c.item_id`). */
export function refersTo(reference: string, alias: string): RawBuilder<boolean> {
  const [from = ''] = reference.split('.')
  return sql.raw<boolean>(`${from}.owner_id = ${alias}.owner_id and ${reference} = ${alias}.id`)
}

/** Condition that all conditions hold. @param conditions at least one */
export function allOf(conditions: readonly Condition[]): RawBuilder<boolean> {
  return sql`(${sql.join(conditions, sql.raw(' and '))})`
}

/** Condition that at least one condition holds. @param conditions at least one */
export function anyOf(conditions: readonly Condition[]): RawBuilder<boolean> {
  return sql`(${sql.join(conditions, sql.raw(' or '))})`
}

/** Negates a condition. @param condition never null */
export function negate(condition: Condition): Condition {
  return untyped.not(condition)
}

/** Condition that an owner has fewer than `most` rows in a table. */
export function hasRoom(table: keyof Tables, ownerId: string, most: number): RawBuilder<boolean> {
  return sql`(select count(*) from ${sql.table(table)} r where r.owner_id = ${ownerId}) < ${most}`
}

/** Lists composite keys of UUIDs for `(owner_id, id) in (…)`. @param keys at least one */
export function keyList(keys: readonly (readonly string[])[]): RawBuilder<unknown> {
  return sql.join(keys.map(key => parens(sql.join(key.map(id => castTo(id, 'uuid'))))))
}

/** Condition that the columns equal one of several composite keys of UUIDs. @param keys at least one */
export function isOneOf(columns: readonly string[], keys: readonly (readonly string[])[]): RawBuilder<boolean> {
  return sql`(${sql.join(columns.map(column => sql.ref(column)))}) in (${keyList(keys)})`
}
