import type { JsonSchema } from './arguments.ts'
import type { CallTool } from './issues.ts'

/** A tool as a client lists it. */
export interface ListedTool {
  readonly name: string
  readonly inputSchema: JsonSchema
}
export interface ToolCall {
  readonly tool: string
  readonly args: object
}

/** Calls with wrong names for tools that accept names of unknown records. */
const OTHERWISE: Readonly<Record<string, object>> = {
  attachments_upload: { parent_kind: 'item', parent_ref: 'NOWHERE#999', filename: 'a.txt', mime_type: 'text/plain' },
  items_grep: { pattern: '(', regex: true },
  items_set_custom_fields: { item_ref: 'NOWHERE#999', custom_fields: { nowhere: 'x' } },
  me_overview: { tz_offset_minutes: 100_000 },
  query: { q: 'lable:bug' },
}

/**
 * Builds a call that the tool refuses. The arguments match the schema, because some clients validate them, and name an unknown record. A
 * tool that accepts all such arguments gets an unknown argument.
 */
export function refusedCall({ name, inputSchema }: ListedTool): ToolCall {
  const otherwise = OTHERWISE[name]
  if (otherwise) return { tool: name, args: otherwise }
  const { properties = {}, required = [] } = inputSchema
  const scopes = ['project_key', 'item_ref'].filter(parameter => parameter in properties)
  const names = [...new Set([...required, ...scopes])]
  if (names.length === 0) return { tool: name, args: { nowhere: true } }
  return { tool: name, args: Object.fromEntries(names.map(each => [each, absentValue(each, properties[each] ?? {})])) }
}

/** Returns a value that matches the schema and names no record. */
function absentValue(name: string, schema: JsonSchema): unknown {
  const {
    type,
    enum: choices,
    minimum = 1,
    minItems = 1,
    items = {},
    properties = {},
    required = [],
  } = schema.anyOf?.[0] ?? schema
  if (choices) return choices[0]
  switch (type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return minimum
    case 'array':
      return Array.from({ length: Math.max(1, minItems) }, () => absentValue(name.replace(/s$/, ''), items))
    case 'object':
      return Object.fromEntries(required.map(each => [each, absentValue(each, properties[each] ?? {})]))
    case 'string':
    case 'null':
    case undefined:
      if (/_ref$|^item_id$/.test(name)) return 'NOWHERE#999'
      if (name.endsWith('_id')) return '01989898-0000-7000-8000-000000000000'
      return name === 'project_key' ? 'NOWHERE' : 'nowhere'
  }
}

/**
 * Builds one call of each tool that asks for confirmation, on new records; the caller needs a workflow of their own.
 * @param call creates the records
 */
export async function callsToConfirm(call: CallTool): Promise<readonly ToolCall[]> {
  const newItem = async (): Promise<string> =>
    (await call('items_create', { project_key: 'INBOX', title: 'Of no consequence' })).item.ref
  const [first, second, third] = [await newItem(), await newItem(), await newItem()]
  const discussion = (await call('discussions_create', { item_ref: first, body: 'Said in passing' })).discussion.id
  const reminder = (await call('reminders_create', { item_ref: first, remind_at: '2099-01-01T00:00:00Z' })).reminder.id
  const relate = { source_item_ref: first, target_item_ref: second, relation_type: 'reference' }
  const relation = (await call('relations_create', relate)).relation.id
  const { workflows } = await call('workflow_states_list', {})
  const workflow = { workflow_id: workflows.find((each: { is_system: boolean }) => !each.is_system).id }
  const newState = async (name: string): Promise<string> =>
    (await call('workflow_states_create', { ...workflow, name: `${name} of ${first}`, system_status: 'open' })).state.id
  const [from, to, unused] = [await newState('From'), await newState('To'), await newState('Unused')]
  const move = { ...workflow, from_state_id: from, to_state_id: to, kind: 'manual' }
  const transition = (await call('workflow_transitions_create', move)).transition.id
  return [
    { tool: 'discussions_delete', args: { discussion_id: discussion } },
    { tool: 'items_bulk_patch', args: { item_refs: [first, second], priority: 'low' } },
    { tool: 'reminders_delete', args: { reminder_id: reminder } },
    { tool: 'relations_delete', args: { relation_id: relation } },
    {
      tool: 'relations_bulk_create',
      args: { member_refs: [first, second], counterpart_ref: third, relation_type: 'enriches' },
    },
    {
      tool: 'relations_reassign',
      args: { member_refs: [first], to_ref: second, relation_type: 'enriches' },
    },
    { tool: 'workflow_transitions_delete', args: { ...workflow, transition_id: transition } },
    { tool: 'workflow_states_delete', args: { ...workflow, state_id: unused } },
  ]
}
