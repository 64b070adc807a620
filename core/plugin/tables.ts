import type { EntitySchemaWithMeta, MaybeReturnType, PrimaryProperty, SnakeCase } from '@mikro-orm/sql'
import type { ColumnType, Insertable, Selectable, Updateable } from 'kysely'

/**
 * The tables of all plugins by `schema.table`, which type `ctx.db`. Every plugin adds its tables next to its entities: `declare module
 * 'tasuki/plugin' { interface Tables extends TablesOf<'risk', typeof entities> {} }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by declaration merging
export interface Tables {}

/** The key of a record: owner and id. */
export interface OwnedKey {
  readonly ownerId: string
  readonly id: string
}

/** A row as `selectAll` returns it. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>
/** Values of an insert; columns that are nullable or have a default are optional. */
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>
/** Values of an update. */
export type RowChanges<T extends keyof Tables> = Updateable<Tables[T]>

declare const jsonOf: unique symbol
/** JSON text of a value; see `json`. */
export type JsonText<T> = string & { readonly [jsonOf]: T }

/** Serializes a value for a jsonb column in inserts and updates, because the driver would send an array as a PostgreSQL array. */
export function json<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>
}

/** The tables of the entities in one schema. */
export type TablesOf<Schema extends string, Entities extends readonly EntitySchemaWithMeta[]> = {
  [Entity in Entities[number] as `${Schema}.${Entity['tableName']}`]: TableOf<Entity>
}

/**
 * The columns of an entity. A reference to a table whose key starts with the owner has the columns `owner_id` and `<property>_id`; other
 * properties have one column with their name in snake case. `test/types/columns.test.ts` compares them with the migrated database.
 */
export type TableOf<Entity extends EntitySchemaWithMeta> = ColumnsOf<Entity['properties']> &
  SharedOwner<Entity['properties']>

type Properties = Readonly<Record<string, unknown>>

type ColumnsOf<P extends Properties> = {
  -readonly [K in keyof P as ColumnName<K & string, MaybeReturnType<P[K]>>]: Column<MaybeReturnType<P[K]>>
}

/** A property that references one row of another table. */
interface Reference<Value> {
  readonly '~type'?: { readonly value: Value }
  readonly '~options': { readonly kind: 'm:1' } | { readonly kind: '1:1'; readonly owner: true }
}

type ColumnName<K extends string, Builder> = Builder extends {
  '~options': { persist: false } | { kind: '1:m' | 'm:n' } | { formula: unknown }
}
  ? never
  : Builder extends { '~options': { fieldName: infer Name extends string } }
    ? Name
    : Builder extends Reference<infer Target>
      ? `${SnakeCase<K>}_${'ownerId' extends PrimaryProperty<Target> ? 'id' : SnakeCase<PrimaryProperty<Target> & string>}`
      : SnakeCase<K>

/** A composite reference adds `owner_id` if no property defines it. */
type SharedOwner<P extends Properties> = 'ownerId' extends keyof P
  ? unknown
  : true extends { [K in keyof P]: RefersToOwned<MaybeReturnType<P[K]>> }[keyof P]
    ? { owner_id: string }
    : unknown
type RefersToOwned<Builder> =
  Builder extends Reference<infer Target> ? ('ownerId' extends PrimaryProperty<Target> ? true : false) : false

type Column<Builder> =
  Builder extends Reference<unknown>
    ? Optional<Builder['~options'], string, string>
    : Builder extends { '~type'?: { value: infer Value }; '~options': infer Options }
      ? Scalar<Options, Value>
      : never

/** Types that the drivers return and accept: dates, times and numbers beyond 2^53 are text; jsonb is parsed, and written as text. */
type Scalar<Options, Value> = Options extends { array: true }
  ? Optional<Options, Value[], readonly Value[]>
  : unknown extends Value
    ? Optional<Options, Value, JsonText<Value>>
    : [Value] extends [Date]
      ? Optional<Options, string, Date | string>
      : [Value] extends [bigint]
        ? Optional<Options, string, bigint | string>
        : [Value] extends [string | number | boolean | Uint8Array]
          ? Optional<Options, Value, Value>
          : Optional<Options, Value, JsonText<Value>>

type Optional<Options, Read, Written> = Options extends { nullable: true }
  ? ColumnType<Read | null, Written | null | undefined, Written | null>
  : Options extends { default: unknown } | { defaultRaw: unknown } | { autoincrement: true } | { generated: unknown }
    ? ColumnType<Read, Written | undefined, Written>
    : ColumnType<Read, Written, Written>
