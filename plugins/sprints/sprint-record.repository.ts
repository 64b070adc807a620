import { iso, sql, type Expression, type OwnedKey, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import {
  featureColumn,
  keyColumn,
  keyIs,
  pickProject,
  projectColumns,
  requireFeature,
  visible,
} from '../projects/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { estimateOf } from './sprint-item.repository.ts'
import { sprints as placement } from './placement.repository.ts'
import type { SprintRecord } from './sprint.ts'

const { ancestors, path } = placement.sql

/** Returns the row source of `sprintRecord`: sprints `sp` with their projects `p`. */
export function sprintSource(ctx: ReadContext): Expression<unknown> {
  const estimate = estimateOf(ctx)
  return sql`sprints.sprints sp join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id ${ancestors}
    left join sprints.closings cl on cl.owner_id = sp.owner_id and cl.sprint_id = sp.id
    left join lateral (
      select count(*)::int as items, count(i.completed_at)::int as done,
        ${estimate ? sql`case when p.estimate_unit <> 'none' then coalesce(sum(${estimate}) filter (where i.completed_at is null), 0) end` : sql.lit(null)} as remaining
      from sprints.item_sprints x join items.items i on i.owner_id = x.owner_id and i.id = x.item_id
      where x.owner_id = sp.owner_id and x.sprint_id = sp.id and cl.sprint_id is null
    ) n on true`
}

/** One sprint of `sprintSource` as a jsonb record. */
export const sprintRecord = (
  ctx: ReadContext,
): RawBuilder<SprintRecord> => sql`jsonb_strip_nulls(jsonb_build_object('id', sp.id, 'project_key', ${keyColumn(ctx, 'p')},
  'name', sp.name, 'path', ${path}, 'status', sp.status, 'goal', sp.goal, 'start_date', sp.start_date, 'end_date', sp.end_date,
  'capacity', sp.capacity, 'item_count', coalesce(cl.item_count, n.items), 'done_count', coalesce(cl.done_count, n.done),
  'remaining_estimate', case when sp.status <> 'closed' then n.remaining end, 'velocity', cl.velocity, 'velocity_unit', cl.unit,
  'started_at', ${iso('sp.started_at')}, 'closed_at', ${iso('sp.closed_at')}, 'created_at', ${iso('sp.created_at')},
  'updated_at', ${iso('sp.updated_at')}))`

/** Reads one sprint as tools return it. */
export async function readRecord(ctx: ReadContext, { ownerId, id }: OwnedKey): Promise<SprintRecord> {
  const { rows } = await sql<{ sprint: SprintRecord }>`
    select ${sprintRecord(ctx)} as sprint from ${sprintSource(ctx)} where sp.owner_id = ${ownerId} and sp.id = ${id}
  `.execute(ctx.db)
  return rows[0]!.sprint
}

/** Reads the active sprints of all projects that the caller may see, those of own projects first. */
export async function listActiveSprints(ctx: ReadContext, limit: number): Promise<SprintRecord[]> {
  const { rows } = await sql<{ sprint: SprintRecord }>`
    select ${sprintRecord(ctx)} as sprint from ${sprintSource(ctx)}
    where ${visible(ctx, 'sp')} and sp.status = 'active' and p.archived_at is null and ${featureColumn(ctx, 'sprints')}
    order by p.owner_id <> ${ctx.actor.userId}, p.key, sp.end_date, sp.id limit ${sql.lit(limit)}
  `.execute(ctx.db)
  return rows.map(row => row.sprint)
}

/**
 * Reads the sprints of a project: active, planned, then closed ones, latest closed first. The project `q` is found first, so that one
 * statement distinguishes an empty project from an unknown one.
 */
export async function listProjectSprints(ctx: ReadContext, key: string, limit: number): Promise<SprintRecord[]> {
  const order: Expression<unknown> = sql`
    array_position(array['active', 'planning', 'closed'], sp.status), sp.closed_at desc, sp.start_date, sp.display_order, sp.id`
  const { rows } = await sql<ProjectRow & { readonly sprints: SprintRecord[] | null }>`
    select ${projectColumns(ctx, 'q')}, (
      select jsonb_agg(t.sprint order by t.place) from (
        select ${sprintRecord(ctx)} as sprint, row_number() over (order by ${order}) as place from ${sprintSource(ctx)}
        where sp.owner_id = q.owner_id and sp.project_id = q.id order by ${order} limit ${sql.lit(limit)}) t
    ) as sprints
    from projects.projects q where ${keyIs(ctx, key, 'q')} limit 2
  `.execute(ctx.db)
  const { sprints, ...project } = await pickProject(ctx, rows, key)
  requireFeature(ctx, 'sprints', project)
  return sprints ?? []
}
