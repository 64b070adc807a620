import { defineTool, errorBody, quoteValue, reference, Type, type ReadContext } from 'tasuki/plugin'
import {
  countResults,
  describeRefusals,
  findItems,
  formatRef,
  moveToProject,
  planMove,
  reasonParam,
  refuseRepeats,
  requireItemUnchanged,
  resultsOf,
} from '../../items/index.ts'
import type { Carried, Found, MovePlan, PlannedMove } from '../../items/index.ts'
import { projectKey, requireProject } from '../../projects/index.ts'

const Field = Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Optional(Type.Unknown()) })

interface Planned {
  readonly targets: readonly Found[]
  readonly plan: MovePlan
}

export const itemsMoveProject = defineTool({
  name: 'items_move_project',
  class: 'WD',
  title: 'Move items to another project',
  summary:
    'Moves 1-25 items to another project of the same owner. Numbers stay and old references still work. State, sprint, version, area, labels, fields and folder go along by name; what the project lacks is in lost, and asked about first.',
  rank: 1102,
  needs: ['items'],
  input: {
    item_refs: Type.Array(reference(), { minItems: 1, maxItems: 25, description: 'Items.' }),
    to_project: projectKey('Key of the new project.'),
    reason: reasonParam,
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only tells what would happen.' })),
  },
  output: {
    ...resultsOf({
      ref: Type.Optional(Type.String({ description: 'New reference.' })),
      changed: Type.Optional(Type.Array(Type.String())),
      mapped: Type.Optional(Type.Array(Field)),
      lost: Type.Optional(Type.Array(Field)),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    }).properties,
    dry_run: Type.Optional(Type.Boolean()),
  },
  async confirm(ctx, input): Promise<string | null> {
    if (input.dry_run) return null
    return effectOf(await planTargets(ctx, input, { lock: false }))
  },
  async run(ctx, input) {
    const { targets, plan } = await planTargets(ctx, input, { lock: !input.dry_run })
    if (!input.dry_run) await moveToProject(ctx, plan)
    const results = targets.map(target => resultOf(target, plan))
    const warnings = plan.moves.flatMap(({ draft }) => draft.warnings)
    return countResults(results, { ...(input.dry_run && { dry_run: true }), ...(warnings.length > 0 && { warnings }) })
  },
})

async function planTargets(
  ctx: ReadContext,
  { item_refs, to_project, reason = null }: { item_refs: string[]; to_project: string; reason?: string | null },
  { lock }: { readonly lock: boolean },
): Promise<Planned> {
  const project = await requireProject(ctx, to_project, { write: true, field: 'to_project' })
  const found = await findItems(ctx, item_refs, { write: true, lock: lock && 'with workflows', field: 'item_refs' })
  const targets = refuseRepeats(found, 'item_refs')
  const items = targets.flatMap(target => ('item' in target ? [target.item] : []))
  for (const item of items) requireItemUnchanged(ctx, item)
  return { targets, plan: await planMove(ctx, items, project, { lock, reason }) }
}

function resultOf(target: Found, { project, moves }: MovePlan) {
  const item_ref = target.ref
  if ('error' in target) return { item_ref, ok: false, error: errorBody(target.error) }
  const { draft, mapped, lost } = moves.find(move => move.draft.id === target.item.id)!
  const [problem] = draft.problems
  if (problem) return { item_ref, ok: false, error: errorBody(problem) }
  const moved = target.item.project.id !== project.id
  return {
    item_ref,
    ok: true,
    ref: draft.ref,
    changed: moved ? ['project', ...draft.changes.map(({ field }) => field)] : [],
    ...(mapped.length > 0 && { mapped: mapped.map(formatCarried) }),
    ...(lost.length > 0 && { lost: lost.map(formatCarried) }),
  }
}

function formatCarried({ field, from, to }: Carried) {
  return { field, from, ...(to !== null && { to }) }
}

/** Describes the effect for the user to confirm; null if nothing is lost. */
function effectOf({ targets, plan: { project, moves } }: Planned): string | null {
  const sound = moves.filter(({ draft }) => draft.problems.length === 0 && draft.before.project.id !== project.id)
  const losing = sound.filter(({ lost }) => lost.length > 0)
  if (losing.length === 0) return null
  const refs = sound.map(({ draft }) => formatRef(draft.before))
  const refusals = [
    ...targets.flatMap(target => ('error' in target ? [target] : [])),
    ...moves.flatMap(move =>
      move.draft.problems.slice(0, 1).map(error => ({ ref: formatRef(move.draft.before), error })),
    ),
  ]
  return [
    `Move ${refs.join(', ')} to ${project.key}, which lacks what they lose: ${losing.map(describeLosses).join('; ')}`,
    ...describeRefusals(refusals, 'cannot move'),
  ].join('; ')
}

function describeLosses(move: PlannedMove): string {
  const what = move.lost.map(
    ({ field, from, to }) =>
      `${field} ${quoteValue(String(from))}${to === null ? '' : ` (becomes ${quoteValue(String(to))})`}`,
  )
  return `${formatRef(move.draft.before)} ${what.join(', ')}`
}
