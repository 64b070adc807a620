import { defineEntity, p } from '@mikro-orm/core'
import type {
  EntityCtor,
  EntityMetadataWithProperties,
  EntitySchemaWithMeta,
  InferEntityFromProperties,
} from '@mikro-orm/core'

// Functions, because every entity completes the columns that it is given.
/** The primary key of a record: its owner and its id. */
export const ownedKey = { ownerId: () => p.uuid().primary(), id: () => p.uuid().primary() }
/** A name, and what names are compared by; see `nameKey`. */
export const named = { name: () => p.text(), nameKey: () => p.text() }
/** When a record was made and last changed. */
export const timestamps = { createdAt: () => p.datetime(), updatedAt: () => p.datetime() }

// oxlint-disable-next-line typescript/no-explicit-any -- as MikroORM types the properties of an entity
type Properties = Record<string, any>
type Metadata<P extends Properties> = EntityMetadataWithProperties<string, string, P>
type TableName<Path extends string> = Path extends `${string}.${infer Table}` ? Table : never

export interface TableSpec<P extends Properties> {
  readonly properties: P
  readonly uniques?: Metadata<P>['uniques']
  readonly indexes?: Metadata<P>['indexes']
  readonly checks?: Metadata<P>['checks']
}

/**
 * Defines the entity of a table, as `defineEntity` does.
 * @param path `schema.table`; also the name of the entity, so that names of different plugins never collide
 */
export function defineTable<const Path extends `${string}.${string}`, const P extends Properties>(
  path: Path,
  spec: TableSpec<P>,
): EntitySchemaWithMeta<
  Path,
  TableName<Path>,
  InferEntityFromProperties<P>,
  never,
  P,
  EntityCtor<InferEntityFromProperties<P>>
> {
  const [schema, tableName] = path.split('.') as [string, string]
  return defineEntity({ name: path, schema, tableName, ...spec } as Metadata<P>) as never
}

interface ExpressionIndex {
  readonly name: string
  readonly expression: (columns: unknown, table: unknown, name: string) => string
}

function expressionIndex(kind: 'index' | 'unique index', name: string, definition: string): ExpressionIndex {
  return { name, expression: (_columns, table, quoted) => `create ${kind} ${quoted} on ${String(table)} ${definition}` }
}

/** An index that a list of columns does not describe: `indexOn('texts_words', 'using gin (owner_id, tsv)')`. */
export function indexOn(name: string, definition: string): ExpressionIndex {
  return expressionIndex('index', name, definition)
}

/** The same of a unique index: `uniqueOn('states_one_default', '(owner_id, workflow_id) where (is_default)')`. */
export function uniqueOn(name: string, definition: string): ExpressionIndex {
  return expressionIndex('unique index', name, definition)
}
