import type { Random } from '../random.ts'
import type { BothEngines } from './both-engines.ts'

export const PROJECTS = ['INBOX', 'APP', 'WEB']
export const AREAS = ['Backend', 'Front end', 'Backend/API']
export const SPRINTS = ['S1', 'S2', 'S1/Part']
export const VERSIONS = ['1.0', '2.0']
export const LABELS = ['bug', 'Needs review', '日本', 'someday']
export const PRIORITIES = ['low', 'normal', 'high', 'urgent']
export const KINDS = ['epic', 'story', 'task', 'bug', 'chore']
export const STATES = ['Backlog', 'In progress', 'In review', 'Done', 'Duplicate', "Won't fix"]
export const ESTIMATES = ['0.5', '1', '2', '3', '5', '8']
export const DATES = ['2026-05-31', '2026-06-01', '2026-06-02', '2026-06-03', '2026-07-01', '2027-01-01']
export const WORDS = ['alpha', 'beta', 'Gamma', 'delta release', 'naïve', '会議', '100%', 'a_b']
export const CUSTOMERS = ['Acme', 'Beta 50%']
/** The clock of the hosts, and its day in the time zone of their owner. */
export const NOW = new Date('2026-06-02T03:00:00Z')
export const TODAY = '2026-06-02'

/** Creates two projects with areas, sprints, versions and a custom field. */
export async function createWorld({ read }: BothEngines): Promise<void> {
  await read('custom_sequences_create', { series_key: 'bill', prefix: 'B' })
  for (const project_key of ['APP', 'WEB']) {
    await read('projects_create', { key: project_key, name: `Project ${project_key}` })
    for (const name of ['Backend', 'Front end']) await read('project_areas_create', { project_key, name })
    await read('project_areas_create', { project_key, name: 'API', parent_path: 'Backend' })
    for (const name of ['S1', 'S2']) await read('sprints_create', { project_key, name })
    await read('sprints_create', { project_key, name: 'Part', parent: 'S1' })
    for (const name of VERSIONS) await read('versions_create', { project_key, name })
    await read('project_custom_fields_create', { project_key, label: 'Customer', field_key: 'customer' })
  }
}

type Write = () => Promise<unknown>

/** Returns calls that write, with random arguments; many are refused. @param refs all items; created ones are added */
export function writesOf({ call }: BothEngines, random: Random, refs: string[]): readonly Write[] {
  const { pick, maybe, some } = random
  const one = (): string => pick(refs)
  const several = (): string[] => [...new Set([one(), one(), one()])]
  const words = (): string => `${pick(WORDS)} ${pick(WORDS)}`
  const projectOf = (ref: string): string => ref.split('#')[0]!
  const labels = (): string[] => pick([some(LABELS, 3), ['+bug'], ['-someday'], ['+日本', '-bug']])
  const add = async (name: string, args: object): Promise<void> => {
    const { code, result } = await call(name, args)
    if (code === null) refs.push((result.item ?? result.note ?? result.event).ref)
  }
  const create = (): Promise<void> =>
    add('items_create', {
      project_key: pick(PROJECTS),
      title: words(),
      detail: maybe(0.5, words),
      due_date: maybe(0.5, () => pick(DATES)),
      start_date: maybe(0.2, () => pick(DATES)),
      priority: maybe(0.6, () => pick(PRIORITIES)),
      kind: maybe(0.5, () => pick(KINDS)),
      area_path: maybe(0.3, () => pick(AREAS)),
      sprint: maybe(0.3, () => pick(SPRINTS)),
      version: maybe(0.3, () => pick(VERSIONS)),
      labels: maybe(0.5, () => some(LABELS, 2)),
      parent: maybe(refs.length > 0 ? 0.2 : 0, one),
    })
  if (refs.length < 5) return [create]
  /** Calls a tool that places an item, with the name of a place in its project. */
  const place = (tool: string, parameter: string, names: readonly string[]): Promise<unknown> => {
    const item_ref = one()
    return call(tool, { project_key: projectOf(item_ref), item_ref, [parameter]: pick(names) })
  }
  /** Calls a tool with the id of a record that another one lists. */
  const onListed = async (list: string, key: string, id: string, tool: string, more: object = {}): Promise<void> => {
    const { code, result } = await call(list, { item_ref: one() })
    if (code === null && result[key].length > 0)
      await call(tool, { [id]: pick<{ id: string }>(result[key]).id, ...more })
  }
  const relation_type = (): string => pick(['parent', 'child', 'reference', 'duplicate', 'enriches'])
  const archived_at = (): string | null => pick([null, '2026-05-20T00:00:00Z'])
  return [
    create,
    create,
    () => add('notes_create', { project_key: pick(PROJECTS), title: words(), labels: some(LABELS, 1) }),
    () => add('events_create', { project_key: pick(PROJECTS), title: words(), due_date: pick(DATES) }),
    () =>
      call('items_patch', {
        item_ref: one(),
        title: maybe(0.2, words),
        due_date: maybe(0.4, () => pick([...DATES, null])),
        due_time: maybe(0.2, () => pick(['09:30', '23:59', null])),
        start_date: maybe(0.2, () => pick([...DATES, ''])),
        priority: maybe(0.3, () => pick(PRIORITIES)),
        archived_at: maybe(0.1, archived_at),
        detail_append: maybe(0.2, words),
        parent: maybe(0.15, () => pick([null, one()])),
        labels: maybe(0.3, labels),
      }),
    () =>
      call('items_bulk_patch', {
        item_refs: several(),
        due_date: maybe(0.3, () => pick([...DATES, null])),
        priority: maybe(0.3, () => pick(PRIORITIES)),
        kind: maybe(0.2, () => pick(KINDS)),
        archived_at: maybe(0.1, archived_at),
        status_definition_id: maybe(0.2, () => pick(STATES)),
        sprint_id: maybe(0.2, () => pick([...SPRINTS, null])),
        estimate: maybe(0.2, () => pick([...ESTIMATES, null])),
        labels: maybe(0.2, labels),
      }),
    () => call('items_move_state', { item_ref: one(), status_definition_id: pick(STATES) }),
    () => call('items_complete', { item_ref: one() }),
    () => call('items_move_project', { item_refs: several(), to_project: pick(PROJECTS) }),
    () =>
      call('agile_meta_patch', {
        item_ref: one(),
        estimate: pick([...ESTIMATES, null]),
        kind: maybe(0.3, () => pick(KINDS)),
      }),
    () => call('items_set_custom_fields', { item_ref: one(), custom_fields: { customer: pick([...CUSTOMERS, null]) } }),
    () => call('project_areas_assign_item', { item_ref: one(), area_path: pick([...AREAS, null]) }),
    () =>
      call('project_areas_update', {
        project_key: pick(PROJECTS),
        area_path: pick(AREAS),
        archived: pick([true, false]),
      }),
    () => place('sprints_add_item', 'sprint', SPRINTS),
    () => place('sprints_remove_item', 'sprint', SPRINTS),
    () => place('versions_add_item', 'version', VERSIONS),
    () => place('versions_remove_item', 'version', VERSIONS),
    () => call('custom_numbers_assign', { item_ref: one(), series_key: 'bill' }),
    () => call('custom_numbers_unassign', { item_ref: one(), series_key: 'bill' }),
    () => call('relations_create', { source_item_ref: one(), target_item_ref: one(), relation_type: relation_type() }),
    () =>
      call('relations_bulk_create', { member_refs: several(), counterpart_ref: one(), relation_type: relation_type() }),
    () => onListed('relations_list', 'relations', 'relation_id', 'relations_delete'),
    () => call('checklist_add', { item_ref: one(), content: words() }),
    () =>
      onListed('checklist_list', 'checklist', 'checklist_item_id', 'checklist_toggle', { done: pick([true, false]) }),
    () => call('discussions_create', { item_ref: one(), body: words() }),
    () => onListed('discussions_list', 'discussions', 'discussion_id', 'discussions_delete'),
    () => call('reminders_create', { item_ref: one(), remind_at: '2027-03-01T09:00:00Z' }),
    () => onListed('reminders_list', 'reminders', 'reminder_id', 'reminders_delete'),
  ]
}
