import { sql, type WriteContext } from 'tasuki/plugin'
import { keyKeptFor, type ProjectRow } from '../projects/index.ts'
import { notify } from '../workspace/index.ts'
import type { Outcome } from './outcome.ts'
import type { SprintRow } from './sprint.ts'

export interface SprintNews {
  readonly sprint: SprintRow
  /** The sprint that started with the close. */
  readonly next: SprintRow | null
  readonly velocity: number
  readonly unit: string
  readonly items: readonly Outcome[]
}

/** Tells the owner and the members of a project that a sprint was closed; not the one who closed it. */
export async function tellMembers(
  ctx: WriteContext,
  project: ProjectRow,
  { sprint, next, ...news }: SprintNews,
): Promise<void> {
  const { rows } = await sql<{ id: string; key: string }>`
    select u.id, ${keyKeptFor('p', sql`u.id`)} as key
    from core.users u join projects.projects p on p.owner_id = ${project.ownerId} and p.id = ${project.id}
    where u.id <> ${ctx.actor.userId} and (u.id = ${project.ownerId} or u.id in (
      select m.user_id from projects.members m where m.owner_id = ${project.ownerId} and m.project_id = ${project.id}))
  `.execute(ctx.db)
  const done = news.items.filter(item => item.outcome === 'done').length
  const body = `${done} of ${news.items.length} items done, velocity ${news.velocity} ${news.unit}.${next ? ` ${next.path} started.` : ''}`
  await notify(
    ctx,
    rows.map(user => ({
      userId: user.id,
      kind: 'sprint.closed',
      title: `${user.key}: sprint ${sprint.path} closed`,
      body,
      data: {
        project_key: user.key,
        sprint_id: sprint.id,
        sprint: sprint.path,
        done,
        items: news.items.length,
        velocity: news.velocity,
        unit: news.unit,
        ...(next && { next_sprint: next.path }),
      },
    })),
  )
}
