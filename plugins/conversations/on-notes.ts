import { planBindings } from '../notes/points.ts'
import { ensureThread, upsertPlan } from './thread.repository.ts'

/** A conversation has one plan: a newly bound note replaces the former one. */
export const bindPlan = planBindings({
  async bind(ctx, note) {
    const thread = await ensureThread(ctx)
    await upsertPlan(ctx, {
      owner_id: ctx.actor.userId,
      thread_id: thread,
      item_owner_id: note.ownerId,
      item_id: note.id,
    })
    return { bound: thread }
  },
})
