import { setImmediate } from 'node:timers/promises'
import { defineJob, sql, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { lockItems, type Draft, type ItemRow } from '../items/index.ts'
import { notify, type NewNotification } from '../workspace/index.ts'
import { generate, isOpen, type Run } from './generate.ts'
import { after, latest, upcoming } from './recurrence.ts'
import { scheduleColumns, type Schedule } from './template.ts'

/** Templates that one run of the job deals with; the next run follows at once. */
const BATCH = 100
/** Missed occurrences that are counted one by one. */
const COUNTED = 50
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

/** What is due for a schedule: of occurrences that were missed only the latest gets a task. */
interface Due {
  readonly schedule: Schedule
  readonly occurrence: Date
  /** Occurrences before it that passed without a task, counted or estimated to be at least so many. */
  readonly missed: number
  readonly next: Date | null
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
  const runs: (Run & { readonly due: Due })[] = []
  for (const each of due) {
    const { schedule, occurrence, missed } = each
    const template = items.get(schedule.itemId)!
    const previous = (schedule.lastItemId !== null && items.get(schedule.lastItemId)) || null
    const skipped = schedule.skipped + missed
    if (schedule.strategy === 'skip_if_previous_open' && isOpen(previous)) {
      outcomes.push(outcome(each, { skipped: skipped + 1 }))
    } else runs.push({ schedule, template, previous, occurrence, skipped, due: each })
  }
  for (const [run, result] of await generateAll(ctx, runs)) {
    if ('error' in result) failures.push({ schedule: run.schedule, error: result.error })
    else
      outcomes.push(
        outcome(run.due, { skipped: 0, lastOccurrence: run.due.occurrence.toISOString(), lastItemId: result.value.id }),
      )
  }
  await keep(ctx, [...outcomes, ...failures.map(({ schedule }) => postponed(schedule, ctx.now))])
  await report(ctx, failures, items)
  return schedules.length
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

/** Lets others run after each search: some rules take tens of milliseconds for one. */
async function dueOf(schedule: Schedule, now: Date): Promise<Due> {
  const first = new Date(schedule.nextAt!)
  let occurrence = first
  let missed = 0
  for (const at of after(schedule, first)) {
    await setImmediate()
    if (at > now) return { schedule, occurrence, missed, next: at }
    if (++missed === COUNTED) {
      occurrence = latest(schedule, now) ?? at
      await setImmediate()
      return { schedule, occurrence, missed, next: upcoming(schedule, now, 1)[0] ?? null }
    }
    occurrence = at
  }
  return { schedule, occurrence, missed, next: null }
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
async function generateAll<R extends Run>(ctx: WriteContext, runs: readonly R[]): Promise<Map<R, Result<Draft>>> {
  if (runs.length === 0) return new Map()
  await sql`savepoint generation`.execute(ctx.db)
  try {
    const tasks = await generate(ctx, runs)
    await sql`release savepoint generation`.execute(ctx.db)
    return new Map(runs.map((run, n) => [run, { value: tasks[n]! }]))
  } catch (error) {
    await sql`rollback to savepoint generation`.execute(ctx.db)
    if (runs.length === 1) return new Map([[runs[0]!, { error }]])
    const results = new Map<R, Result<Draft>>()
    for (const run of runs) for (const [key, result] of await generateAll(ctx, [run])) results.set(key, result)
    return results
  }
}

function outcome({ schedule, next }: Due, changed: Partial<Outcome>): Outcome {
  const { lastOccurrence, lastItemId, skipped } = schedule
  const nextAt = next?.toISOString() ?? null
  return { schedule, nextAt, dueAt: nextAt, failures: 0, lastOccurrence, lastItemId, skipped, ...changed }
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
