import { compare, iso, isOneOf, sql, updateRecords, updateWhere } from 'tasuki/plugin'
import type { Condition, Expression, NewRow, OwnedKey, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { fromOther, inProject, itemJoins, otherRef, seesOther } from '../items/index.ts'
import { refColumn, visible } from '../projects/index.ts'
import type { Recurrence } from './recurrence.ts'
import { dueAt, type Schedule, type TemplateJson } from './template.ts'

const scheduleColumns = sql<Schedule>`t.owner_id as "ownerId", t.item_id as "itemId", t.makes, t.rule, t.timezone, t.dtstart,
  ${iso('t.starts_after')} as "startsAfter", ${iso('t.ends_at')} as "endsAt", t.strategy, t.enabled, ${iso('t.next_at')} as "nextAt", t.failures,
  ${iso('t.last_occurrence')} as "lastOccurrence", t.last_item_id as "lastItemId", t.skipped,
  (select u.time_zone from core.users u where u.id = t.owner_id) as "ownerZone"`

/** The template `t` as one jsonb record of `templateFields`. */
const templateJson: RawBuilder<TemplateJson> = sql`jsonb_strip_nulls(jsonb_build_object(
  'makes', nullif(t.makes, 'task'), 'recurrence_rule', t.rule, 'timezone', t.timezone, 'generation_strategy', t.strategy, 'enabled', t.enabled,
  'next_occurrence', case when t.enabled then ${iso('t.next_at')} end, 'last_occurrence', ${iso('t.last_occurrence')}))`

/** What makes the item `i` a template. */
export const templateOfItem: Expression<unknown> = sql`select ${templateJson} from templates.templates t where t.owner_id = i.owner_id and t.item_id = i.id`

/** The rule of the item `i` as one json object; null when it is no template. */
export const recurrenceText: RawBuilder<unknown> = sql`select json_build_object('makes', t.makes, 'rule', t.rule, 'timezone', t.timezone,
  'dtstart', t.dtstart, 'strategy', t.strategy, 'enabled', t.enabled) from templates.templates t where t.owner_id = i.owner_id and t.item_id = i.id`

/** The template `o` of the instance `n`. */
const isTemplate = compare('o.id', '=', sql.ref('n.template_id'))

/** The template that made the item `i`, if the caller may see it. */
export function sourceOfItem(ctx: ReadContext): Expression<unknown> {
  return sql`select json_build_object('template_ref', t.ref, 'occurrence', ${iso('n.occurrence')})
    from templates.instances n cross join lateral (select ${otherRef(ctx)} as ref ${fromOther(ctx, 'n.owner_id', isTemplate)}) t
    where n.owner_id = i.owner_id and n.item_id = i.id`
}

/** The item `i` is a template, or one that the caller may see made it. */
export function isRecurring(ctx: ReadContext): Condition {
  return sql`(i.type = 'task_template' or exists (select from templates.instances n
    where n.owner_id = i.owner_id and n.item_id = i.id and ${seesOther(ctx, 'n.owner_id', isTemplate)}))`
}

/** Reads templates that the caller may see, the next due first. */
export async function readTemplates(
  ctx: ReadContext,
  {
    project,
    enabled,
    limit,
  }: { readonly project: string | undefined; readonly enabled: boolean | undefined; readonly limit: number },
): Promise<readonly (TemplateJson & { ref: string; title: string })[]> {
  const { rows } = await sql<{ template: TemplateJson & { ref: string; title: string } }>`
    select jsonb_build_object('ref', ${refColumn(ctx)}, 'title', i.title) || ${templateJson} as template
    from templates.templates t join items.items i on i.owner_id = t.owner_id and i.id = t.item_id ${itemJoins}
    where ${visible(ctx, 'i')} and ${project === undefined ? sql.lit(true) : await inProject(ctx, project)}
      and ${enabled === undefined ? sql.lit(true) : compare('t.enabled', '=', enabled)}
    order by t.enabled desc, t.next_at, i.number, i.owner_id limit ${limit}
  `.execute(ctx.db)
  return rows.map(({ template }) => template)
}

/** Makes an item a template. @param first its first occurrence */
export async function insertTemplate(
  ctx: WriteContext,
  item: OwnedKey,
  { makes, strategy }: Pick<Schedule, 'makes' | 'strategy'>,
  recurrence: Recurrence,
  first: Date,
): Promise<Schedule> {
  const { rule, timezone, dtstart, startsAfter, endsAt } = recurrence
  const { rows } = await sql<Schedule>`
    insert into templates.templates as t (owner_id, item_id, makes, rule, timezone, dtstart, starts_after, ends_at, strategy, next_at, due_at)
    values (${item.ownerId}, ${item.id}, ${makes}, ${rule}, ${timezone}, ${dtstart}, ${startsAfter}, ${endsAt}, ${strategy}, ${first},
      ${dueAt({ makes }, first)})
    returning ${scheduleColumns}
  `.execute(ctx.db)
  return rows[0]!
}

/** Reads the schedule of an item; undefined when it is no template. */
export async function readSchedule(ctx: ReadContext, { ownerId, id }: OwnedKey): Promise<Schedule | undefined> {
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns} from templates.templates t where t.owner_id = ${ownerId} and t.item_id = ${id}
  `.execute(ctx.db)
  return rows[0]
}

/** Locks and reads the schedule of an item; undefined when it is no template. */
export async function lockSchedule(ctx: WriteContext, { ownerId, id }: OwnedKey): Promise<Schedule | undefined> {
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns} from templates.templates t where t.owner_id = ${ownerId} and t.item_id = ${id} for update
  `.execute(ctx.db)
  return rows[0]
}

/** Locks the templates that are enabled although their item is archived or closed, or the reverse. @param items only of these */
export async function lockSwitched(
  ctx: WriteContext,
  items?: readonly { readonly ownerId: string; readonly itemId: string }[],
): Promise<readonly Schedule[]> {
  const keys = items?.map(({ ownerId, itemId }) => [ownerId, itemId])
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns}
    from templates.templates t join items.items i on i.owner_id = t.owner_id and i.id = t.item_id
    where ${keys ? isOneOf(['t.owner_id', 't.item_id'], keys) : sql.lit(true)}
      and t.enabled <> (i.archived_at is null and i.completed_at is null) order by t.owner_id, t.item_id for update of t
  `.execute(ctx.db)
  return rows
}

interface SwitchedTemplate {
  readonly owner_id: string
  readonly item_id: string
  readonly enabled: boolean
  readonly next_at: string | null
  readonly due_at: string | null
}

const KEY = { owner_id: 'uuid', item_id: 'uuid' } as const

/** Enables or disables templates. */
export async function updateSwitched(ctx: WriteContext, templates: readonly SwitchedTemplate[]): Promise<void> {
  const columns = { enabled: 'boolean', next_at: 'timestamptz', due_at: 'timestamptz', failures: 'int' } as const
  const rows = templates.map(template => ({ ...template, failures: 0 }))
  await updateRecords(ctx.db, 'templates.templates', KEY, columns, rows)
}

/**
 * Locks templates that are due. Those in archived projects pause; what they miss is caught up with as after a downtime. The items are
 * locked too, without waiting: other code locks an item before its template.
 */
export async function claimDue(ctx: WriteContext, limit: number): Promise<readonly Schedule[]> {
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns} from templates.templates t
    join items.items i on i.owner_id = t.owner_id and i.id = t.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where t.enabled and t.due_at <= ${ctx.now} and p.archived_at is null
    order by t.due_at, t.owner_id, t.item_id limit ${limit}
    for update of t skip locked for no key update of i skip locked
  `.execute(ctx.db)
  return rows
}

/** The state of a schedule after its items were made, or not. */
export interface Outcome {
  readonly schedule: Schedule
  readonly nextAt: string | null
  readonly dueAt: string | null
  readonly failures: number
  readonly lastOccurrence: string | null
  readonly lastItemId: string | null
  readonly skipped: number
}

export async function updateOutcomes(ctx: WriteContext, outcomes: readonly Outcome[]): Promise<void> {
  const columns = {
    next_at: 'timestamptz',
    due_at: 'timestamptz',
    failures: 'int',
    last_occurrence: 'timestamptz',
    last_item_id: 'uuid',
    skipped: 'int',
  } as const
  const rows = outcomes.map(({ schedule, nextAt, dueAt: due, failures, lastOccurrence, lastItemId, skipped }) => ({
    owner_id: schedule.ownerId,
    item_id: schedule.itemId,
    next_at: nextAt,
    due_at: due,
    failures,
    last_occurrence: lastOccurrence,
    last_item_id: lastItemId,
    skipped,
  }))
  await updateRecords(ctx.db, 'templates.templates', KEY, columns, rows)
}

/** Sets the rule of a template, and its next occurrence. */
export async function updateRule(
  ctx: WriteContext,
  { ownerId, itemId }: Pick<Schedule, 'ownerId' | 'itemId'>,
  changed: { readonly rule: string; readonly next_at: Date | null; readonly due_at: Date | null },
): Promise<void> {
  await updateWhere(ctx.db, 'templates.templates', { owner_id: ownerId, item_id: itemId }, { ...changed, failures: 0 })
}

/** Sets the latest task of a template. */
export async function updateLastItem(ctx: WriteContext, template: OwnedKey, itemId: string): Promise<void> {
  await updateWhere(
    ctx.db,
    'templates.templates',
    { owner_id: template.ownerId, item_id: template.id },
    { last_item_id: itemId, skipped: 0 },
  )
}

export async function insertInstances(
  ctx: WriteContext,
  instances: readonly NewRow<'templates.instances'>[],
): Promise<void> {
  await ctx.db.insertInto('templates.instances').values(instances).execute()
}
