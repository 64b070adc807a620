import { formatCount, quoteName, type WriteContext } from 'tasuki/plugin'
import { readOthers, type ProjectRow } from '../projects/index.ts'
import { notify } from '../workspace/index.ts'
import type { SprintClosing } from './closing.repository.ts'
import type { SprintRow } from './sprint.ts'

interface SprintNews extends Pick<SprintClosing, 'sprint' | 'velocity' | 'unit' | 'items'> {
  /** The sprint started by the close. */
  readonly next: SprintRow | null
}

/** Notifies the owner and the members of a project, except the caller, of a closed sprint. */
export async function notifyMembers(
  ctx: WriteContext,
  project: ProjectRow,
  { sprint, next, ...news }: SprintNews,
): Promise<void> {
  const users = await readOthers(ctx, project)
  const done = news.items.filter(item => item.outcome === 'done').length
  const body = `${done} of ${formatCount(news.items.length, 'item')} done, velocity ${formatCount(news.velocity, news.unit.replace(/s$/, ''))}.${next ? ` ${quoteName(next.path)} started.` : ''}`
  await notify(
    ctx,
    users.map(user => ({
      userId: user.id,
      kind: 'sprint.closed',
      title: `${user.key}: sprint ${quoteName(sprint.path)} closed`,
      body,
      project,
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
