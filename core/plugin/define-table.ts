import { defineEntity, p } from '@mikro-orm/core'
import type {
  EntityCtor,
  EntityMetadataWithProperties,
  EntitySchemaWithMeta,
  InferEntityFromProperties,
} from '@mikro-orm/core'

// Functions, because each entity modifies the column builders that it receives.
/** Columns of the primary key of a record: owner and id. */
export const ownedKey = { ownerId: () => p.uuid().primary(), id: () => p.uuid().primary() }
/** Columns of a name and of its comparison key; see `nameKey`. */
export const named = { name: () => p.text(), nameKey: () => p.text() }
/** Columns of creation and last change. */
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
 * Defines the entity of a table, like `defineEntity`.
 * @param path `schema.table`; also the entity name, so that names of different plugins never collide
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
  return {
    name,
    expression: (_columns, table, quotedName) => `create ${kind} ${quotedName} on ${String(table)} ${definition}`,
  }
}

/** Defines an index by SQL: `indexOn('texts_words', 'using gin (owner_id, tsv)')`. */
export function indexOn(name: string, definition: string): ExpressionIndex {
  return expressionIndex('index', name, definition)
}

/** Defines a unique index by SQL: `uniqueOn('states_one_default', '(owner_id, workflow_id) where (is_default)')`. */
export function uniqueOn(name: string, definition: string): ExpressionIndex {
  return expressionIndex('unique index', name, definition)
}
