import { dateOf, throwAll, type WriteContext } from 'tasuki/plugin'
import {
  newItemValues,
  completeItems,
  draftOf,
  newDraft,
  findInitialStates,
  publishChanges,
  toItemChange,
  toItemOfRow,
  writeItems,
} from '../items/index.ts'
import type { Draft, ItemRow } from '../items/index.ts'
import { templateGenerated, type Generated } from './points.ts'
import { isAllDay } from './recurrence.ts'
import { insertInstances } from './template.repository.ts'
import { formatOccurrence, type Schedule } from './template.ts'
import { timeOf, wallClock } from './zone.ts'

/** One task to generate. */
export interface Run {
  readonly schedule: Schedule
  /** The template's item; locked. */
  readonly template: ItemRow
  /** The template's latest task; null for none. */
  readonly previous: ItemRow | null
  /** Null = on request, independent of the schedule. */
  readonly occurrence: Date | null
  /** Number of earlier occurrences that passed without a task. */
  readonly skipped: number
}

export function isOpen(item: ItemRow | null): item is ItemRow {
  return item !== null && item.completedAt === null && item.archivedAt === null
}

/**
 * Generates one task per run, in order, with its related records, in a constant number of statements. The schedules must be locked, so that
 * no other instance generates the same task.
 * @throws ToolError if a task is rejected; the transaction must then be rolled back
 */
export async function generate(ctx: WriteContext, runs: readonly Run[]): Promise<readonly Draft[]> {
  if (runs.length === 0) return []
  const superseded = await closePrevious(ctx, runs)
  const tasks = await createTasks(ctx, runs)
  const instances = runs.map(({ template: { ownerId, id }, occurrence }, n) => {
    return { owner_id: ownerId, item_id: tasks[n]!.id, template_id: id, occurrence }
  })
  await insertInstances(ctx, instances)
  const generated = runs.map(({ template }, n): Generated => ({
    template,
    task: tasks[n]!,
    superseded: superseded.get(template.id) ?? null,
  }))
  for (const complete of ctx.all(templateGenerated)) await complete(ctx, generated)
  await publishChanges(
    ctx,
    runs.map(({ template, schedule, occurrence, skipped }, n) => {
      const when = occurrence && { occurrence: formatOccurrence(schedule, occurrence) }
      const to = { item: tasks[n]!.ref, ...when, ...(skipped > 0 && { skipped }) }
      return toItemChange(toItemOfRow(template), 'template.generated', { to })
    }),
  )
  return tasks
}

/** Closes previous tasks if the strategy requires it. @returns the closed tasks by template id */
async function closePrevious(ctx: WriteContext, runs: readonly Run[]): Promise<ReadonlyMap<string, ItemRow>> {
  const pairs = runs.flatMap(({ schedule, template, previous }): [string, ItemRow][] =>
    schedule.strategy === 'supersede_previous' && isOpen(previous) ? [[template.id, previous]] : [],
  )
  const drafts = pairs.map(([, previous]) => draftOf(previous, 'Superseded by the next task of its template'))
  await completeItems(ctx, drafts, 'wontfix')
  throwAll(drafts.flatMap(draft => draft.problems))
  await writeItems(ctx, drafts, { tool: 'items_patch', input: {}, bulk: true })
  throwAll(drafts.flatMap(draft => draft.problems))
  return new Map(pairs)
}

async function createTasks(ctx: WriteContext, runs: readonly Run[]): Promise<readonly Draft[]> {
  const projects = new Map(
    runs.map(({ template: { ownerId, project } }) => [project.id, { ownerId, projectId: project.id }]),
  )
  const states = await findInitialStates(ctx, [...projects.values()])
  const drafts = runs.map(run => {
    const { template } = run
    const { project, title, detail, priority, kind, parentId } = template
    const state = states.get(project.id)!
    return newDraft({
      project,
      workflowId: state.workflowId,
      // Version, sprint and area are inherited from the template as from a parent.
      parent: template,
      values: {
        ...newItemValues(run.schedule.makes, state),
        ...findDue(run, ctx.now),
        title,
        detail,
        priority,
        kind,
        parentId,
      },
    })
  })
  await writeItems(ctx, drafts, { tool: 'items_create', input: {}, bulk: true })
  throwAll(drafts.flatMap(draft => draft.problems))
  return drafts
}

/**
 * A whole-day occurrence is due on that day; one with a time is due at that time, converted to the time zone of the owner like all due
 * dates. A requested task is due today.
 */
export function findDue(
  { schedule, occurrence }: Pick<Run, 'schedule' | 'occurrence'>,
  now: Date,
): { dueDate: string; dueTime: string | null } {
  const { timezone, ownerZone } = schedule
  if (occurrence === null) return { dueDate: dateOf(wallClock(now.getTime(), ownerZone)), dueTime: null }
  const timed = !isAllDay(schedule)
  const wall = wallClock(occurrence.getTime(), timed ? ownerZone : timezone)
  return { dueDate: dateOf(wall), dueTime: timed ? timeOf(wall) : null }
}
