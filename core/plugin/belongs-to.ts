import { p } from '@mikro-orm/core'

/**
 * A reference to a record of the same owner, by `owner_id` and a column of its own; the record is deleted with what it belongs to.
 * The foreign key covers both columns, so that a reference can never lead to another owner's record.
 * @param target class of the entity, whose primary key is `owner_id` and one more column
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the inferred result carries both, from which types of tables are made
export function belongsTo<Target extends object, Column extends string>(target: new () => Target, column: Column) {
  return p
    .manyToOne(target)
    .joinColumns('owner_id', column)
    .ownColumns(column)
    .deleteRule('cascade')
    .updateRule('no action')
}
