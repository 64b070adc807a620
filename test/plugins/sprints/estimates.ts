import { definePlugin, sql } from 'tasuki/plugin'
import { itemChanges } from '../../../plugins/items/points.ts'
import { sprintPoints, sprintProgress, sprintSplits } from '../../../plugins/sprints/points.ts'

/** Fault of the plugin when an item leaves a sprint, which is the last step before the close notifies the members. */
export const fault: { strike: 'throw' | 'disconnect' | null } = { strike: null }

const points = sql`substring(i.title from '\\[(\\d+)p\\]')::numeric`
const share = sql`substring(i.title from '(\\d+)%')::numeric / 100`

/** Test estimates and progress from titles like `Write [5p] 40%`. A split keeps the done part and moves the rest. */
export const estimates = definePlugin({
  name: 'estimates',
  version: '1.0.0',
  api: 1,
  group: 'estimates',
  dependsOn: ['items', 'sprints'],
  contributes: [
    sprintPoints(() => points),
    sprintProgress(() => share),
    sprintSplits(async (ctx, splits) => {
      for (const { original, continuation, doneShare } of splits) {
        const size = Number(/\[(\d+)p\]/.exec(original.title)?.[1] ?? 0)
        const done = Math.round(size * doneShare)
        for (const [id, left] of [
          [original.id, done],
          [continuation.id, size - done],
        ]) {
          await sql`
            update items.items set title = regexp_replace(title, '\\[\\d+p\\]', ${`[${left}p]`})
            where owner_id = ${original.ownerId} and id = ${id}
          `.execute(ctx.db)
        }
      }
    }),
    itemChanges(async (ctx, changes) => {
      if (fault.strike === null || !changes.some(change => change.kind === 'item.sprint.changed')) return
      if (fault.strike === 'throw') throw new Error('a fault in the middle')
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(ctx.db)
    }),
  ],
})
