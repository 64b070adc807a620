import { createQueryId, PostgresQueryCompiler, sql, type CompiledQuery, type RawBuilder } from 'kysely'
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
export function compileFragment(fragment: RawBuilder<unknown>): Pick<CompiledQuery, 'sql' | 'parameters'> {
  return compiler.compileQuery(fragment.toOperationNode(), createQueryId())
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

/** All conditions hold. @param conditions at least one */
export function allOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return sql`(${sql.join(conditions, sql.raw(' and '))})`
}

/** One of the conditions holds. @param conditions at least one */
export function anyOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return sql`(${sql.join(conditions, sql.raw(' or '))})`
}

/** The condition does not hold. @param condition never null */
export function negate(condition: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql`not ${condition}`
}

/** An owner has fewer rows in a table than `most`. */
export function hasRoom(table: keyof Tables, ownerId: string, most: number): RawBuilder<boolean> {
  return sql`(select count(*) from ${sql.table(table)} r where r.owner_id = ${ownerId}) < ${most}`
}

/** Ids as the list of an `in`. @param ids at least one */
export function uuidList(ids: readonly string[]): RawBuilder<unknown> {
  return sql.join(ids.map(id => sql`${id}::uuid`))
}

/** Keys of several uuids as the list of an `in`, for `(owner_id, id) in (…)`. @param keys at least one */
export function keyList(keys: readonly (readonly string[])[]): RawBuilder<unknown> {
  return sql.join(keys.map(key => sql`(${uuidList(key)})`))
}

/** The columns are one of several keys of uuids. @param keys at least one */
export function isOneOf(columns: readonly string[], keys: readonly (readonly string[])[]): RawBuilder<boolean> {
  return sql`(${sql.join(columns.map(column => sql.ref(column)))}) in (${keyList(keys)})`
}
