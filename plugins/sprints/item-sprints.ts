import { guarded, nullable, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { itemParams, type Draft, type ItemWrite } from '../items/points.ts'
import { featureDisabled, featureOn } from '../projects/index.ts'
import { PATH_MAX } from './names.ts'
import { findSprint } from './pick.ts'
import { findPlaces, moveProblem, placeItems, type Move } from './placing.ts'
import type { SprintRow } from './rows.ts'

type Chosen = Map<Draft, Pick<Move, 'from' | 'to' | 'field'>>

/** The parameter `sprint` of items_create. */
export const sprintParam = itemParams({
  tools: ['items_create'],
  params: {
    sprint: guarded(Type.String({ description: 'Name, path, @active or @next; empty = none.' }), {
      maxLength: PATH_MAX,
    }),
  },
  async prepare(ctx, drafts, { sprint: text }) {
    if (text === undefined) return inherit(ctx, drafts)
    if (text.trim() === '') return undefined
    return choose(ctx, drafts, { text, field: 'sprint' })
  },
})

/** The parameter `sprint_id` of items_bulk_patch and its preview. */
export const sprintIdParam = itemParams({
  tools: ['items_bulk_patch'],
  params: {
    sprint_id: nullable(guarded(Type.String(), { maxLength: PATH_MAX }), {
      description: 'Id or path of a sprint; null removes.',
    }),
  },
  prepare(ctx, drafts, { sprint_id: id }) {
    return id === undefined ? undefined : choose(ctx, drafts, { text: id ?? '', field: 'sprint_id' })
  },
})

interface Wanted {
  /** What names the sprint; empty = none. */
  readonly text: string
  readonly field: string
}

async function choose(
  ctx: ReadContext,
  drafts: readonly Draft[],
  { text, field }: Wanted,
): Promise<ItemWrite | undefined> {
  const able = drafts.filter(draft => featureOn(ctx, 'sprints', draft.project))
  for (const draft of drafts) {
    if (!able.includes(draft)) draft.problems.push(featureDisabled('sprints', draft.project.key))
  }
  if (able.length === 0) return undefined
  const places = await findPlaces(ctx, ownersOf(able), {
    items: able.filter(draft => draft.before !== null).map(draft => draft.id),
    projects: able.map(draft => draft.project.id),
  })
  const chosen: Chosen = new Map()
  for (const draft of able) {
    const { project } = draft
    const own = places.filter(place => place.projectId === project.id)
    const to = text.trim() === '' ? null : findSprint(own, text, { projectKey: project.key, field })
    if (to instanceof ToolError) {
      draft.problems.push(to)
      continue
    }
    const from = places.find(place => place.items.includes(draft.id)) ?? null
    if (from?.id === to?.id) continue
    const problem = moveProblem({ from, to, field }, draft.after.completedAt)
    if (problem) draft.problems.push(problem)
    chosen.set(draft, { from, to, field })
  }
  return placing(chosen)
}

/** A new item goes into its parent's sprint, unless that is closed or belongs to another project. */
async function inherit(ctx: ReadContext, drafts: readonly Draft[]): Promise<ItemWrite | undefined> {
  const children = drafts.flatMap(draft => {
    const { parent, project } = draft
    return parent?.project.id === project.id && featureOn(ctx, 'sprints', project)
      ? [{ draft, parentId: parent.id }]
      : []
  })
  if (children.length === 0) return undefined
  const owners = ownersOf(children.map(child => child.draft))
  const places = await findPlaces(ctx, owners, { items: [...new Set(children.map(child => child.parentId))] })
  const chosen: Chosen = new Map()
  for (const { draft, parentId } of children) {
    const to: SprintRow | undefined = places.find(place => place.items.includes(parentId))
    if (to && to.status !== 'closed') chosen.set(draft, { from: null, to, field: 'sprint' })
  }
  return placing(chosen)
}

function placing(chosen: Chosen): ItemWrite | undefined {
  if (chosen.size === 0) return undefined
  for (const [draft, { from, to }] of chosen) draft.change('sprint', from?.path ?? null, to?.path ?? null)
  return (ctx, written) =>
    placeItems(
      ctx,
      written.flatMap(draft => {
        const move = chosen.get(draft)
        return move ? [{ ownerId: draft.ownerId, itemId: draft.id, ...move }] : []
      }),
    )
}

function ownersOf(drafts: readonly Draft[]): string[] {
  return drafts.map(draft => draft.ownerId)
}
