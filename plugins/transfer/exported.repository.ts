import { allOf, compare, expressions, isAfter, iso, parens, sql, type Condition, type ReadContext } from 'tasuki/plugin'
import { excludeArchived, fromOther, itemJoins, joinsOf, otherRef, priorityName } from '../items/index.ts'
import type { CompiledQuery } from '../items/index.ts'
import { keyColumn, refColumn, visible, type ProjectRow } from '../projects/index.ts'
import { exportParts, type ImportedParts } from './points.ts'

/** An exported item. Dates are `YYYY-MM-DD`, times ISO 8601 UTC; empty fields are left out. */
export interface ExportedItem {
  readonly id: string
  readonly ref: string
  readonly project: string
  readonly type: string
  readonly title: string
  readonly detail: string
  readonly status: string
  readonly closed: boolean
  readonly priority?: string
  readonly kind: string
  readonly due_date?: string
  readonly due_time?: string
  readonly start_date?: string
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at?: string
  readonly archived_at?: string
  readonly parent?: { readonly id: string; readonly ref: string }
  readonly imported_from?: { readonly format: string; readonly key: string; author?: string; assignee?: string }
  readonly parts: Partial<ImportedParts>
}

/** The filter of an export, in addition to what the caller may see. */
export interface ExportFilter {
  readonly project: Pick<ProjectRow, 'ownerId' | 'id'> | null
  readonly query: CompiledQuery | null
}

/** Owner and id of the last item of a page. */
export type ExportPlace = readonly [ownerId: string, id: string]

const item = expressions<{ i: 'items.items' }>()

/** Without a filter, all items of the project, including archived ones. */
function conditionsOf(ctx: ReadContext, { project, query }: ExportFilter): Condition {
  const list = [visible(ctx, 'i')]
  if (project) list.push(item.and({ 'i.owner_id': project.ownerId, 'i.project_id': project.id }))
  if (query) list.push(excludeArchived(query))
  if (query?.where) list.push(query.where)
  return allOf(list)
}

/** Counts the items to export. */
export async function countExported(ctx: ReadContext, filter: ExportFilter): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from items.items i ${joinsOf(ctx, filter.query?.where)} where ${conditionsOf(ctx, filter)}
  `.execute(ctx.db)
  return rows[0]!.total
}

/** Reads a page of items in order of creation, in one statement, with the data of all plugins. */
export async function readExported(
  ctx: ReadContext,
  filter: ExportFilter,
  after: ExportPlace | null,
  limit: number,
): Promise<readonly { readonly item: ExportedItem; readonly place: ExportPlace }[]> {
  const parts = ctx.all(exportParts.point)
  const values = parts.flatMap(part => [sql.lit(part.of), parens(part.sql(ctx))])
  const { rows } = await sql<{ item: ExportedItem; owner_id: string }>`
    select i.owner_id, json_strip_nulls(json_build_object('id', i.id, 'ref', ${refColumn(ctx)},
      'project', ${keyColumn(ctx, 'p')}, 'type', i.type, 'title', i.title, 'detail', i.detail, 'status', s.name,
      'closed', s.system_status = 'closed', 'priority', ${priorityName}, 'kind', i.kind, 'due_date', i.due_date, 'due_time', i.due_time,
      'start_date', i.start_date, 'created_at', ${iso('i.created_at')}, 'updated_at', ${iso('i.updated_at')},
      'completed_at', ${iso('i.completed_at')}, 'archived_at', ${iso('i.archived_at')},
      'parent', (select json_build_object('id', o.id, 'ref', ${otherRef(ctx)}) ${fromOther(ctx, 'i.owner_id', compare('o.id', '=', sql.ref('i.parent_id')))}),
      'imported_from', (select json_build_object('format', o.format, 'key', o.key, 'author', o.author, 'assignee', o.assignee)
        from transfer.origins o where o.owner_id = i.owner_id and o.item_id = i.id),
      'parts', json_build_object(${sql.join(values)}))) as item
    from (select i.* from items.items i ${joinsOf(ctx, filter.query?.where)} where ${conditionsOf(ctx, filter)} and ${isAfter(['i.owner_id', 'i.id'], after)}
      order by i.owner_id, i.id limit ${limit}) i ${itemJoins}
    order by i.owner_id, i.id
  `.execute(ctx.db)
  return rows.map(({ item, owner_id: ownerId }) => ({ item, place: [ownerId, item.id] }))
}
