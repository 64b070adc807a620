import { choice, quoteName, throwAll, ToolError, Type, type Static, type WriteContext } from 'tasuki/plugin'
import { findItems, type ItemRow } from '../items/index.ts'
import { DISPOSITIONS, type Disposition } from './outcome.ts'
import type { SprintItem, SprintRow } from './sprint.ts'

/** The parameter `dispositions` of sprints_close and sprints_handoff. */
export const dispositions = Type.Optional(
  Type.Array(
    Type.Object({ item_ref: Type.String(), disposition: choice(DISPOSITIONS) }, { additionalProperties: false }),
    { maxItems: 500, description: 'For unfinished items; default drop.' },
  ),
)
export type Given = readonly Static<typeof dispositions>[number][]

/** The decisions of a call about the items of a sprint. */
export interface Decisions {
  /** By item id, for every unfinished item. */
  readonly chosen: ReadonlyMap<string, Disposition>
  /** The items of `split`, locked. */
  readonly splits: readonly ItemRow[]
  readonly warnings: readonly string[]
}

/** Validates the dispositions of unfinished items. @throws ToolError with all errors of the list */
export async function resolveDispositions(
  ctx: WriteContext,
  sprint: SprintRow,
  items: readonly SprintItem[],
  call: { readonly given: Given | undefined; readonly next: SprintRow | null; readonly projectKey: string },
): Promise<Decisions> {
  const { given, next, projectKey } = call
  const unfinished = items.filter(item => item.completedAt === null)
  const chosen = new Map<string, Disposition>(unfinished.map(item => [item.id, 'drop']))
  if (!given || given.length === 0) return { chosen, splits: [], warnings: [] }
  const refs = given.map(entry => entry.item_ref)
  const found = await findItems(ctx, refs, { write: true, lock: true, field: 'dispositions' })
  const problems: ToolError[] = []
  const warnings: string[] = []
  const seen = new Set<string>()
  const splits: ItemRow[] = []
  const refuse = (message: string, hint: string): void =>
    void problems.push(new ToolError('invalid_argument', message, { field: 'dispositions', hint }))
  for (const [n, one] of found.entries()) {
    const { disposition } = given[n]!
    if ('error' in one) problems.push(one.error)
    else if (seen.has(one.item.id)) refuse(`${one.ref} is named twice.`, 'Give each item one disposition.')
    else if (!items.some(item => item.id === one.item.id)) {
      refuse(
        `${one.ref} is not in the sprint ${quoteName(sprint.path)}.`,
        `tasks_list with q sprint:${quoteName(sprint.path)} shows its items.`,
      )
    } else if (!chosen.has(one.item.id)) {
      warnings.push(`${one.ref} is finished and stays in the sprint; its disposition ${disposition} was not needed.`)
    } else {
      chosen.set(one.item.id, disposition)
      if (disposition === 'split') splits.push(one.item)
    }
    if (!('error' in one)) seen.add(one.item.id)
  }
  if (!next && [...chosen.values()].includes('next_sprint')) {
    const hint = 'Name the sprint that takes these items, or use backlog.'
    const message = 'A disposition next_sprint needs the parameter next_sprint.'
    problems.push(new ToolError('missing_argument', message, { field: 'next_sprint', hint }))
  }
  throwAll(problems)
  const left = unfinished.filter(item => !seen.has(item.id)).map(item => `${projectKey}#${item.number}`)
  if (left.length > 0)
    warnings.push(`No disposition was given for ${formatRefs(left)}: dropped from the sprint, still open.`)
  return { chosen, splits, warnings }
}

/** Lists the first of many references. */
function formatRefs(refs: readonly string[]): string {
  return refs.length <= 10 ? refs.join(', ') : `${refs.slice(0, 10).join(', ')} and ${refs.length - 10} more`
}
