import { clearable, compare, guarded, iso, isOneOf, nullable, sql, Type, type WriteContext } from 'tasuki/plugin'
import { cleanName, definePlacement, pickNamed, type PickOptions, type PlaceMoves } from '../items/index.ts'
import { sprintClosed, findActive, findNext, moveProblem } from './pick.ts'
import type { SprintRow } from './sprint.ts'

export const NAME_MAX = 120

const place = (description: string) => guarded(Type.String({ description }), { maxLength: 3 * (NAME_MAX + 3) })

const slashHint = 'Give the sprint above as parent.'
const nameRules = { noun: 'sprint name', max: NAME_MAX, slashHint, reserved: ['@active', '@next'] }

/**
 * Normalizes a name to its stored form.
 * @throws ToolError invalid_argument for blank text, a slash in any width and the symbols for sprints
 */
export const sprintName = (text: string): string => cleanName(text, nameRules)

/** Condition that the sprint `sp` is active. */
export const isActive = compare('sp.status', '=', sql.lit('active'))

/** Condition for the first planned sprint of its project. */
const isNext = sql<boolean>`sp.id = (
  select n.id from sprints.sprints n where n.owner_id = sp.owner_id and n.project_id = sp.project_id and n.status = 'planning'
    and not exists (select from sprints.sprints below where below.owner_id = n.owner_id and below.parent_id = n.id)
  order by n.start_date, n.display_order, n.id limit 1)`

/** The placement of items in sprints. */
export const sprints = definePlacement<SprintRow>({
  noun: 'sprint',
  table: 'sprints.sprints',
  aliases: ['sp', 'sb', 'sc'],
  memberTable: 'sprints.item_sprints',
  column: 'sprint_id',
  columns: sql`'goal', sp.goal, 'startDate', sp.start_date, 'endDate', sp.end_date, 'capacity', sp.capacity, 'status', sp.status,
    'displayOrder', sp.display_order, 'startedAt', ${iso('sp.started_at')}, 'updatedAt', ${iso('sp.updated_at')}, 'timeZone', (select u.time_zone from core.users u where u.id = sp.owner_id)`,
  feature: 'sprints',
  symbols: [
    { word: '@active', find: findActive, sql: isActive },
    { word: '@next', find: findNext, sql: isNext },
  ],
  missingHint: 'sprints_list shows the paths; sprints_create makes a new sprint.',
  refuse: moveProblem,
  lock: lockMembers,
  params: {
    sprint: { tool: 'items_create', schema: clearable(place('Name, path, @active or @next; empty = none.')) },
    sprint_id: { tool: 'items_bulk_patch', schema: nullable(place('Id or path of a sprint; null removes.')) },
  },
  include: 'include_agile',
  fields: { sprint_id: 'id', sprint_name: 'name', sprint_path: 'path' },
  writtenField: 'sprint_path',
  filter: { summary: 'sprint path or name, with all below', example: 'sprint:@active' },
  hasSummary: 'a sprint',
})

/** Picks the sprint of a project that a text names. @throws ToolError not_found, ambiguous_ref */
export function pickSprint(rows: readonly SprintRow[], text: string, options: PickOptions): SprintRow {
  return pickNamed(sprints, rows, text, options)
}

/**
 * Locks the sprints that items enter and leave until the transaction ends, which blocks closing them.
 * @throws ToolError sprint_closed if a sprint was closed since it was read
 */
async function lockMembers(ctx: WriteContext, moves: PlaceMoves<SprintRow>): Promise<void> {
  const touched = moves.flatMap(({ from, to }) => [from, to]).filter(sprint => sprint !== null)
  const keys = new Map(touched.map(({ ownerId, id }) => [id, [ownerId, id]]))
  const rows = await ctx.db
    .selectFrom('sprints.sprints')
    .select('id')
    .where(isOneOf(['owner_id', 'id'], [...keys.values()]))
    .where('status', '<>', 'closed')
    .orderBy('owner_id')
    .orderBy('id')
    .forShare()
    .execute()
  const open = new Set(rows.map(row => row.id))
  const gone = touched.find(({ id, status }) => status !== 'closed' && !open.has(id))
  if (gone) throw sprintClosed(gone, moves[0]!.field)
}
