import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { contributePlacement, placementEdit } from '../items/index.ts'
import { migrations } from './migrations/index.ts'
import { onTransfer } from './on-transfer.ts'
import { sprints } from './placement.repository.ts'
import { planSprint } from './plan-sprint.ts'
import { points } from './points.ts'
import { sprintResource, sprintValues, publishSprints } from './resource.ts'
import { sprintsAddItem } from './tools/sprints_add_item.ts'
import { sprintsClose } from './tools/sprints_close.ts'
import { sprintsCreate } from './tools/sprints_create.ts'
import { sprintsDelete } from './tools/sprints_delete.ts'
import { sprintsHandoff } from './tools/sprints_handoff.ts'
import { sprintsList } from './tools/sprints_list.ts'
import { sprintsNoteGet } from './tools/sprints_note_get.ts'
import { sprintsNoteSet } from './tools/sprints_note_set.ts'
import { sprintsRemoveItem } from './tools/sprints_remove_item.ts'
import { sprintsUpdate } from './tools/sprints_update.ts'

export type {} from './entities.ts'
export { readClosings, type SprintClosing } from './closing.repository.ts'
export { dateOfDay, dayNumber, isWeekend, medianOf } from './calendar.ts'
export { dailyDone, readItemsOf, type DoneDay } from './sprint-item.repository.ts'
export type { Note, Notes, Slot } from './note.ts'
export { readNotes, writeNote } from './note.service.ts'
export type { Disposition, Outcome } from './outcome.ts'
export { pickSprint } from './placement.repository.ts'
export { sprintForecasts, sprintPoints, sprintProgress, sprintSplits } from './points.ts'
export type { SprintForecast, SprintSplit } from './points.ts'
export { readSprints, requireSprint, type ProjectSprints } from './sprint.repository.ts'
export { sprintRef, type SprintItem, type SprintRecord, type SprintRow, type SprintStatus } from './sprint.ts'

export const plugin = definePlugin({
  name: 'sprints',
  dependsOn: ['projects', 'items', 'workspace'],
  optionalDependsOn: ['portal', 'transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  points,
  tools: [
    sprintsList,
    sprintsAddItem,
    sprintsRemoveItem,
    sprintsClose,
    sprintsCreate,
    sprintsUpdate,
    sprintsNoteGet,
    sprintsNoteSet,
    sprintsHandoff,
    sprintsDelete,
  ],
  resources: [sprintResource],
  prompts: [planSprint],
  contributes: [
    ...contributePlacement(sprints),
    placementEdit(sprints, { en: 'Sprint', ja: 'スプリント' }),
    ...onTransfer,
    sprintValues,
    publishSprints,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
