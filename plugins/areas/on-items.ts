import { guarded, nullable, Type } from 'tasuki/plugin'
import { pathKey, placementFields, placementMoves, placementParam } from '../items/index.ts'
import { areas, PATH_MAX } from './placement.repository.ts'

const area = (description: string) => nullable(guarded(Type.String(), { maxLength: PATH_MAX }), { description })

/** Everything that areas add to items. */
export const onItems = [
  placementMoves(areas),
  placementParam(areas, {
    tool: 'items_create',
    name: 'area_path',
    schema: area('Area path; null = none.'),
    isNone: text => pathKey(text) === '',
  }),
  placementParam(areas, {
    tool: 'items_bulk_patch',
    name: 'area_id',
    schema: area('Id, path or name of an area; null clears.'),
    previewed: false,
  }),
  ...placementFields(areas),
]
