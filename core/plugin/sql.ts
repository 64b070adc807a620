import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Dialect,
  type Driver,
  type RawBuilder,
} from 'kysely'
import { FIXED_PLAN } from '../db/planning.ts'

const instants = new Map<string, RawBuilder<string>>()

/** Turns a timestamptz column into ISO 8601 UTC text with milliseconds and `Z`, the same on both engines; null stays null. */
export function iso(column: string): RawBuilder<string> {
  // Kept, because reads name a dozen of them per call, and the columns are few.
  const made =
    instants.get(column) ?? sql<string>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  instants.set(column, made)
  return made
}

/**
 * Put anywhere into a statement for which one plan is the best whatever the values: it finds its rows by a unique key, or inserts.
 * PostgreSQL then keeps the plan, where making one may take longer than the rest. All other statements are planned for their values each
 * time, because owners differ in size.
 */
export const fixedPlan: RawBuilder<unknown> = sql.raw(FIXED_PLAN)

/** PostgreSQL's SQL, sent by the driver. */
export function postgresDialect(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver,
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Writes statements that nobody runs. */
export const writer = new Kysely<unknown>({ dialect: postgresDialect(() => new DummyDriver()) })

/** The same fragment as plain text, where it has no parameters: statements of many parts take longer to put together than to send. */
export function rendered<T>(fragment: RawBuilder<T>): RawBuilder<T> {
  const { sql: text, parameters } = fragment.compile(writer)
  return parameters.length === 0 ? sql.raw<T>(text) : fragment
}

/** Pattern for LIKE that finds the text itself anywhere. */
export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, match => `\\${match}`)}%`
}
