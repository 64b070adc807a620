import { sql, type ReadContext } from 'tasuki/plugin'
import { refColumn } from '../../projects/index.ts'
import type { SprintItem } from '../../sprints/index.ts'

/** An open item of a sprint, with warning signs. */
export interface OpenItem {
  readonly ref: string
  readonly points: number | null
  /** `todo`, `in_progress` or `review`. */
  readonly category: string
  readonly dueDate: string | null
  readonly priority: 'urgent' | 'high' | null
  /** Days since its last change. */
  readonly idleDays: number
}

/** Reads the open items of a sprint, in one statement. */
export async function readOpenItems(ctx: ReadContext, ownerId: string, items: readonly SprintItem[]) {
  const open = items.filter(item => item.completedAt === null)
  if (open.length === 0) return []
  const points = new Map(open.map(item => [item.id, item.points]))
  const { rows } = await sql<Omit<OpenItem, 'points'> & { id: string }>`
    select i.id, ${refColumn(ctx)} as ref, s.category, i.due_date::text as "dueDate",
      case i.priority when 1 then 'urgent' when 2 then 'high' end as priority,
      floor(extract(epoch from (${ctx.now}::timestamptz - i.updated_at)) / 86400)::int as "idleDays"
    from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id
    where i.owner_id = ${ownerId} and i.id in (${sql.join(open.map(item => item.id))})
    order by i.number
  `.execute(ctx.db)
  return rows.map(({ id, ...row }) => ({ ...row, points: points.get(id) ?? null }))
}
