import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { itemMove, projectKinds } from './commands.ts'
import { checkWords } from './query/compile-filter.ts'
import { migrations } from './migrations/index.ts'
import { followState, followWorkflow, usesOfStates } from './on-workflows.ts'
import { fieldPolicy, parentLink, timestamps } from './own-fields.ts'
import { itemInstructions } from './instructions.ts'
import { points } from './points.ts'
import { itemResource, itemValues } from './resource.ts'
import { triageInbox } from './triage-inbox.ts'
import { itemsBulkPatch } from './tools/items_bulk_patch.ts'
import { itemsBulkPatchPreview } from './tools/items_bulk_patch_preview.ts'
import { itemsComplete } from './tools/items_complete.ts'
import { itemsContextGet } from './tools/items_context_get.ts'
import { itemsCreate } from './tools/items_create.ts'
import { itemsFacet } from './tools/items_facet.ts'
import { itemsGet } from './tools/items_get.ts'
import { itemsGrep } from './tools/items_grep.ts'
import { itemsMoveState } from './tools/items_move_state.ts'
import { itemsPatch } from './tools/items_patch.ts'
import { itemsRewriteDetail } from './tools/items_rewrite_detail.ts'
import { searchHelpTool } from './tools/search_help.ts'
import { tasksList } from './tools/tasks_list.ts'

export type {} from './entities.ts'
export { bulkOutput, countResults, resultsOf } from './bulk.ts'
export { copiesOf, copyRows, type ItemCopy } from './copy.repository.ts'
export { draftOf, newDraft, valuesOf } from './create-draft.ts'
export { explainEmpty } from './query/explain-empty.repository.ts'
export { clockIn, dayIn, overdueCheck, zoneOfOwner } from './query/clock.ts'
export { isPastDue } from './query/filter.repository.ts'
export { excludeArchived, compileFilter, filterContext, filtersOf, joinsOf } from './query/compile-filter.ts'
export { findItems, findVersions, lockItems, refuseRepeats, requireItem, requireItemOf } from './find.ts'
export type { Found, ItemDemand } from './find.ts'
export { readItems } from './item-columns.repository.ts'
export { itemJoins, priorityName, type ItemKey } from './item.repository.ts'
export { fromOther, otherRef, refOf, seesOther } from './other-item.repository.ts'
export type { Shape } from './item-shape.ts'
export { dueParams, filterMisnomers, inProject, listItems, listOutput, listParams, type ListInput } from './list.ts'
export { BUILT_IN_KINDS, DEFAULT_KIND, requireKind } from './kinds.ts'
export { readKinds } from './kind.repository.ts'
export { findPlace, newItem, newItemValues, refuseArchived } from './place.ts'
export { findInitialStates, workflowOf } from './item-workflow.repository.ts'
export type { InitialState, ItemWorkflow, Place } from './item-workflow.repository.ts'
export { compileQuery, type CompiledQuery } from './query/compile.ts'
export { compileFreeText, isSentence } from './query/free-text.ts'
export type { Expr } from './query/expr.ts'
export type { ItemRefValue } from './query/filter.ts'
export { choiceFilter, dateFilter, hasText, isReferencedItem, numberFilter } from './query/filter.repository.ts'
export { presenceFilter, textFilter, timestampFilter } from './query/filter.repository.ts'
export { nameFilter } from './query/name-filter.ts'
export { isNamedBy } from './query/named-item.ts'
export { itemRef, refFor } from './refs.ts'
export { findItemRow, hasRowIn, toItemChange, toItemOfRow, type ItemOfRow } from './item-row.repository.ts'
export { includeFlags } from './read.ts'
export { itemRevision, revisionEntry } from './revision.ts'
export { listRevisions } from './revision.repository.ts'
export { readRevision, restoreRevision } from './revisions.ts'
export { describeRefusals } from './refusals.ts'
export { readCreated, readWritten, writtenOutput } from './result.ts'
export { readListWithItem, readWithItem } from './read-with-item.ts'
export { linkParents, planParents } from './parent-links.ts'
export { moveToProject, planMove, type Carried, type MovePlan, type PlannedMove } from './project-move.ts'
export { listRecent } from './resource.ts'
export { suggestRefs } from './suggest-refs.ts'
export { completeItems } from './states.ts'
export { DETAIL_LIMIT } from './detail-edit.ts'
export { itemsCreate } from './tools/items_create.ts'
export { applyDue, detail as detailParam, reason as reasonParam, title as titleParam } from './write-params.ts'
export {
  recordChanges,
  requireItemUnchanged,
  itemKey,
  itemsKey,
  publishChanges,
  writeItem,
  writeItems,
  writeNewItem,
} from './write.ts'
export { formatRef, type Draft, type ItemChange, type ItemRow, type ItemType, type ItemValues } from './draft.ts'
export { typeName } from './type-names.ts'
export { defineItemListTool } from './item-list-tool.ts'
export { defineMemberTool } from './member-tool.ts'
export { assignItem, detachItems, removeItem, type Assignment } from './placement/assign.ts'
export { contributePlacement } from './placement/contribute.ts'
export { placementEdit } from './placement-edit.ts'
export { cleanName, pathKey, type NameRules } from './placement/names.ts'
export { ambiguous, findNamed, notFoundError, pickNamed } from './placement/pick.ts'
export { createPlaces, definePlacement, findPlaces, placeItems, readPlaces } from './placement/placement.repository.ts'
export type { PickOptions, PlaceChange, Placement, PlacementSpec, PlaceMoves, PlaceRow } from './placement/placement.ts'
export { childrenOf, findSameName, isWithin, positionProblems, subtree, type Position } from './placement/tree.ts'

export const plugin = definePlugin({
  name: 'items',
  compatibleFrom: '0.1.0',
  group: 'work_items',
  dependsOn: ['projects', 'workflows'],
  optionalDependsOn: ['portal'],
  entities: () => import('./entities.ts'),
  migrations,
  points,
  commands: [projectKinds, itemMove],
  tools: [
    tasksList,
    itemsGet,
    itemsContextGet,
    itemsCreate,
    itemsPatch,
    itemsComplete,
    itemsRewriteDetail,
    itemsMoveState,
    itemsFacet,
    itemsGrep,
    itemsBulkPatch,
    itemsBulkPatchPreview,
    searchHelpTool,
  ],
  resources: [itemResource],
  prompts: [triageInbox],
  check: ({ all }) => checkWords(all),
  contributes: [
    usesOfStates,
    followState,
    followWorkflow,
    timestamps,
    parentLink,
    fieldPolicy,
    itemValues,
    ...itemInstructions,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
