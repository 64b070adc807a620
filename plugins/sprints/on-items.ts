import { guarded, nullable, Type } from 'tasuki/plugin'
import { placementFields, placementMoves, placementParam } from '../items/index.ts'
import { PATH_MAX, sprints } from './placement.repository.ts'

const sprint = Type.String({ description: 'Name, path, @active or @next; empty = none.' })

/** Everything that sprints add to items. What was done in a closed sprint leaves its list in a move; its figures were kept at the close. */
export const onItems = [
  placementMoves(sprints),
  placementParam(sprints, {
    tool: 'items_create',
    name: 'sprint',
    schema: guarded(sprint, { maxLength: PATH_MAX }),
  }),
  placementParam(sprints, {
    tool: 'items_bulk_patch',
    name: 'sprint_id',
    schema: nullable(guarded(Type.String(), { maxLength: PATH_MAX }), {
      description: 'Id or path of a sprint; null removes.',
    }),
  }),
  ...placementFields(sprints),
]
