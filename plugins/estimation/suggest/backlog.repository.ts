import { sql, type ReadContext } from 'tasuki/plugin'
import { readWithProject, type ProjectRow } from '../../projects/index.ts'
import { estimateFacts } from '../points.ts'
import { BODY_COMPARED, type ItemText } from './likeness.ts'

/** Maximum number of finished items for suggestions; older estimates may follow other standards. */
const HISTORY_MAX = 1000
/** Maximum number of suggestions per call, equal to the limit of agile_estimate_apply. */
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
  /** Open tasks without an estimate, most important first. */
  readonly open: readonly BacklogItem[]
  readonly hasMore: boolean
  /** Finished tasks with an estimate, latest first. */
  readonly finished: readonly FinishedItem[]
}

/** Reads open and finished tasks for suggestions, in one statement. @throws ToolError not_found, ambiguous_ref */
export async function readBacklog(ctx: ReadContext, key: string): Promise<Backlog> {
  const own = sql`i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'task'`
  const estimate = sql`estimation.estimates e where e.owner_id = i.owner_id and e.item_id = i.id`
  // Rows are selected first, so that bodies and facts are read only for them.
  const facts = sql.join([sql.ref('i.kind'), sql.ref('i.parent_id'), ...ctx.all(estimateFacts)])
  const text = sql`'number', i.number, 'title', i.title, 'detail', left(i.detail, ${sql.lit(BODY_COMPARED)}), 'facts', jsonb_build_array(${facts})`
  const { open, finished, ...project } = await readWithProject<{
    open: WithFacts<BacklogItem>[]
    finished: WithFacts<FinishedItem>[]
  }>(
    ctx,
    key,
    sql`coalesce((select jsonb_agg(jsonb_build_object(${text}) order by i.priority, i.number) from (
        select i.* from items.items i
        where ${own} and i.archived_at is null and i.completed_at is null and not exists (select from ${estimate})
        order by i.priority, i.number limit ${sql.lit(SUGGESTED_MAX + 1)}) i), '[]') as open,
      coalesce((select jsonb_agg(jsonb_build_object('estimate', i.value, ${text}) order by i.completed_at desc, i.id desc) from (
        select i.*, e.value from items.items i
        join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id and s.status_attribute = 'done'
        join estimation.estimates e on e.owner_id = i.owner_id and e.item_id = i.id
        where ${own} and i.completed_at is not null
        order by i.completed_at desc, i.id desc limit ${sql.lit(HISTORY_MAX)}) i), '[]') as finished`,
  )
  return {
    project,
    open: open.slice(0, SUGGESTED_MAX).map(withFactTexts),
    hasMore: open.length > SUGGESTED_MAX,
    finished: finished.map(withFactTexts),
  }
}

/** As read from the database: kind, parent, and what plugins add. */
type WithFacts<T> = Omit<T, 'facts'> & {
  readonly facts: readonly [string, string | null, ...(readonly string[] | null)[]]
}

function withFactTexts<T>({ facts: [kind, parent, ...others], ...item }: WithFacts<T>) {
  const own = [`kind ${kind}`, ...(parent === null ? [] : [`parent ${parent}`])]
  return { ...item, facts: [...own, ...others.flatMap(each => each ?? [])] } as T & { facts: readonly string[] }
}
