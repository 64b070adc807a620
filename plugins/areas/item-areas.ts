import { guarded, nullable, sql, ToolError, Type, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { itemParams, type Draft, type ItemWrite } from '../items/points.ts'
import { PATH_MAX, pathKey } from './names.ts'
import { archivedArea, findArea } from './pick.ts'
import { findPlaces, placeItems, type PlacedArea } from './placing.ts'

/** The parameter `area_path` of items_create. */
export const areaPathParam = itemParams({
  tools: ['items_create'],
  params: {
    area_path: nullable(guarded(Type.String(), { maxLength: PATH_MAX }), {
      description: 'Area path; null = none.',
    }),
  },
  async prepare(ctx, drafts, { area_path: path }) {
    if (path === undefined) return inherit(ctx, drafts)
    if (path === null || pathKey(path) === '') return undefined
    const areas = await findPlaces(ctx, ownersOf(drafts), [], ofProjects(drafts))
    const chosen = new Map<Draft, PlacedArea>()
    for (const draft of drafts) {
      const area = pickFor(draft, areas, path)
      if (area instanceof ToolError) draft.problems.push(area)
      else chosen.set(draft, area)
    }
    return placing(chosen)
  },
})

/** The parameter `area_id` of items_bulk_patch; the preview has none. */
export const areaIdParam = itemParams({
  tools: ['items_bulk_patch'],
  previewed: false,
  params: {
    area_id: nullable(guarded(Type.String(), { maxLength: PATH_MAX }), {
      description: 'Id, path or name of an area; null clears.',
    }),
  },
  async prepare(ctx, drafts, { area_id: text }) {
    if (text === undefined) return undefined
    const wanted = text?.trim() ?? ''
    const areas = await findPlaces(
      ctx,
      ownersOf(drafts),
      drafts.map(draft => draft.id),
      wanted === '' ? sql`false` : ofProjects(drafts),
    )
    const chosen = new Map<Draft, PlacedArea | null>()
    for (const draft of drafts) {
      const before = areas.find(area => area.items.includes(draft.id)) ?? null
      const after = wanted === '' ? null : areaFor(draft, areas, wanted, 'area_id')
      if (after instanceof ToolError) {
        draft.problems.push(after)
      } else if (after?.id !== before?.id) {
        if (after?.archived) draft.problems.push(archivedArea(after, 'area_id'))
        draft.change('area', before?.path ?? null, after?.path ?? null)
        chosen.set(draft, after)
      }
    }
    return placing(chosen)
  },
})

/** A new item goes where its parent is, unless that area takes nothing new or belongs to another project. */
async function inherit(ctx: ReadContext, drafts: readonly Draft[]): Promise<ItemWrite | undefined> {
  const children = drafts.flatMap(draft =>
    draft.parent?.project.id === draft.project.id ? [{ draft, parentId: draft.parent.id }] : [],
  )
  if (children.length === 0) return undefined
  const areas = await findPlaces(ctx, ownersOf(drafts), [...new Set(children.map(child => child.parentId))])
  const chosen = new Map<Draft, PlacedArea>()
  for (const { draft, parentId } of children) {
    const area = areas.find(candidate => candidate.items.includes(parentId))
    if (area && !area.archived) chosen.set(draft, area)
  }
  for (const [draft, area] of chosen) draft.change('area', null, area.path)
  return placing(chosen)
}

function pickFor(draft: Draft, areas: readonly PlacedArea[], path: string): PlacedArea | ToolError {
  const area = areaFor(draft, areas, path, 'area_path')
  if (area instanceof ToolError) return area
  if (area.archived) return archivedArea(area, 'area_path')
  draft.change('area', null, area.path)
  return area
}

/** The area of the draft's project that a text names. */
function areaFor(draft: Draft, areas: readonly PlacedArea[], text: string, field: string): PlacedArea | ToolError {
  const { id, key } = draft.project
  const own = areas.filter(area => area.projectId === id)
  return findArea(own, text, { projectKey: key, field })
}

/** Condition on the area `a`. */
function ofProjects(drafts: readonly Draft[]): RawBuilder<boolean> {
  return sql`a.project_id in (${sql.join([...new Set(drafts.map(draft => draft.project.id))])})`
}

function placing(chosen: ReadonlyMap<Draft, PlacedArea | null>): ItemWrite | undefined {
  if (chosen.size === 0) return undefined
  return (ctx, written) => {
    const moves = written.flatMap(draft => {
      const area = chosen.get(draft)
      return area === undefined ? [] : [{ ownerId: draft.ownerId, itemId: draft.id, areaId: area?.id ?? null }]
    })
    return moves.length === 0 ? Promise.resolve() : placeItems(ctx, moves)
  }
}

function ownersOf(drafts: readonly Draft[]): string[] {
  return drafts.map(draft => draft.ownerId)
}
