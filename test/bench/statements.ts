import { ToolFailure, type TestHost } from '../../core/testing/index.ts'
import { aligned } from './report.ts'

/** One call of a tool. */
export interface Counted {
  readonly tool: string
  readonly class: string
  /** Statements that the call sent, those of authentication left out; `begin` and `commit` count. */
  readonly statements: number
  readonly milliseconds: number
  /** Why the call was refused; empty when it was not. */
  readonly refused: string
}

type Value = string | number | boolean | readonly unknown[] | ((host: TestHost) => Promise<unknown>)

/** Example arguments by the name of the parameter, for those that a schema does not tell. */
const VALUES: Readonly<Record<string, Value>> = {
  project_key: 'APP',
  item_ref: host => ref(host),
  item_refs: async host => [await ref(host), await ref(host), await ref(host)],
  pattern: 'deploy',
  status_definition_id: 'In progress',
  area_path: 'Backend',
  label_id: host =>
    id(
      host,
      `select l.id from labels.labels l join projects.projects p using (owner_id)
      where p.id = l.project_id and p.key = 'APP' and l.archived_at is null order by random() limit 1`,
    ),
  workflow_id: host => id(host, `select id from workflows.workflows where not is_system limit 1`),
  state_id: host => id(host, `${OWN_STATE} and s.system_status = 'closed' and s.name <> 'Done'`),
  from_state_id: host => id(host, `${OWN_STATE} and s.name = 'Backlog'`),
  to_state_id: host => id(host, `${OWN_STATE} and s.name = 'Done'`),
  state_ids: async host => (await rows(host, `${OWN_STATE} order by s.display_order desc`)).map(row => row['id']),
  transition_id: host =>
    id(
      host,
      `select t.id from workflows.transitions t join workflows.workflows w using (owner_id) where w.id = t.workflow_id and not w.is_system and not t.is_default_next limit 1`,
    ),
}
const OWN_STATE = `select s.id from workflows.states s join workflows.workflows w using (owner_id)
  where w.id = s.workflow_id and not w.is_system and s.archived_at is null`

/** Arguments besides the required ones, where a call without them does nothing. */
const MORE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  items_bulk_patch: { priority: 'low', labels: ['bug'] },
  items_bulk_patch_preview: { priority: 'low', labels: ['bug'] },
  items_create: { labels: ['bug', 'new'], area_path: 'Backend', priority: 'high', due_date: '2027-03-01' },
  items_patch: { title: 'A new title', labels: ['ui'], priority: 'urgent' },
  project_areas_assign_item: { area_path: 'Backend' },
  project_areas_delete: { area_path: 'Example of name' },
  project_areas_update: { name: 'Server' },
  project_labels_patch: { name: 'renamed' },
  tasks_list: { limit: 10, include_total: true, q: 'label:bug priority:high' },
  workflow_states_update: { name: 'Doubled' },
  workflow_transitions_update: { kind: 'manual' },
}

/** Calls every served tool once. */
export async function countStatements(host: TestHost): Promise<readonly Counted[]> {
  await host.command('workflow copy', { name: 'Own' })
  const counted: Counted[] = []
  // What deletes comes last, so that the others find what they work on.
  const tools = [...host.registry.tools.values()].toSorted((a, b) => order(a.class) - order(b.class))
  for (const { name, class: kind, input } of tools) {
    const required: readonly string[] = input.required ?? []
    const args: Record<string, unknown> = { ...MORE[name] }
    for (const parameter of required) args[parameter] ??= await example(host, parameter, input.properties[parameter])
    counted.push({ tool: name, class: kind, ...(await count(host, name, args)) })
  }
  return counted
}

/** A tool that asks for a confirmation is called again with it; the second call is the one that counts. */
async function count(
  host: TestHost,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Omit<Counted, 'tool' | 'class'>> {
  let refusal: ToolFailure | null = null
  const began = performance.now()
  const statements = await host.statements(async () => {
    try {
      await host.call(name, args)
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      refusal = error
    }
  })
  const milliseconds = performance.now() - began
  // Assigned in a closure, which the compiler does not follow.
  const refused = refusal as ToolFailure | null
  const token = refused?.code === 'confirmation_required' ? refused.details['confirm_token'] : undefined
  if (token !== undefined) return count(host, name, { ...args, confirm_token: token })
  return { statements: statements.length, milliseconds, refused: refused ? `${refused.code}: ${refused.message}` : '' }
}

export function statementTable(counted: readonly Counted[]): string {
  const sorted = counted.toSorted((a, b) => a.tool.localeCompare(b.tool))
  return aligned([
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

async function example(
  host: TestHost,
  parameter: string,
  schema: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const value = VALUES[parameter]
  if (typeof value === 'function') return value(host)
  if (value !== undefined) return value
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown
  switch (schema['type']) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1
    case 'array':
      return [await example(host, '', schema['items'] as Readonly<Record<string, unknown>>)]
    case 'object':
      return {}
  }
  if (schema['format'] === 'date' || parameter.endsWith('date')) return '2027-03-01'
  return `Example of ${parameter}`
}

async function rows(host: TestHost, text: string): Promise<readonly Record<string, unknown>[]> {
  // A plugin that is off has no tables.
  return host.sql(Object.assign([text], { raw: [text] })).catch(() => [])
}

async function id(host: TestHost, text: string): Promise<unknown> {
  return (await rows(host, text))[0]?.['id'] ?? '00000000-0000-0000-0000-000000000000'
}

async function ref(host: TestHost): Promise<string> {
  const [found] = await rows(
    host,
    `select p.key || '#' || i.number as ref from items.items i join projects.projects p using (owner_id)
     where p.id = i.project_id and p.key = 'APP' and i.completed_at is null and i.archived_at is null order by random() limit 1`,
  )
  return String(found?.['ref'] ?? 'APP#1')
}
