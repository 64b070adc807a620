import { deleteRecords, deleteWhere, expressions, json, updateRecords, updateWhere, uuid, type Db } from 'tasuki/plugin'

/**
 * Statements that the compiler must refuse, for each kind of statement and mistake. They never run; `npm run check:types` fails if one of
 * them compiles.
 */
export async function wrongStatements(db: Db, ownerId: string, id: string, now: Date): Promise<void> {
  // @ts-expect-error -- there is no such table
  db.selectFrom('labels.tags')
  // @ts-expect-error -- nor such a column
  db.selectFrom('labels.labels').select('colour')
  // @ts-expect-error -- of this table
  db.selectFrom('labels.labels as l').where('l.item_id', '=', id)
  // @ts-expect-error -- a number where text is
  db.selectFrom('labels.labels').where('name', '=', 5)
  // @ts-expect-error -- a value that the enum does not have
  db.selectFrom('sprints.sprints').where('status', '=', 'open')
  // @ts-expect-error -- the column of a join
  db.selectFrom('labels.item_labels as il').innerJoin('labels.labels as l', 'l.id', 'il.id')
  const label = expressions<{ l: 'labels.labels' }>()
  // @ts-expect-error -- a column that the table of the alias lacks
  label('l.colour', '=', 'red')
  // @ts-expect-error -- an alias that is not there
  label('i.name', '=', 'a')
  // @ts-expect-error -- a number where text is, in a condition of a template
  label('l.name', '=', 5)
  const row = await db.selectFrom('labels.labels').select(['name', 'archived_at']).executeTakeFirstOrThrow()
  // @ts-expect-error -- text is no number
  const count: number = row.name
  // @ts-expect-error -- instants are text, and this one may be null
  const at: Date = row.archived_at
  // @ts-expect-error -- a column that was not selected
  const order = row.display_order

  const added = { owner_id: ownerId, id, project_id: uuid(), display_order: 1, created_at: now, updated_at: now }
  // @ts-expect-error -- name and name_key are required
  db.insertInto('labels.labels').values(added)
  // @ts-expect-error -- null where the column is not nullable
  db.insertInto('labels.labels').values({ ...added, name: 'a', name_key: null })
  // @ts-expect-error -- a column too many
  db.insertInto('labels.labels').values({ ...added, name: 'a', name_key: 'a', colour: 'red' })
  // @ts-expect-error -- an array is no jsonb
  db.insertInto('projects.settings').values({ owner_id: ownerId, features: [] })
  // @ts-expect-error -- jsonb of another shape
  db.insertInto('projects.settings').values({ owner_id: ownerId, features: json({ labels: 'on' }) })
  db.insertInto('labels.labels')
    .values({ ...added, name: 'a', name_key: 'a' })
    // @ts-expect-error -- a column that the conflict cannot be about
    .onConflict(conflict => conflict.columns(['owner_id', 'slug']).doNothing())

  // @ts-expect-error -- a column that is not there
  db.updateTable('labels.labels').set({ colour: 'red' })
  // @ts-expect-error -- null where the column is not nullable
  db.updateTable('labels.labels').set({ name: null })
  // @ts-expect-error -- a boolean where an instant is
  db.updateTable('labels.labels').set({ archived_at: true })

  // @ts-expect-error -- a column that is not there, in the changes
  await updateWhere(db, 'labels.labels', { id }, { colour: 'red' })
  // @ts-expect-error -- and in the condition
  await updateWhere(db, 'labels.labels', { slug: id }, { name: 'a' })
  // @ts-expect-error -- a list of numbers where text is
  await deleteWhere(db, 'labels.labels', { id: [5] })
  // @ts-expect-error -- null, which no value equals
  await deleteWhere(db, 'labels.labels', { description: null })

  // @ts-expect-error -- a column that the table lacks
  await deleteRecords(db, 'labels.labels', ['slug'], [{ slug: 'a' }])
  // @ts-expect-error -- rows without the key
  await updateRecords(db, 'labels.labels', ['id'], [{ name: 'a' }])

  // @ts-expect-error -- a view of the wrong plugin
  db.deleteFrom('labels.items')
  // @ts-expect-error -- a column of another table
  db.deleteFrom('labels.item_labels').where('project_id', '=', id)
  // @ts-expect-error -- a table of the host, too, has its columns
  db.deleteFrom('core.users').where('mail', '=', 'a@example.com')
  void [count, at, order]
}
