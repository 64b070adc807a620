import { sql, uuid, type WriteContext } from 'tasuki/plugin'
import { itemMoves, type Draft, type ItemMove } from '../items/points.ts'

/** A label of an item that moves, and the one of that name in the new project. */
interface CarriedLabel {
  readonly itemId: string
  readonly labelId: string
  readonly name: string
  readonly key: string
  /** Null = it is not defined there yet. */
  readonly there: string | null
}

/** Items keep their labels by name; as everywhere, those that the project does not have are defined, with description and color. */
export const moveLabels = itemMoves(async (ctx, moves) => {
  const { ownerId, project } = moves[0]!.draft
  const { rows } = await sql<CarriedLabel>`
    select il.item_id as "itemId", l.id as "labelId", l.name, l.name_key as key, t.name as there
    from labels.item_labels il join labels.labels l on l.owner_id = il.owner_id and l.id = il.label_id
    left join labels.labels t on t.owner_id = l.owner_id and t.project_id = ${project.id} and t.name_key = l.name_key
    where il.owner_id = ${ownerId} and il.item_id in (${sql.join(moves.map(({ draft }) => draft.id))})
    order by l.display_order, l.id
  `.execute(ctx.db)
  if (rows.length === 0) return undefined
  const labels = Map.groupBy(rows, row => row.itemId)
  for (const move of moves) note(move, labels.get(move.draft.id) ?? [])
  return (write, drafts) =>
    carry(
      write,
      drafts,
      drafts.flatMap(draft => labels.get(draft.id) ?? []),
    )
})

function note({ keep }: ItemMove, labels: readonly CarriedLabel[]): void {
  if (labels.length === 0) return
  keep(
    'labels',
    labels.map(({ name }) => name),
    labels.map(({ name, there }) => there ?? name),
  )
}

/** Defines missing labels in the order of their keys, so that calls that define the same ones at once wait for each other. */
async function carry(ctx: WriteContext, drafts: readonly Draft[], labels: readonly CarriedLabel[]): Promise<void> {
  if (labels.length === 0) return
  const { ownerId, project } = drafts[0]!
  const wanted = [...new Map(labels.map(label => [label.key, label])).values()].map(({ labelId }, n) => ({
    id: uuid(),
    like: labelId,
    position: n + 1,
  }))
  const links = labels.map(({ itemId, labelId }) => ({ item_id: itemId, label_id: labelId }))
  await sql`
    with links as (
      select k.item_id, k.label_id, l.name_key from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as k (item_id uuid, label_id uuid)
      join labels.labels l on l.owner_id = ${ownerId} and l.id = k.label_id
    ), defined as (
      insert into labels.labels as d (owner_id, id, project_id, name, name_key, description, color_hex, display_order, created_at, updated_at)
      select l.owner_id, n.id, ${project.id}::uuid, l.name, l.name_key, l.description, l.color_hex, n.position + coalesce((
        select max(o.display_order) from labels.labels o where o.owner_id = ${ownerId} and o.project_id = ${project.id}), 0), ${ctx.now}, ${ctx.now}
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as n ("like" uuid, id uuid, position int)
      join labels.labels l on l.owner_id = ${ownerId} and l.id = n."like"
      order by l.name_key collate "C"
      on conflict (owner_id, project_id, name_key) do update set archived_at = null
      returning d.id, d.name_key
    ), taken as (
      delete from labels.item_labels il using links k where il.owner_id = ${ownerId} and il.item_id = k.item_id and il.label_id = k.label_id
    )
    insert into labels.item_labels (owner_id, item_id, label_id)
    select ${ownerId}::uuid, k.item_id, d.id from links k join defined d on d.name_key = k.name_key
    on conflict do nothing
  `.execute(ctx.db)
}
