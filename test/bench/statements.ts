import { ToolFailure, type TestHost } from '../../core/testing/index.ts'
import { setFeatures } from '../../plugins/projects/index.ts'
import { acceptAll } from '../members.ts'
import { alignColumns } from './report.ts'

/** One call of a tool. */
export interface Counted {
  readonly tool: string
  readonly class: string
  readonly args: object
  /** Statements of the call without those of authentication; `begin` and `commit` count. */
  readonly statements: number
  readonly milliseconds: number
  /** Whether the call added an entry to the history. */
  readonly recorded: boolean
  /** Reason of a refusal; empty if the call succeeded. */
  readonly refused: string
  /** The answer; null if the call was refused. */
  readonly result: object | null
}

/** A user with whom the project can be shared. */
const GUEST = 'guest@example.com'

/** Key of the project that has records for every tool. */
export const KEY = 'STMT'

/** Records created for the tools, by the name of the parameter that takes them. */
type Found = Readonly<Record<string, unknown>>

/**
 * Creates one record of every kind, so that each tool has something to work on. @param rows number of items, and of their related records
 */
async function prepare(host: TestHost, rows: number): Promise<Found> {
  await host.command('project create', { key: KEY, name: 'Statements' })
  await host.command('workflow copy', { name: 'Own' })
  await host.command('series create', { key: 'bill', prefix: 'BILL' })
  await host.write(ctx => setFeatures(ctx, host.userId, null, { summaries: true }))
  const project = { project_key: KEY }
  const call = (name: string, args: object) => host.call(name, args)
  const refs: string[] = []
  await call('project_areas_create', { ...project, name: 'Backend' })
  await call('project_areas_create', { ...project, name: 'Empty' })
  const sprint = { ...project, start_date: '2026-06-01', end_date: '2026-06-14', status: 'active' }
  for (const name of ['Closed', 'Close me', 'Hand me on', 'Next', 'Planned', 'Goes'])
    await call('sprints_create', { ...sprint, name, status: 'planning' })
  const start = (name: string) => call('sprints_update', { ...project, sprint: name, status: 'active' })
  await start('Closed')
  await call('sprints_close', { ...project, sprint: 'Closed' })
  for (const name of ['1.0', '0.9']) await call('versions_create', { ...project, name })
  await call('project_custom_fields_create', { ...project, label: 'Customer' })
  for (let n = 0; n < rows; n++) {
    const made = await call('items_create', {
      ...project,
      title: `Deploy part ${n} of the service`,
      detail: `Deploy it with care ${n}`,
      labels: ['bug', 'ui'],
      area_path: 'Backend',
      sprint: 'Planned',
      version: '1.0',
      due_date: '2027-03-01',
      ...(n > 2 && { parent: refs[0] }),
    })
    refs.push(made.item.ref)
  }
  const [first, second, third] = refs as [string, string, string]
  const found: Record<string, unknown> = { first, second, third, refs }
  for (let n = 0; n < rows; n++) {
    found['checklist_item_id'] = (
      await call('checklist_add', { item_ref: first, content: `Step ${n}` })
    ).checklist_item.id
    found['discussion_id'] = (
      await call('discussions_create', { item_ref: first, body: `Said ${n}`, kind: 'fact' })
    ).discussion.id
    found['reminder_id'] = (await call('reminders_create', { item_ref: first, lead_time_minutes: n })).reminder.id
    const file = { parent_kind: 'item', parent_ref: first, filename: `${n}.txt`, mime_type: 'text/plain' }
    found['attachment_id'] = (await call('attachments_upload', { ...file, content_base64: 'aGVsbG8=' })).attachment.id
    if (n > 0)
      await call('relations_create', { source_item_ref: first, target_item_ref: refs[n], relation_type: 'reference' })
  }
  const { relations } = await call('relations_list', { item_ref: second })
  found['relation_id'] = relations.find((each: Found) => each['relation_type'] === 'reference').id
  const { item: note } = await call('notes_create', { ...project, title: 'A note', body: 'old' })
  await call('items_rewrite_detail', { item_ref: note.ref, new_detail: 'new' })
  found['note'] = note.ref
  found['revision_id'] = (await call('note_revisions_list', { item_ref: note.ref })).revisions[0].revision_id
  const template = { ...project, title: 'Every day', recurrence_rule: 'FREQ=DAILY' }
  found['template_ref'] = (await call('templates_create', template)).item.ref
  await call('custom_numbers_assign', { item_ref: second, series_key: 'bill' })
  for (const item_ref of refs.slice(3)) {
    await call('agile_meta_patch', { item_ref, estimate: '3' })
    await call('items_complete', { item_ref })
  }
  found['label_id'] = (await call('project_labels_list', project)).labels[0].id
  const [{ id: workflow } = {}] = await host.sql<{
    id: string
  }>`select id from workflows.workflows where not is_system and owner_id = ${host.userId}`
  found['workflow_id'] = workflow
  const states = await host.sql<{ id: string; name: string }>`
    select s.id, s.name from workflows.states s where s.workflow_id = ${workflow} and s.archived_at is null order by s.display_order desc`
  const state = (name: string) => states.find(each => each.name === name)!.id
  Object.assign(found, {
    state_ids: states.map(each => each.id),
    state_id: state('Duplicate'),
    from_state_id: state('Backlog'),
    to_state_id: state('Done'),
  })
  // Deleting the state also deletes its transitions.
  const [transition] = await host.sql<{ id: string }>`
    select t.id from workflows.transitions t where t.workflow_id = ${workflow} and not t.is_default_next
      and ${state('Duplicate')} not in (coalesce(t.from_state_id, t.to_state_id), t.to_state_id) limit 1`
  found['transition_id'] = transition!.id
  await host.user(GUEST)
  return found
}

/** Arguments in addition to the required ones, by tool. */
function moreArguments(found: Found): Readonly<Record<string, Found>> {
  const { first, second, third, refs, note } = found
  const file = { parent_kind: 'item', parent_ref: first }
  return {
    agile_estimate_apply: { estimates: [first, second, third].map(item_id => ({ item_id, value: '5' })) },
    agile_meta_patch: { estimate: '3' },
    agile_retro_draft: { sprint_id: 'Closed' },
    agile_sprint_forecast: { sprint_id: 'Planned' },
    attachments_list: file,
    attachments_upload: { ...file, filename: 'a.txt', mime_type: 'text/plain', content_base64: 'aGVsbG8=' },
    custom_sequences_create: { series_key: 'tour', prefix: 'TOUR' },
    custom_sequences_update: { name: 'Bills' },
    custom_numbers_unassign: { item_ref: second },
    items_bulk_patch: { priority: 'low', labels: ['bug'], estimate: '2' },
    items_bulk_patch_preview: { priority: 'low', labels: ['bug'] },
    items_create: { labels: ['bug', 'new'], area_path: 'Backend', priority: 'high', due_date: '2027-03-01' },
    item_custom_numbers_list: { item_ref: second },
    items_grep: { ignore_case: true },
    items_move_project: { item_refs: refs, to_project: 'INBOX' },
    items_patch: { title: 'A new title', labels: ['ui'], priority: 'urgent' },
    items_set_custom_fields: { custom_fields: { customer: 'Acme' } },
    items_restore_revision: { item_ref: note },
    note_revisions_get: { item_ref: note },
    note_revisions_list: { item_ref: note },
    notes_create: { project_key: KEY },
    project_areas_assign_item: { area_path: 'Backend' },
    project_areas_delete: { area_path: 'Empty' },
    project_areas_update: { name: 'Server' },
    project_custom_fields_update: { label: 'Client' },
    project_features_set: { features: { roadmap: true } },
    project_members_set: { email: GUEST, role: 'viewer' },
    projects_create: { key: 'NEW' },
    projects_update: { name: 'Counted' },
    project_labels_patch: { name: 'renamed' },
    relations_bulk_create: { member_refs: [second, third], counterpart_ref: first, relation_type: 'duplicate' },
    relations_create: { source_item_ref: second, target_item_ref: third, relation_type: 'enriches' },
    relations_reassign: { member_refs: [second, third], from_ref: first, relation_type: 'duplicate' },
    reminders_create: { lead_time_minutes: 90 },
    code_refs_add: { url: 'https://github.com/acme/shop/pull/5' },
    code_refs_remove: { url: 'https://github.com/acme/shop/pull/6' },
    reminders_repeat: { recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9' },
    reminders_patch: { status: 'dismissed' },
    sprints_add_item: { sprint: 'Planned' },
    sprints_list: { project_key: KEY },
    sprints_close: { sprint: 'Close me' },
    sprints_delete: { sprint: 'Goes' },
    sprints_handoff: { sprint: 'Hand me on', next_sprint: 'Next' },
    sprints_remove_item: { sprint: 'Planned' },
    sprints_update: { sprint: 'Planned', goal: 'Ship it' },
    sprints_note_get: { sprint: 'Planned' },
    sprints_note_set: { sprint: 'Planned', body: 'A note' },
    tasks_list: { limit: 10, include_total: true, q: 'label:bug OR priority:high' },
    templates_create: { recurrence_rule: 'FREQ=WEEKLY', project_key: KEY },
    versions_delete: { version: '0.9' },
    versions_update: { description: 'More' },
    workflows_update: { enforce_transitions: true },
    workflow_states_update: { name: 'Doubled' },
    workflow_transitions_create: { kind: 'manual' },
    workflow_transitions_update: { kind: 'manual' },
  }
}

/** Steps before the call of a tool, which are not counted; a step may return arguments. */
const BEFORE: Readonly<Record<string, (host: TestHost, found: Found) => Promise<Found | void>>> = {
  async workflow_states_reorder(host, { workflow_id }) {
    const { states } = await host.call('workflow_states_list', {})
    const own = states.filter((each: Found) => each['workflow_id'] === workflow_id)
    return { state_ids: own.map((each: Found) => each['id']).toReversed() }
  },
  // Removed first, because the call would not write an item that is already in the sprint.
  async sprints_add_item(host, { third }) {
    await host.call('sprints_remove_item', { project_key: KEY, sprint: 'Planned', item_ref: third })
  },
  async versions_add_item(host, { third }) {
    await host.call('versions_remove_item', { project_key: KEY, version: '1.0', item_ref: third })
  },
  async project_areas_assign_item(host, { third }) {
    await host.call('project_areas_assign_item', { item_ref: third, area_path: null })
  },
  async code_refs_remove(host, { third }) {
    await host.call('code_refs_add', { item_ref: third, url: 'https://github.com/acme/shop/pull/6' })
  },
  async sprints_close(host) {
    // The change notifies members, so the project needs one.
    await host.write(ctx => acceptAll(ctx, GUEST))
    await host.call('sprints_update', { project_key: KEY, sprint: 'Close me', status: 'active' })
  },
  async sprints_handoff(host) {
    await host.call('sprints_update', { project_key: KEY, sprint: 'Hand me on', status: 'active' })
  },
}

/**
 * Calls every served tool once.
 * @param rows number of items, and of their related records
 * @param before runs before the counted call, with its arguments
 */
export async function countStatements(
  host: TestHost,
  rows = 6,
  before?: (tool: string, args: object) => Promise<void>,
  made?: () => Promise<void>,
): Promise<readonly Counted[]> {
  const counted: Counted[] = []
  await eachCall(
    host,
    rows,
    async (name, kind, args) => {
      await before?.(name, args)
      counted.push({ tool: name, class: kind, args, ...(await count(host, name, args)) })
    },
    made,
  )
  return counted
}

/**
 * Creates one record of every kind and builds a call of every served tool with arguments that name existing records.
 * @param made runs once all records exist
 */
export async function eachCall(
  host: TestHost,
  rows: number,
  visit: (tool: string, kind: string, args: Found) => Promise<void>,
  made?: () => Promise<void>,
): Promise<void> {
  const found = await prepare(host, rows)
  await made?.()
  const more = moreArguments(found)
  // Destructive tools come last, so that the other tools find their records. Sorted by name, so that answers do not depend on the order of
  // the list.
  const tools = [...host.registry.tools.values()].toSorted(
    (a, b) => order(a.class) - order(b.class) || (a.name < b.name ? -1 : 1),
  )
  for (const { name, class: kind, input } of tools) {
    const required: readonly string[] = input.required ?? []
    const args: Record<string, unknown> = { ...more[name] }
    // Most related records belong to the first item. Reads use it; writes must not change it.
    if (kind === 'R' && required.includes('item_ref')) args['item_ref'] ??= found['first']
    for (const parameter of required) args[parameter] ??= example(found, parameter, input.properties[parameter])
    const now = await BEFORE[name]?.(host, found)
    await visit(name, kind, { ...args, ...now })
  }
}

/** Calls a tool and counts its statements. If the tool asks for a confirmation, only the second, confirmed call counts. */
async function count(
  host: TestHost,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Omit<Counted, 'tool' | 'class' | 'args'>> {
  let refusal: ToolFailure | null = null
  let result: object | null = null
  const began = performance.now()
  const statements = await host.statements(async () => {
    try {
      result = await host.call(name, args)
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      refusal = error
    }
  })
  const milliseconds = performance.now() - began
  // TypeScript does not narrow a variable that a closure assigns.
  const refused = refusal as ToolFailure | null
  const token = refused?.code === 'confirmation_required' ? refused.details['confirm_token'] : undefined
  if (token !== undefined) return count(host, name, { ...args, confirm_token: token })
  const recorded = statements.some(text => text.includes('insert into workspace.activities'))
  return {
    statements: statements.length,
    milliseconds,
    recorded,
    refused: refused ? `${refused.code}: ${refused.message}` : '',
    result,
  }
}

export function statementTable(counted: readonly Counted[]): string {
  const sorted = counted.toSorted((a, b) => a.tool.localeCompare(b.tool))
  return alignColumns([
    ['tool', 'class', 'statements', 'ms', ''],
    ...sorted.map(({ tool, class: kind, statements, milliseconds, refused }) => [
      tool,
      kind,
      String(statements),
      milliseconds.toFixed(1),
      refused,
    ]),
  ])
}

const order = (kind: string): number => ['R', 'W', 'WD'].indexOf(kind)

/** Example values of parameters whose schema has none. */
function example(found: Found, parameter: string, schema: Readonly<Record<string, unknown>> = {}): unknown {
  const known: Found = {
    project_key: KEY,
    item_ref: found['third'],
    item_refs: [found['first'], found['second'], found['third']],
    pattern: 'deploy',
    q: 'deploy',
    status_definition_id: 'In progress',
    area_path: 'Backend',
    sprint: 'Planned',
    version: '1.0',
    series_key: 'bill',
    field_key: 'customer',
    ...found,
  }
  if (parameter in known) return known[parameter]
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown
  switch (schema['type']) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1
    case 'array':
      return [example(found, '', schema['items'] as Readonly<Record<string, unknown>>)]
    case 'object':
      return {}
  }
  if (schema['format'] === 'date' || parameter.endsWith('date')) return '2027-03-01'
  return `Example of ${parameter}`
}
