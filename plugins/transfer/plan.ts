import { setImmediate } from 'node:timers/promises'
import { nameKey, type ReadContext } from 'tasuki/plugin'
import { zoneOfOwner } from '../items/index.ts'
import { draftOf, findNewItems, orphaned, targetOf, type ImportChoice, type ImportOutcome } from './import.ts'
import { dropMisfits, expandItems, TURN } from './import-parts.ts'
import { findImported } from './origin.repository.ts'
import type { ImportedItem, ImportedParts, ImportProblem } from './points.ts'
import { stateFor } from './states.ts'

/** The outcome of a dry run, with the mapping of the file's values. */
export interface ImportPlan extends ImportOutcome {
  /** Time zone in which instants of the file become days and times. */
  readonly zone: string
  /** Number of items that are not imported, with a problem each. */
  readonly leftOut: number
  /** Names of states in the file, most frequent first, with the state of the project; null = left out. */
  readonly states: readonly { readonly name: string; readonly items: number; readonly state: string | null }[]
  /** States of the project that can be chosen. */
  readonly allStates: readonly string[]
  /** Number of items in the file with a part, by name, including `parent`. */
  readonly parts: readonly { readonly name: string; readonly items: number }[]
}

/** Plans an import without writing. @throws ToolError if the project accepts no items */
export async function planImport(
  ctx: ReadContext,
  given: readonly ImportedItem[],
  choice: ImportChoice,
): Promise<ImportPlan> {
  const target = await targetOf(ctx, choice.project, false)
  const problems: ImportProblem[] = []
  const items = await expandItems(ctx, choice.project, given, problems)
  const fresh = await findNewItems(ctx, items, choice)
  await setImmediate()
  const parents = fresh.flatMap(({ parent }) => parent ?? [])
  const taken = new Set((await findImported(ctx, choice.project, choice.format, parents)).keys())
  let created = 0
  for (let from = 0; from < fresh.length; from += TURN) {
    for (const item of dropMisfits(ctx, choice.project, fresh.slice(from, from + TURN), problems)) {
      if (!draftOf(item, choice, target, problems)) continue
      created++
      taken.add(item.key)
      if (item.parent !== undefined && !taken.has(item.parent)) problems.push(orphaned(item))
    }
    await setImmediate()
  }
  const parts = partsOf(given)
  await setImmediate()
  const { states } = target.workflow
  const named = Map.groupBy(
    given.filter(({ status }) => status !== undefined && nameKey(status) !== ''),
    ({ status }) => status!.trim(),
  )
  return {
    zone: zoneOfOwner(ctx, choice.project.ownerId),
    created,
    known: items.length - fresh.length,
    leftOut: fresh.length - created,
    problems,
    states: [...named]
      .map(([name, members]) => ({
        name,
        items: members.length,
        state: stateFor(members[0]!, states, choice.states).state?.name ?? null,
      }))
      .toSorted((a, b) => b.items - a.items),
    allStates: states.map(({ name }) => name),
    parts,
  }
}

function partsOf(items: readonly ImportedItem[]): ImportPlan['parts'] {
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { parent, parts } of items) {
    if (parent !== undefined) count('parent')
    for (const name of Object.keys(parts) as (keyof ImportedParts)[]) if (parts[name] !== undefined) count(name)
  }
  return [...counts].map(([name, number]) => ({ name, items: number })).toSorted((a, b) => b.items - a.items)
}
