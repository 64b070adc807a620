import { setImmediate } from 'node:timers/promises'
import { defineJob, sql, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { lockItems, type Draft, type ItemRow } from '../items/index.ts'
import { notify, type NewNotification } from '../workspace/index.ts'
import { generate, isOpen, type Run } from './generate.ts'
import { after, latest, upcoming } from './recurrence.ts'
import { dueAt, horizonOf, scheduleColumns, type Schedule } from './template.ts'

/** Templates that one run of the job deals with; the next run follows at once. */
const BATCH = 100
/** Missed occurrences that are counted one by one. */
const COUNTED = 50
/** Events that one run makes of a template; the next run makes the rest. */
const MOST_EVENTS = 100
const MINUTE = 60_000
const LONGEST_PAUSE = 24 * 60

/** How a schedule goes on. */
interface Outcome {
  readonly schedule: Schedule
  readonly nextAt: string | null
  readonly dueAt: string | null
  readonly failures: number
  readonly lastOccurrence: string | null
  readonly lastItemId: string | null
  readonly skipped: number
}

/** What is due for a schedule: of tasks that were missed only the latest is made, of events all that are still to come. */
interface Due {
  readonly schedule: Schedule
  readonly occurrences: readonly Date[]
  /** Occurrences before them that passed without an item, counted or estimated to be at least so many. */
  readonly missed: number
  readonly next: Date | null
}

/** The items of one schedule, which are made together or not at all. */
interface Batch {
  readonly due: Due
  readonly runs: readonly Run[]
}

/**
 * Makes the tasks of all templates that are due: claims, creates and advances in one transaction, so that each occurrence gets one task
 * whatever the number of instances, and an instance that dies leaves nothing half done.
 * @returns how many templates were dealt with.
 */
export async function generateDue(ctx: WriteContext): Promise<number> {
  const schedules = await claim(ctx)
  if (schedules.length === 0) return 0
  const outcomes: Outcome[] = []
  const failures: { readonly schedule: Schedule; readonly error: unknown }[] = []
  const due: Due[] = []
  for (const schedule of schedules) {
    const found = await attempted(() => dueOf(schedule, ctx.now))
    if ('error' in found) failures.push({ schedule, error: found.error })
    else due.push(found.value)
  }
  const items = await lockItems(ctx, schedules.flatMap(keysOf))
  const batches: Batch[] = []
  for (const each of due) {
    const { schedule, occurrences, missed } = each
    const previous = (schedule.lastItemId !== null && items.get(schedule.lastItemId)) || null
    if (schedule.strategy === 'skip_if_previous_open' && isOpen(previous)) {
      outcomes.push(outcome(each, { skipped: schedule.skipped + missed + occurrences.length }))
    } else batches.push({ due: each, runs: runsOf(each, items.get(schedule.itemId)!, previous) })
  }
  for (const [{ due: each }, result] of await generateAll(ctx, batches)) {
    if ('error' in result) failures.push({ schedule: each.schedule, error: result.error })
    else outcomes.push(made(each, result.value))
  }
  await keep(ctx, [...outcomes, ...failures.map(({ schedule }) => postponed(schedule, ctx.now))])
  await report(ctx, failures, items)
  return schedules.length
}

/**
 * Makes what a new schedule has due already, such as the events of the next weeks.
 * @returns the items
 * @throws ToolError when one of them is refused
 */
export async function generateNow(ctx: WriteContext, schedule: Schedule, template: ItemRow): Promise<readonly Draft[]> {
  const due = await dueOf(schedule, ctx.now)
  const drafts = await generate(ctx, runsOf(due, template, null))
  await keep(ctx, [made(due, drafts)])
  return drafts
}

export const tick = defineJob({
  name: 'templates.generate',
  schedule: '* * * * *',
  payload: Type.Object({}),
  async run(ctx): Promise<void> {
    if ((await generateDue(ctx)) === BATCH) await ctx.enqueue(tick, {})
  },
})

/**
 * Templates in archived projects pause; what they miss is caught up with as after a downtime. The items are locked as well, without
 * waiting: whoever changes one locks it before its template.
 */
async function claim(ctx: WriteContext): Promise<readonly Schedule[]> {
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns} from templates.templates t
    join items.items i on i.owner_id = t.owner_id and i.id = t.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where t.enabled and t.due_at <= ${ctx.now} and p.archived_at is null
    order by t.due_at, t.owner_id, t.item_id limit ${BATCH}
    for update of t skip locked for no key update of i skip locked
  `.execute(ctx.db)
  return rows
}

function dueOf(schedule: Schedule, now: Date): Promise<Due> {
  return schedule.makes === 'task' ? latestTask(schedule, now) : comingEvents(schedule, now)
}

/** Lets others run after each search: some rules take tens of milliseconds for one. */
async function latestTask(schedule: Schedule, now: Date): Promise<Due> {
  const first = new Date(schedule.nextAt!)
  let occurrence = first
  let missed = 0
  for (const at of after(schedule, first)) {
    await setImmediate()
    if (at > now) return { schedule, occurrences: [occurrence], missed, next: at }
    if (++missed === COUNTED) {
      occurrence = latest(schedule, now) ?? at
      await setImmediate()
      return { schedule, occurrences: [occurrence], missed, next: upcoming(schedule, now, 1)[0] ?? null }
    }
    occurrence = at
  }
  return { schedule, occurrences: [occurrence], missed, next: null }
}

/** Events that were missed are over. */
async function comingEvents(schedule: Schedule, now: Date): Promise<Due> {
  const first = new Date(schedule.nextAt!)
  const horizon = horizonOf(schedule, now)
  const missed = first < now ? 1 : 0
  const occurrences: Date[] = []
  const add = (at: Date): boolean => at <= horizon && occurrences.length < MOST_EVENTS && occurrences.push(at) > 0
  if (missed === 0 && !add(first)) return { schedule, occurrences, missed, next: first }
  for (const at of after(schedule, missed ? now : first)) {
    await setImmediate()
    if (!add(at)) return { schedule, occurrences, missed, next: at }
  }
  return { schedule, occurrences, missed, next: null }
}

function runsOf({ schedule, occurrences, missed }: Due, template: ItemRow, previous: ItemRow | null): readonly Run[] {
  return occurrences.map((occurrence, n) => ({
    schedule,
    template,
    previous,
    occurrence,
    skipped: n === 0 ? schedule.skipped + missed : 0,
  }))
}

function keysOf({ ownerId, itemId, lastItemId }: Schedule): { ownerId: string; id: string }[] {
  return (lastItemId === null ? [itemId] : [itemId, lastItemId]).map(id => ({ ownerId, id }))
}

type Result<T> = { readonly value: T } | { readonly error: unknown }

async function attempted<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}

/** All at once; where that fails each alone, so that one template does not hold up the others. */
async function generateAll(
  ctx: WriteContext,
  batches: readonly Batch[],
): Promise<Map<Batch, Result<readonly Draft[]>>> {
  if (batches.length === 0) return new Map()
  await sql`savepoint generation`.execute(ctx.db)
  try {
    const drafts = await generate(
      ctx,
      batches.flatMap(({ runs }) => runs),
    )
    await sql`release savepoint generation`.execute(ctx.db)
    let from = 0
    return new Map(batches.map(batch => [batch, { value: drafts.slice(from, (from += batch.runs.length)) }]))
  } catch (error) {
    await sql`rollback to savepoint generation`.execute(ctx.db)
    if (batches.length === 1) return new Map([[batches[0]!, { error }]])
    const results = new Map<Batch, Result<readonly Draft[]>>()
    for (const batch of batches) for (const [key, result] of await generateAll(ctx, [batch])) results.set(key, result)
    return results
  }
}

/** How a schedule goes on whose items were made. */
function made(due: Due, drafts: readonly Draft[]): Outcome {
  const [last, item] = [due.occurrences.at(-1), drafts.at(-1)]
  if (!last || !item) return outcome(due, { skipped: due.schedule.skipped + due.missed })
  return outcome(due, { skipped: 0, lastOccurrence: last.toISOString(), lastItemId: item.id })
}

function outcome({ schedule, next }: Due, changed: Partial<Outcome>): Outcome {
  const { lastOccurrence, lastItemId, skipped } = schedule
  const nextAt = next?.toISOString() ?? null
  const at = next && dueAt(schedule, next).toISOString()
  return { schedule, nextAt, dueAt: at, failures: 0, lastOccurrence, lastItemId, skipped, ...changed }
}

/** Stays due, and is tried again after 1, 2, 4 … minutes, at least once a day. */
function postponed(schedule: Schedule, now: Date): Outcome {
  const pause = Math.min(2 ** schedule.failures, LONGEST_PAUSE) * MINUTE
  return {
    ...schedule,
    schedule,
    dueAt: new Date(now.getTime() + pause).toISOString(),
    failures: schedule.failures + 1,
  }
}

async function keep(ctx: WriteContext, outcomes: readonly Outcome[]): Promise<void> {
  const rows = outcomes.map(({ schedule, nextAt, dueAt, failures, lastOccurrence, lastItemId, skipped }) => ({
    owner_id: schedule.ownerId,
    item_id: schedule.itemId,
    next_at: nextAt,
    due_at: dueAt,
    failures,
    last_occurrence: lastOccurrence,
    last_item_id: lastItemId,
    skipped,
  }))
  await sql`
    update templates.templates t set next_at = v.next_at, due_at = v.due_at, failures = v.failures,
      last_occurrence = v.last_occurrence, last_item_id = v.last_item_id, skipped = v.skipped
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as v (owner_id uuid, item_id uuid, next_at timestamptz, due_at timestamptz,
      failures int, last_occurrence timestamptz, last_item_id uuid, skipped int)
    where t.owner_id = v.owner_id and t.item_id = v.item_id
  `.execute(ctx.db)
}

/** The owner hears of the first failure; the following attempts are only logged. */
async function report(
  ctx: WriteContext,
  failures: readonly { readonly schedule: Schedule; readonly error: unknown }[],
  items: ReadonlyMap<string, ItemRow>,
): Promise<void> {
  for (const { schedule, error } of failures) {
    ctx.log.warn({ err: error, template: schedule.itemId }, 'a template made no task')
  }
  await notify(
    ctx,
    failures
      .filter(({ schedule }) => schedule.failures === 0)
      .map(({ schedule: { ownerId, itemId }, error }) => {
        const item = items.get(itemId)!
        return {
          userId: ownerId,
          kind: 'template.failed',
          title: `No task was made from ${item.project.key}#${item.number} ${item.title}`,
          ...reasonOf(error),
          item: { ownerId, id: itemId },
        }
      }),
  )
}

/** Why a template failed, for people and as a code, by which others word it in their languages. */
function reasonOf(error: unknown): Pick<NewNotification, 'body' | 'data'> {
  if (!(error instanceof ToolError))
    return { body: 'It is tried again; the log of the server says more.', data: { code: 'internal' } }
  const { code, message, help } = error
  return { body: message, data: { code, ...(help.field !== undefined && { field: help.field }) } }
}
