import {
  choice,
  guarded,
  iso,
  nullable,
  sql,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
} from 'tasuki/plugin'
import { keyColumn } from '../projects/index.ts'
import { estimateOf } from './measure.ts'
import { above, pathOf, type SprintRow } from './rows.ts'

export const STATUSES = ['planning', 'active', 'closed'] as const

/** A sprint as tools return it. */
export const sprintSchema = Type.Object({
  id: Type.String(),
  project_key: Type.String(),
  name: Type.String(),
  path: Type.String(),
  status: choice(STATUSES),
  goal: Type.Optional(nullable(Type.String())),
  start_date: Type.Optional(nullable(Type.String())),
  end_date: Type.Optional(nullable(Type.String())),
  capacity: Type.Optional(nullable(Type.Number())),
  item_count: Type.Integer({ description: 'Items directly in it; of a closed sprint, at its end.' }),
  done_count: Type.Integer(),
  remaining_estimate: Type.Optional(Type.Number()),
  velocity: Type.Optional(Type.Number({ description: 'Fixed at the close.' })),
  velocity_unit: Type.Optional(Type.String()),
  started_at: Type.Optional(Type.String()),
  closed_at: Type.Optional(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type SprintRecord = Static<typeof sprintSchema>

/** What a write of a sprint returns. */
export const sprintResult = Type.Object({
  sprint: sprintSchema,
  changed: Type.Array(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
})

/** A parameter that names a sprint. */
export const sprintRef = (description = 'Name or path.') => Type.String({ description })
export const goal = (description: string) => guarded(Type.String({ description }), { maxLength: 2000 })
export const capacity = (description: string) => guarded(Type.Number({ description }), { minimum: 0 })

/** The row source of `sprintRecord`: sprints `sp` with their projects `p`. */
export function sprintSource(ctx: ReadContext): RawBuilder<unknown> {
  const estimate = estimateOf(ctx)
  return sql`sprints.sprints sp join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id ${above}
    left join sprints.closings cl on cl.owner_id = sp.owner_id and cl.sprint_id = sp.id
    left join lateral (
      select count(*)::int as items, count(i.completed_at)::int as done,
        ${estimate ? sql`case when p.estimate_unit <> 'none' then coalesce(sum(${estimate}) filter (where i.completed_at is null), 0) end` : sql`null`} as remaining
      from sprints.item_sprints x join items.items i on i.owner_id = x.owner_id and i.id = x.item_id
      where x.owner_id = sp.owner_id and x.sprint_id = sp.id and cl.sprint_id is null
    ) n on true`
}

/** One sprint of `sprintSource` as a jsonb record. */
export const sprintRecord = (
  ctx: ReadContext,
): RawBuilder<SprintRecord> => sql`jsonb_strip_nulls(jsonb_build_object('id', sp.id, 'project_key', ${keyColumn(ctx, 'p')},
  'name', sp.name, 'path', ${pathOf}, 'status', sp.status, 'goal', sp.goal, 'start_date', sp.start_date, 'end_date', sp.end_date,
  'capacity', sp.capacity, 'item_count', coalesce(cl.item_count, n.items), 'done_count', coalesce(cl.done_count, n.done),
  'remaining_estimate', case when sp.status <> 'closed' then n.remaining end, 'velocity', cl.velocity, 'velocity_unit', cl.unit,
  'started_at', ${iso('sp.started_at')}, 'closed_at', ${iso('sp.closed_at')}, 'created_at', ${iso('sp.created_at')},
  'updated_at', ${iso('sp.updated_at')}))`

/** Reads one sprint as tools return it. */
export async function readRecord(
  ctx: ReadContext,
  { ownerId, id }: Pick<SprintRow, 'ownerId' | 'id'>,
): Promise<SprintRecord> {
  const { rows } = await sql<{ sprint: SprintRecord }>`
    select ${sprintRecord(ctx)} as sprint from ${sprintSource(ctx)} where sp.owner_id = ${ownerId} and sp.id = ${id}
  `.execute(ctx.db)
  return rows[0]!.sprint
}
