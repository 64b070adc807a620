import { sql } from 'tasuki/plugin'
import { planBindings } from '../notes/points.ts'
import { currentThread } from './thread.ts'

/** A conversation has one living plan: a note that is bound takes the place of the one before. */
export const bindPlan = planBindings({
  async bind(ctx, note) {
    const thread = await currentThread(ctx)
    await sql`
      insert into conversations.plans (owner_id, thread_id, item_owner_id, item_id, bound_at)
      values (${ctx.actor.userId}, ${thread}, ${note.ownerId}, ${note.id}, ${ctx.now})
      on conflict (owner_id, thread_id) do update
      set item_owner_id = excluded.item_owner_id, item_id = excluded.item_id, bound_at = excluded.bound_at
    `.execute(ctx.db)
    return { bound: thread }
  },
})
