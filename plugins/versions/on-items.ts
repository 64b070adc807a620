import { Type } from 'tasuki/plugin'
import { placementFields, placementMoves, placementParam } from '../items/index.ts'
import { NAME_MAX, versions } from './placement.repository.ts'

const schema = Type.String({ maxLength: NAME_MAX, description: 'Version name; empty = none.' })

/** Everything that versions add to items. */
export const onItems = [
  placementMoves(versions),
  placementParam(versions, { tool: 'items_create', name: 'version', schema }),
  ...placementFields(versions),
]
