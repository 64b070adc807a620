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

const instants = new Map<string, RawBuilder<string>>()

/** Turns a timestamptz column into ISO 8601 UTC text with milliseconds and `Z`, the same on both engines; null stays null. */
export function iso(column: string): RawBuilder<string> {
  // Kept, because reads name a dozen of them per call, and the columns are few.
  const made =
    instants.get(column) ??
    renderFragment(sql<string>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
  instants.set(column, made)
  return made
}

/**
 * Put anywhere into a statement for which one plan is the best whatever the values: it finds its rows by a unique key, or inserts.
 * PostgreSQL then keeps the plan, where making one may take longer than the rest. All other statements are planned for their values each
 * time, because owners differ in size.
 */
export const fixedPlan: RawBuilder<unknown> = sql.raw(FIXED_PLAN)

const compiler = new PostgresQueryCompiler()

/** The text and parameters of a fragment that nobody runs. */
export function compileFragment(fragment: Expression<unknown>): Pick<CompiledQuery, 'sql' | 'parameters'> {
  return compiler.compileQuery(fragment.toOperationNode() as RootOperationNode, createQueryId())
}

/** The same fragment as plain text, where it has no parameters: statements of many parts take longer to put together than to send. */
export function renderFragment<T>(fragment: RawBuilder<T>): RawBuilder<T> {
  const { sql: text, parameters } = compileFragment(fragment)
  return parameters.length === 0 ? sql.raw<T>(text) : fragment
}

/** Pattern for LIKE that finds the text itself anywhere. */
export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, match => `\\${match}`)}%`
}

/** A part of a statement that is left out. */
export const noSql: RawBuilder<never> = sql.raw('')

/** What a `where` takes: an expression of the builder, or a part of a template. */
export type Condition = Expression<SqlBool>

type Aliases = Readonly<Record<string, keyof Tables>>
type Aliased<A extends Aliases> = Tables & { [Alias in keyof A]: Tables[A[Alias]] }

/**
 * The expression builder over tables by their aliases, for parts of statements: `expressions<{ i: 'items.items' }>()('i.type', '=', 'task')`.
 * A wrong column or value does not compile.
 */
export function expressions<A extends Aliases>(): ExpressionBuilder<Aliased<A>, keyof A> {
  return expressionBuilder<Aliased<A>, keyof A>()
}

const untyped = expressionBuilder<Record<string, Record<string, unknown>>, string>()

/** Compares what only the caller knows: a column by its alias and name, or an expression, with a value or another expression. */
export function compare(
  left: string | Expression<unknown>,
  operator: ComparisonOperatorExpression,
  right: unknown,
): Condition {
  return untyped(left, operator, right)
}

type ColumnType = 'boolean' | 'date' | 'integer' | 'numeric' | 'text' | 'timestamptz' | 'uuid'

/** A value as PostgreSQL is to take it, where the statement does not say; or an expression as another type. */
export function castTo<T = unknown>(value: unknown, type: ColumnType): AliasableExpression<T> {
  return untyped.cast<T>(isOperationNodeSource(value) ? (value as Expression<unknown>) : untyped.val(value), type)
}

/** When a row changes: now, but later than its last change even within one millisecond, since `requireUnchanged` compares the two. */
export function nextUpdate({ now }: { readonly now: Date }, column: string): RawBuilder<string> {
  return sql`greatest(${now}::timestamptz, ${sql.ref(column)} + interval '1 millisecond')`
}

/** A text without case. */
export function lower(text: string | Expression<unknown>): Expression<string> {
  return untyped.fn<string>('lower', [text])
}

/** An expression in parentheses: a condition within another, or a read as one value. */
export function parens<T>(expression: Expression<T>): AliasableExpression<T> {
  return untyped.parens(expression)
}

/** A read has rows. @param read by the builder, or everything after `select` */
export function exists(read: Expression<unknown>): AliasableExpression<boolean> {
  return 'isRawBuilder' in read ? sql<boolean>`exists (select ${read})` : untyped.exists(read).$castTo<boolean>()
}

/** A table has a row whose columns are those of others: `rowExists('risk.remarks', { owner_id: 'i.owner_id', item_id: 'i.id' })`. */
export function rowExists(table: keyof Tables, columns: Readonly<Record<string, string>>): RawBuilder<boolean> {
  const equal = Object.entries(columns).map(([name, other]) => compare(`r.${name}`, '=', sql.ref(other)))
  return renderFragment(sql<boolean>`exists (select from ${sql.table(table)} r where ${allOf(equal)})`)
}

/**
 * No other row of the table has the name key, among those that are equal in some columns: `isFreeName('risk.risks', 'r', ['owner_id'], key)`.
 * @param alias the row that takes the name
 */
export function isFreeName(table: keyof Tables, alias: string, among: readonly string[], key: string): Condition {
  const aliased: string = `${table} as o`
  const others = among.reduce(
    (query, column) => query.whereRef(`o.${column}`, '=', `${alias}.${column}`),
    untyped.selectFrom(aliased),
  )
  return negate(untyped.exists(others.where('o.name_key', '=', key).whereRef('o.id', '<>', `${alias}.id`)))
}

/** The column is one of some values, which may be none. */
export function isIn(column: string | Expression<unknown>, values: readonly unknown[]): Condition {
  // PostgreSQL does not read the `in ()` that Kysely would write.
  return values.length === 0 ? sql.lit(false) : compare(column, 'in', values)
}

/** The id is what a caller gave, which may be any text. */
export function idIs(column: string, text: string): Condition {
  return compare(castTo(sql.ref(column), 'text'), '=', text)
}

/** The row comes after the last one of a page in the order of its columns. @param last their values; without it every row does */
export function isAfter(columns: readonly string[], last: readonly unknown[] | null | undefined): Condition {
  if (!last) return sql.lit(true)
  return sql`(${sql.join(columns.map(column => sql.ref(column)))}) > (${sql.join(last)})`
}

/** Whether the database has a table, which another plugin or an extension may have made. */
export async function tableExists(db: Kysely<Tables>, name: string): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`select to_regclass(${name}) is not null as made`.execute(db)
  return rows[0]!.made
}

/** Lets one transaction at a time go on from here, until it ends, among those that name the same. */
export async function lockUntilCommit(db: Kysely<Tables>, purpose: string, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${purpose}), hashtext(${id}))`.execute(db)
}

const joins = new Map<string, RawBuilder<boolean>>()

/** The row of `alias` is the one to which `reference` (`c.item_id`) points: tables of one owner refer to each other by owner and id. */
export function refersTo(reference: string, alias: string): RawBuilder<boolean> {
  const key = `${reference} ${alias}`
  const known = joins.get(key)
  if (known) return known
  const [from = ''] = reference.split('.')
  const made = sql.raw<boolean>(`${from}.owner_id = ${alias}.owner_id and ${reference} = ${alias}.id`)
  joins.set(key, made)
  return made
}

/** All conditions hold. @param conditions at least one */
export function allOf(conditions: readonly Condition[]): RawBuilder<boolean> {
  return sql`(${sql.join(conditions, sql.raw(' and '))})`
}

/** One of the conditions holds. @param conditions at least one */
export function anyOf(conditions: readonly Condition[]): RawBuilder<boolean> {
  return sql`(${sql.join(conditions, sql.raw(' or '))})`
}

/** The condition does not hold. @param condition never null */
export function negate(condition: Condition): Condition {
  return untyped.not(condition)
}

/** An owner has fewer rows in a table than `most`. */
export function hasRoom(table: keyof Tables, ownerId: string, most: number): RawBuilder<boolean> {
  return sql`(select count(*) from ${sql.table(table)} r where r.owner_id = ${ownerId}) < ${most}`
}

/** Ids as the list of an `in`. @param ids at least one */
export function uuidList(ids: readonly string[]): RawBuilder<unknown> {
  return sql.join(ids.map(id => castTo(id, 'uuid')))
}

/** Keys of several uuids as the list of an `in`, for `(owner_id, id) in (…)`. @param keys at least one */
export function keyList(keys: readonly (readonly string[])[]): RawBuilder<unknown> {
  return sql.join(keys.map(key => parens(uuidList(key))))
}

/** The columns are one of several keys of uuids. @param keys at least one */
export function isOneOf(columns: readonly string[], keys: readonly (readonly string[])[]): RawBuilder<boolean> {
  return sql`(${sql.join(columns.map(column => sql.ref(column)))}) in (${keyList(keys)})`
}
