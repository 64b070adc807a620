import { ToolError, type WriteContext } from 'tasuki/plugin'
import { checkRole, pickProject } from '../projects/index.ts'
import { newDraft } from './create-draft.ts'
import type { Draft, ItemType, ItemValues } from './draft.ts'
import { findPlaceRows, type Place } from './item-workflow.repository.ts'
import { DEFAULT_KIND } from './kinds.ts'

/** Each read may meet another edit; more than this many in a row are a fault. */
const MAX_READS = 5

/** Finds the project and its initial state. Locks the workflow until the commit, so that the state exists. */
export async function findPlace(ctx: WriteContext, key: string): Promise<Place> {
  const place = await findPlaceOutsideEdits(ctx, key)
  checkRole(ctx, place, { write: true })
  refuseArchived(place, 'project_key')
  if (!place.settled)
    throw new ToolError('unavailable', `The workflow of ${place.key} was being edited.`, {
      hint: 'Send the same call again.',
      retryable: true,
    })
  return place
}

/** Refuses items for an archived project. @throws ToolError invalid_argument */
export function refuseArchived({ archived, key }: Pick<Place, 'archived' | 'key'>, field: string): void {
  if (!archived) return
  const hint = 'Restore it in the portal, or choose another project.'
  throw new ToolError('invalid_argument', `Project ${key} is archived.`, { field, hint })
}

/** Retries while the workflow is being edited or replaced: when the lock is granted, the edit is complete. */
async function findPlaceOutsideEdits(ctx: WriteContext, key: string): Promise<Place> {
  for (let attempt = 1; ; attempt++) {
    const place = await pickProject(ctx, await findPlaceRows(ctx, key), key)
    if (place.settled || attempt === MAX_READS) return place
  }
}

/** Starts an item without a parent. */
export function newItem(place: Place, type: ItemType, texts: Pick<ItemValues, 'title' | 'detail'>): Draft {
  return newDraft({ project: place, workflowId: place.workflowId, values: { ...newItemValues(type, place), ...texts } })
}

/** Returns the initial values of a new item of a type. */
export function newItemValues(type: ItemType, { stateId }: Pick<Place, 'stateId'>): ItemValues {
  return {
    type,
    title: '',
    detail: '',
    dueDate: null,
    dueTime: null,
    startDate: null,
    priority: null,
    kind: DEFAULT_KIND,
    parentId: null,
    stateId,
    archivedAt: null,
    completedAt: null,
  }
}
