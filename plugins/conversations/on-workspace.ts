import { Type } from 'tasuki/plugin'
import { overviewSections } from '../workspace/points.ts'
import { currentPlan, lastThreads } from './overview.repository.ts'
import { threadSchema } from './thread.ts'

/** Maximum number of threads in the overview. */
const MAX_THREADS = 3

/** The caller's latest conversations; `query` finds them by their ids. */
const conversations = overviewSections({
  name: 'conversations',
  schema: Type.Array(
    Type.Object({
      ...Type.Pick(threadSchema, ['title', 'client', 'last_at']).properties,
      open: Type.Optional(Type.Literal(true)),
      summary: Type.String(),
      plan_ref: Type.Optional(Type.String()),
    }),
  ),
  sql: ctx => lastThreads(ctx, MAX_THREADS),
})

/** The plan of the caller's current conversation. */
const plan = overviewSections({
  name: 'plan',
  schema: Type.Object(
    { ref: Type.String(), title: Type.String(), detail: Type.String(), updated_at: Type.String() },
    { description: 'The plan note of this conversation; keep it up to date with items_patch.' },
  ),
  sql: currentPlan,
})

export const onWorkspace = [conversations, plan]
