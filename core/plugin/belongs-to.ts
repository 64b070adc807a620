import { p, type EntitySchema, type PropertyChain } from '@mikro-orm/core'

/**
 * Defines a reference to a record of the same owner, by `owner_id` and another column. Deleting the referenced record deletes the row.
 * The foreign key covers both columns, so that a reference cannot point to a record of another owner.
 * @param target the table as `defineTable` returns it, or the class of its entity; its primary key is `owner_id` and one more column
 */
export function belongsTo<Target extends object, Column extends string>(
  target: (new () => Target) | EntitySchema<Target>,
  column: Column,
): PropertyChain<Target, { kind: 'm:1'; fieldName: Column }> {
  if (!target)
    throw new TypeError(`belongsTo(…, '${column}') got no table; modules that import each other may leave it undefined`)
  const reference = p
    .manyToOne(target as new () => Target)
    .joinColumns('owner_id', column)
    .ownColumns(column)
  // `TableOf` derives the column from the type of the reference, which does not contain column names by itself.
  return reference.deleteRule('cascade').updateRule('no action') as never
}
