import { definePlugin } from 'tasuki/plugin'
import { contributePlacement, placementEdit } from '../items/index.ts'
import { migrations } from './migrations/index.ts'
import { onTransfer } from './on-transfer.ts'
import { areas } from './placement.repository.ts'
import { projectAreasAssignItem } from './tools/project_areas_assign_item.ts'
import { projectAreasCreate } from './tools/project_areas_create.ts'
import { projectAreasDelete } from './tools/project_areas_delete.ts'
import { projectAreasList } from './tools/project_areas_list.ts'
import { projectAreasUpdate } from './tools/project_areas_update.ts'

export type {} from './entities.ts'

export const plugin = definePlugin({
  name: 'areas',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [projectAreasList, projectAreasAssignItem, projectAreasCreate, projectAreasUpdate, projectAreasDelete],
  contributes: [...contributePlacement(areas), placementEdit(areas, { en: 'Area', ja: 'エリア' }), ...onTransfer],
})
