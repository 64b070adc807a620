import { setImmediate } from 'node:timers/promises'
import { defineJob, MINUTE_MS, quoteName, runInSavepoint, ToolError, type WriteContext } from 'tasuki/plugin'
import { formatRef, lockItems, type Draft, type ItemRow } from '../items/index.ts'
import { notify, type NewNotification } from '../workspace/index.ts'
import { generate, isOpen, type Run } from './generate.ts'
import { occurrencesAfter, previousOccurrence, upcoming } from './recurrence.ts'
import { claimDue, updateOutcomes, type Outcome } from './template.repository.ts'
import { dueAt, findHorizon, findPast, type Schedule } from './template.ts'

/** Templates per run; if there are more, the next run follows immediately. */
const BATCH = 100
/** Up to this many missed occurrences are counted individually. */
const MAX_COUNTED = 50
/** Maximum number of events per template and run; the next run creates the rest. */
const MAX_EVENTS = 100
const MAX_BACKOFF_MINUTES = 24 * 60

/** The due occurrences: only the latest for missed tasks, all future ones for events. */
interface Due {
  readonly schedule: Schedule
  readonly occurrences: readonly Date[]
  /** Number of earlier occurrences without an item, exact or a lower bound. */
  readonly missed: number
  readonly next: Date | null
}

/** The items of one schedule, which are created together or not at all. */
interface Batch {
  readonly due: Due
  readonly runs: readonly Run[]
}

/**
 * Creates the items of all due templates. Claiming, creating and advancing share one transaction, so that each occurrence gets one item
 * with any number of instances, and a crash leaves nothing incomplete.
 * @returns the number of due templates
 */
export async function generateDue(ctx: WriteContext): Promise<number> {
  const schedules = await claimDue(ctx, BATCH)
  if (schedules.length === 0) return 0
  const outcomes: Outcome[] = []
  const failures: { readonly schedule: Schedule; readonly error: unknown }[] = []
  const due: Due[] = []
  for (const schedule of schedules) {
    const found = await settleWork(() => findDue(schedule, ctx.now))
    if ('error' in found) failures.push({ schedule, error: found.error })
    else due.push(found.value)
  }
  const keys = schedules.flatMap(({ ownerId, itemId, lastItemId }) =>
    [itemId, lastItemId].flatMap(id => (id === null ? [] : { ownerId, id })),
  )
  const items = await lockItems(ctx, keys, 'with workflows')
  const batches: Batch[] = []
  for (const each of due) {
    const { schedule, occurrences, missed } = each
    const previous = (schedule.lastItemId !== null && items.get(schedule.lastItemId)) || null
    if (schedule.strategy === 'skip_if_previous_open' && isOpen(previous)) {
      outcomes.push(proceed(each, { skipped: schedule.skipped + missed + occurrences.length }))
    } else batches.push({ due: each, runs: planRuns(each, items.get(schedule.itemId)!, previous) })
  }
  for (const [{ due: each }, result] of await generateAll(ctx, batches)) {
    if ('error' in result) failures.push({ schedule: each.schedule, error: result.error })
    else outcomes.push(advance(each, result.value))
  }
  await updateOutcomes(ctx, [...outcomes, ...failures.map(({ schedule }) => postpone(schedule, ctx.now))])
  await report(ctx, failures, items)
  return schedules.length
}

/**
 * Creates the items of a new schedule that are already due, such as the events of the next weeks.
 * @returns the items
 * @throws ToolError if an item is rejected
 */
export async function generateNow(ctx: WriteContext, schedule: Schedule, template: ItemRow): Promise<readonly Draft[]> {
  const due = await findDue(schedule, ctx.now)
  const drafts = await generate(ctx, planRuns(due, template, null))
  await updateOutcomes(ctx, [advance(due, drafts)])
  return drafts
}

export const tick = defineJob({
  name: 'templates.generate',
  schedule: '* * * * *',
  async run(ctx): Promise<void> {
    if ((await generateDue(ctx)) === BATCH) await ctx.enqueue(tick, {})
  },
})

function findDue(schedule: Schedule, now: Date): Promise<Due> {
  return schedule.makes === 'task' ? latestTask(schedule, now) : findUpcomingEvents(schedule, now)
}

/** Yields to the event loop after each search, since some rules take tens of milliseconds. */
async function latestTask(schedule: Schedule, now: Date): Promise<Due> {
  const first = new Date(schedule.nextAt!)
  let occurrence = first
  let missed = 0
  for (const at of occurrencesAfter(schedule, first)) {
    await setImmediate()
    if (at > now) return { schedule, occurrences: [occurrence], missed, next: at }
    if (++missed === MAX_COUNTED) {
      occurrence = previousOccurrence(schedule, now) ?? at
      await setImmediate()
      return { schedule, occurrences: [occurrence], missed, next: upcoming(schedule, now, 1)[0] ?? null }
    }
    occurrence = at
  }
  return { schedule, occurrences: [occurrence], missed, next: null }
}

/** Missed events are not created: their day is over. */
async function findUpcomingEvents(schedule: Schedule, now: Date): Promise<Due> {
  const first = new Date(schedule.nextAt!)
  const horizon = findHorizon(schedule, now)
  const past = findPast(schedule, now)
  const missed = first <= past ? 1 : 0
  const occurrences: Date[] = []
  const add = (at: Date): boolean => at <= horizon && occurrences.length < MAX_EVENTS && occurrences.push(at) > 0
  if (missed === 0 && !add(first)) return { schedule, occurrences, missed, next: first }
  for (const at of occurrencesAfter(schedule, missed ? past : first)) {
    await setImmediate()
    if (!add(at)) return { schedule, occurrences, missed, next: at }
  }
  return { schedule, occurrences, missed, next: null }
}

function planRuns({ schedule, occurrences, missed }: Due, template: ItemRow, previous: ItemRow | null): readonly Run[] {
  const skipped = schedule.skipped + missed
  const of = { schedule, template, previous }
  return occurrences.map((occurrence, n) => ({ ...of, occurrence, skipped: n === 0 ? skipped : 0 }))
}

type Result<T> = { readonly value: T } | { readonly error: unknown }

async function settleWork<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}

/** Generates all batches together; if that fails, each one separately, so that one template does not block the others. */
async function generateAll(
  ctx: WriteContext,
  batches: readonly Batch[],
): Promise<Map<Batch, Result<readonly Draft[]>>> {
  if (batches.length === 0) return new Map()
  try {
    const runs = batches.flatMap(batch => batch.runs)
    const drafts = await runInSavepoint(ctx, () => generate(ctx, runs))
    let from = 0
    return new Map(batches.map(batch => [batch, { value: drafts.slice(from, (from += batch.runs.length)) }]))
  } catch (error) {
    if (batches.length === 1) return new Map([[batches[0]!, { error }]])
    const results = new Map<Batch, Result<readonly Draft[]>>()
    for (const batch of batches) for (const [key, result] of await generateAll(ctx, [batch])) results.set(key, result)
    return results
  }
}

/** Returns the state of a schedule after its items were created. */
function advance(due: Due, drafts: readonly Draft[]): Outcome {
  const [last, item] = [due.occurrences.at(-1), drafts.at(-1)]
  if (!last || !item) return proceed(due, { skipped: due.schedule.skipped + due.missed })
  return proceed(due, { skipped: 0, last_occurrence: last.toISOString(), last_item_id: item.id })
}

function proceed({ schedule, next }: Due, changed: Partial<Outcome>): Outcome {
  const at = next && dueAt(schedule, next).toISOString()
  return outcomeOf(schedule, { next_at: next?.toISOString() ?? null, due_at: at, failures: 0, ...changed })
}

/** Keeps the schedule due, with an exponential backoff of 1, 2, 4 … minutes, at most a day. */
function postpone(schedule: Schedule, now: Date): Outcome {
  const pause = Math.min(2 ** schedule.failures, MAX_BACKOFF_MINUTES) * MINUTE_MS
  const at = new Date(now.getTime() + pause).toISOString()
  return outcomeOf(schedule, { due_at: at, failures: schedule.failures + 1 })
}

function outcomeOf(schedule: Schedule, changed: Pick<Outcome, 'due_at' | 'failures'> & Partial<Outcome>): Outcome {
  const { ownerId, itemId, nextAt, lastOccurrence, lastItemId, skipped } = schedule
  const key = { owner_id: ownerId, item_id: itemId }
  return { ...key, next_at: nextAt, last_occurrence: lastOccurrence, last_item_id: lastItemId, skipped, ...changed }
}

/** Notifies the owner of the first failure; later ones are only logged. */
async function report(
  ctx: WriteContext,
  failures: readonly { readonly schedule: Schedule; readonly error: unknown }[],
  items: ReadonlyMap<string, ItemRow>,
): Promise<void> {
  for (const { schedule, error } of failures)
    ctx.log.warn({ err: error, template: schedule.itemId }, 'a template made no task')
  await notify(
    ctx,
    failures
      .filter(({ schedule }) => schedule.failures === 0)
      .map(({ schedule: { ownerId, itemId }, error }) => {
        const item = items.get(itemId)!
        return {
          userId: ownerId,
          kind: 'template.failed',
          title: `No task was made from ${formatRef(item)} ${quoteName(item.title)}`,
          ...explain(error),
          item: { ownerId, id: itemId },
        }
      }),
  )
}

/** Describes why a template failed, as text and as a code for translations. */
function explain(error: unknown): Pick<NewNotification, 'body' | 'data'> {
  if (!(error instanceof ToolError))
    return { body: 'It is tried again; the log of the server says more.', data: { code: 'internal' } }
  const { code, message, help } = error
  return { body: message, data: { code, ...(help.field !== undefined && { field: help.field }) } }
}
