import { p, type PropertyChain } from '@mikro-orm/core'

/**
 * A reference to a record of the same owner, by `owner_id` and a column of its own; the record is deleted with what it belongs to.
 * The foreign key covers both columns, so that a reference can never lead to another owner's record.
 * @param target class of the entity, whose primary key is `owner_id` and one more column
 */
export function belongsTo<Target extends object, Column extends string>(
  target: new () => Target,
  column: Column,
): PropertyChain<Target, { kind: 'm:1'; fieldName: Column }> {
  const reference = p.manyToOne(target).joinColumns('owner_id', column).ownColumns(column)
  // The type of the table reads the column from the type of the reference, which keeps no names by itself.
  return reference.deleteRule('cascade').updateRule('no action') as never
}
