import { choice, defineTool, endOfPage, pageEnd, pageOffset, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { readActivities } from '../activity.repository.ts'
import { Activity, ACTOR_KINDS } from '../activity.ts'

export const activitiesList = defineTool({
  name: 'activities_list',
  class: 'R',
  title: 'List activities',
  summary: 'Lists the change history of one item, newest first: what changed, who did it and with which client.',
  rank: 360,
  input: {
    item_ref: itemRef(),
    kind: Type.Optional(Type.String({ description: 'item.completed, or item.due_date.*.' })),
    actor_kind: Type.Optional(choice(ACTOR_KINDS, { description: 'Whose changes.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'Page size.' })),
    offset: pageOffset,
  },
  output: {
    item_ref: Type.String(),
    activities: Type.Array(Activity),
    ...pageEnd,
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  rows: 'activities',
  async run(ctx, { item_ref, kind, actor_kind, limit = 20, offset = 0 }) {
    const wanted = { kind, actorKind: actor_kind, limit: limit + 1, offset }
    const { ref, activities, kinds } = await readActivities(ctx, item_ref, wanted)
    const isUnknown = kind !== undefined && offset === 0 && activities.length === 0
    const warnings = isUnknown && [`No activity of kind ${kind}; this item has: ${kinds.slice(0, 20).join(', ')}.`]
    return {
      item_ref: ref,
      activities: activities.slice(0, limit),
      ...endOfPage(activities.length, { limit, offset }),
      ...(warnings && { warnings }),
    }
  },
})
