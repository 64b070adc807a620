import { sql, type ReadContext } from 'tasuki/plugin'
import { readWithProject, type ProjectRow } from '../../projects/index.ts'
import { BODY_COMPARED, type ItemText } from './likeness.ts'

/** Finished items that suggestions use at most; with their half-life older ones would hardly count. */
const HISTORY_MAX = 1000
/** Items that one call suggests for: as many as agile_estimate_apply takes. */
const SUGGESTED_MAX = 20

export interface BacklogItem extends ItemText {
  readonly number: number
}
export interface FinishedItem extends ItemText {
  readonly number: number
  readonly estimate: number
}

export interface Backlog {
  readonly project: ProjectRow
  /** Open tasks without an estimate, the most important first. */
  readonly open: readonly BacklogItem[]
  readonly hasMore: boolean
  /** Done and estimated tasks, the latest first. */
  readonly finished: readonly FinishedItem[]
}

/** Reads open and finished tasks for suggestions, in one statement. @throws ToolError not_found, ambiguous_ref */
export async function readBacklog(ctx: ReadContext, key: string): Promise<Backlog> {
  const own = sql`i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'task'`
  const estimate = sql`estimation.estimates e where e.owner_id = i.owner_id and e.item_id = i.id`
  // The rows are chosen first, so that only their bodies are read.
  const text = sql`'number', t.number, 'title', t.title, 'detail', left(t.detail, ${sql.lit(BODY_COMPARED)})`
  const { open, finished, ...project } = await readWithProject<{ open: BacklogItem[]; finished: FinishedItem[] }>(
    ctx,
    key,
    sql`coalesce((select jsonb_agg(jsonb_build_object(${text}) order by t.priority, t.number) from (
        select i.number, i.title, i.detail, i.priority from items.items i
        where ${own} and i.archived_at is null and i.completed_at is null and not exists (select from ${estimate})
        order by i.priority, i.number limit ${sql.lit(SUGGESTED_MAX + 1)}) t), '[]') as open,
      coalesce((select jsonb_agg(jsonb_build_object('estimate', t.value, ${text}) order by t.completed_at desc, t.id desc) from (
        select i.id, i.number, i.title, i.detail, i.completed_at, e.value from items.items i
        join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id and s.status_attribute = 'done'
        join estimation.estimates e on e.owner_id = i.owner_id and e.item_id = i.id
        where ${own} and i.completed_at is not null
        order by i.completed_at desc, i.id desc limit ${sql.lit(HISTORY_MAX)}) t), '[]') as finished`,
  )
  return { project, open: open.slice(0, SUGGESTED_MAX), hasMore: open.length > SUGGESTED_MAX, finished }
}
