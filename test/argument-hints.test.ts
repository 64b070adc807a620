import type { TSchema } from '@sinclair/typebox'
import { Check } from '@sinclair/typebox/value'
import assert from 'node:assert/strict'
import { before, describe } from 'node:test'
import { readArguments } from '../core/mcp/arguments.ts'
import type { ToolError } from '../core/plugin/errors.ts'
import type { CompiledTool } from '../core/runtime/registry/types.ts'
import { testHost } from '../core/testing/index.ts'
import { suiteScope } from './core/suite-scope.ts'
import { verifies } from './verifies.ts'

interface Wrong {
  readonly tool: CompiledTool
  readonly field: string
  readonly value: unknown
  readonly what: 'range' | 'choice' | 'length' | 'entries' | 'form'
}

/** What small models write. */
const CLUMSY_TEXTS =
  '| |5| 5 |５|05|5.0|five|-|1e3|yes|No|True|1|null|None|undefined|tomorrow|2026-11-31|27.11.2026|11/27/2026|2026-11-27T10:00|2026-11-27 10:00|25:00|9am|HIGH|Highs|高|a, b|[]|["a"]|{}|{"a":"b"}|APP 12'
const CLUMSY_VALUES = [null, true, false, 0, 5, -1, 1.5, 1e300, [], [null], ['5'], [['a']], [{}], {}, { value: 5 }]
const CLUMSY: readonly unknown[] = [...CLUMSY_TEXTS.split('|'), 'x'.repeat(400), ...CLUMSY_VALUES]

/** Returns values that the schema of an argument refuses with a hint. */
function wrongValues(schema: TSchema): [Wrong['what'], unknown][] {
  const variants = (schema['anyOf'] ?? []) as readonly TSchema[]
  if (variants.length > 0) return variants.flatMap(wrongValues).filter(([, value]) => !Check(schema, value))
  const { type, enum: choices, minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern } = schema
  const list = (length: number): unknown[] => Array.from({ length }, (_, n) => `x${n}`)
  const wrong: [Wrong['what'], unknown][] = []
  if (choices) wrong.push(['choice', 'nowhere'], ['choice', `${String(choices[0])}x`])
  if (minimum !== undefined) wrong.push(['range', minimum - 1])
  if (maximum !== undefined) wrong.push(['range', maximum + 1])
  if (type === 'integer')
    wrong.push(
      ['form', (minimum ?? 0) + 0.5],
      ['form', String(minimum ?? 1)],
      ['form', `0${Math.max(minimum ?? 1, 1)}`],
    )
  if (type === 'boolean') wrong.push(['form', 'true'])
  if (minLength > 0) wrong.push(['length', ''])
  if (maxLength !== undefined && maxLength < 300_000) wrong.push(['length', 'x'.repeat(maxLength + 1)])
  if (minItems > 0) wrong.push(['entries', []])
  if (maxItems !== undefined) wrong.push(['entries', list(maxItems + 1)])
  if (type === 'array' && schema['items'] && Check(schema['items'], 'x')) wrong.push(['form', 'x'])
  if (format !== undefined || pattern !== undefined) wrong.push(['form', '~ nothing of the kind ~'])
  return wrong.filter(([, value]) => !Check(schema, value))
}

describe('hints of arguments that do not fit', () => {
  const scope = suiteScope()
  let tools: ReadonlyMap<string, CompiledTool>
  before(async () => {
    tools = (await testHost(scope, { config: { plugins: { project_admin: true } } })).registry.tools
  })
  const refusals = ({ name }: Pick<CompiledTool, 'name'>, args: object): readonly ToolError[] => {
    try {
      readArguments(tools.get(name)!, args as Record<string, unknown>, tools)
    } catch (error) {
      return [error as ToolError, ...(error as ToolError).others]
    }
    return assert.fail(`${name} took ${JSON.stringify(args).slice(0, 200)}`)
  }

  verifies('errors.schema_failure', 'every tool names the expected value, and the next step if there is one', () => {
    const counts = new Map<string, number>()
    for (const tool of tools.values()) {
      const [unknown] = refusals(tool, { nowhere_at_all: 1 }).filter(({ code }) => code === 'unknown_argument')
      assert.ok(unknown?.help.hint, tool.name)
      const known = Object.keys(tool.input.properties)
      if (known[0]) {
        const [misspelt] = refusals(tool, { [`${known[0]}x`]: 1 }).filter(({ code }) => code === 'unknown_argument')
        assert.match(misspelt!.help.hint!, /^Did you mean "/, tool.name)
      }
      for (const [field, schema] of Object.entries(tool.input.properties))
        for (const [what, value] of wrongValues(schema)) {
          const found = refusals(tool, { [field]: value }).find(error => error.help.field?.startsWith(field))
          const about = `${tool.name} ${field} = ${JSON.stringify(value).slice(0, 80)}`
          assert.equal(found?.code, 'invalid_argument', about)
          assert.match(found.message, / must be .+, got /, about)
          assert.ok(found.help.hint, `${about}: ${found.message}`)
          if (what === 'choice') assert.ok(found.help.allowed!.length > 0, about)
          if (what === 'range') assert.match(found.help.hint, /^Give (at least |at most )?-?\d/, about)
          counts.set(what, (counts.get(what) ?? 0) + 1)
        }
    }
    assert.ok(tools.size > 100)
    assert.deepEqual([...counts.keys()].toSorted(), ['choice', 'entries', 'form', 'length', 'range'])
    for (const [what, count] of counts) assert.ok(count > 15, `${what}: ${count}`)
  })

  verifies('errors.schema_failure', 'whatever a model writes for an argument, a refusal has a hint', () => {
    let refused = 0
    for (const tool of tools.values()) {
      const { properties, required = [] } = tool.input
      assert.deepEqual(
        refusals(tool, { nowhere_at_all: 1 }).filter(({ help }) => !help.hint),
        [],
        tool.name,
      )
      for (const [field, schema] of Object.entries(properties))
        for (const value of CLUMSY) {
          const found = refusals(tool, { [field]: value, nowhere_at_all: 1 }).filter(
            ({ code, help }) => code === 'invalid_argument' && help.field?.startsWith(field),
          )
          for (const { help, message } of found) {
            const about = `${tool.name} ${field} = ${JSON.stringify(value)?.slice(0, 80)}: ${message} | ${help.hint}`
            assert.ok(help.hint, about)
            // Choosing a value for what was left blank would change what nobody asked for.
            if (typeof value === 'string' && value.trim() === '') assert.doesNotMatch(help.hint, /Did you mean/, about)
            if (value === '' && !required.includes(field) && !Check(schema, ''))
              assert.match(help.hint, /^Leave it out/)
            refused++
          }
        }
    }
    assert.ok(refused > 10_000, `${refused}`)
  })

  verifies('errors.schema_failure', 'every parameter is recognized in other spellings, and within an object', () => {
    for (const tool of tools.values())
      for (const name of Object.keys(tool.input.properties)) {
        const camelCase = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
        const spellings = [camelCase, `${name[0]!.toUpperCase()}${camelCase.slice(1)}`, name.toUpperCase()]
        for (const spelling of [...spellings, name.replaceAll('_', '-'), ` ${name}`]) {
          if (spelling in tool.input.properties) continue
          const found = refusals(tool, { [spelling]: 1 }).find(({ help }) => help.field === spelling)
          assert.equal(found?.help.hint, `Did you mean "${name}"?`, `${tool.name} ${spelling}`)
        }
        for (const wrapper of ['arguments', 'params', 'input'])
          for (const value of [{ [name]: 'x' }, JSON.stringify({ [name]: 'x' })]) {
            const found = refusals(tool, { [wrapper]: value }).find(({ help }) => help.field === wrapper)
            const expected = `Send what is in ${wrapper} as the arguments themselves.`
            assert.equal(found?.help.hint, expected, `${tool.name} ${JSON.stringify(value)}`)
          }
      }
  })

  verifies('errors.schema_failure', 'a missing argument is described', () => {
    for (const tool of tools.values())
      for (const { code, help } of refusals(tool, { nowhere_at_all: 1 }))
        if (code === 'missing_argument') assert.ok(help.hint, `${tool.name} ${help.field}`)
  })

  verifies('errors.schema_failure', 'listings name q for filters that are no parameters', () => {
    const listings = [...tools.values()].filter(({ input, name }) => 'q' in input.properties && name !== 'query')
    assert.equal(listings.length, 4)
    for (const tool of listings)
      for (const word of [
        'label',
        'labels',
        'priority',
        'sprint',
        'area',
        'due',
        'due_date',
        'overdue',
        'state',
        'tags',
      ])
        for (const { help } of refusals(tool, { [word]: 'x' }))
          assert.match(help.hint!, /^q filters by it|^Property\.$/, `${tool.name} ${word}`)
  })

  verifies('errors.schema_failure', 'the hint says how to correct the call', () => {
    const cases: readonly (readonly [tool: string, args: object, field: string, hint: string])[] = [
      ['tasks_list', { limit: 100_000 }, 'limit', 'read on with offset'],
      ['tasks_list', { limit: 0 }, 'limit', 'Give 1 to'],
      ['sprints_create', { start: '2026-12-01' }, 'start', 'Did you mean "start_date"?'],
      ['reminders_create', { item_ref: '#1', at: 'x' }, 'at', 'Did you mean "remind_at"?'],
      ['sprints_create', { date: '2026-12-01' }, 'date', 'Leave it out; see allowed'],
      ...['status', 'state', 'completed', 'completed_at', 'done'].flatMap(
        name =>
          [
            ['items_patch', { item_ref: '#1', [name]: 'x' }, name, 'items_move_state sets the state'],
            ['items_create', { [name]: 'x' }, name, 'items_move_state then sets'],
            ['items_bulk_patch', { [name]: 'x' }, name, 'status_definition_id sets the state'],
          ] as const,
      ),
      ['items_patch', { item_ref: '#1', constructor: 'x' }, 'constructor', 'Leave it out'],
      ['items_patch', { item_ref: '#1', priority: 'hgih' }, 'priority', 'Did you mean "high"?'],
      ['items_patch', { item_ref: '#1', priority: 'sofort' }, 'priority', 'Choose one of allowed.'],
      ['items_create', { title: ' \u3000' }, 'title', 'Give text that is not only spaces.'],
      [
        'agile_estimate_apply',
        { estimates: [{ item_id: '#1', value: ' ' }] },
        'estimates[0].value',
        'Give text that is not only spaces.',
      ],
      ['items_patch', { item_ref: '#1', due_date: 'tomorrow' }, 'due_date', 'Write it like 2026-12-31.'],
      ['items_patch', { item_ref: '#1', due_time: 'noon' }, 'due_time', 'Write it like 09:30.'],
      ['items_patch', { item_ref: '#1', archived_at: true }, 'archived_at', 'Write it like 2026-12-31T09:00:00+09:00.'],
      ['agile_meta_patch', { item_ref: '#1', estimate: 5 }, 'estimate', 'Write it as text: "5".'],
      ['items_patch', { item_ref: '#1', labels: 'bug' }, 'labels', 'Give a list, also for one entry: ["bug"].'],
      ['items_patch', { item_ref: '#1', labels: 'a, b' }, 'labels', 'Give a list, also for one entry: ["a","b"].'],
      ['items_patch', { item_ref: '#1', labels: '["a"]' }, 'labels', 'Send the list itself, without quotes around it.'],
      ['items_bulk_patch', { item_refs: '#1,#2', priority: 'low' }, 'item_refs', 'also for one entry: ["#1","#2"].'],
      ['tasks_list', { limit: '5' }, 'limit', 'Write 5 without quotes.'],
      ['tasks_list', { limit: '05' }, 'limit', 'Write 5 without quotes.'],
      ['tasks_list', { limit: ' ５ ' }, 'limit', 'Write 5 without quotes.'],
      ['tasks_list', { limit: 'five' }, 'limit', 'Write a number in digits, without quotes.'],
      ['tasks_list', { limit: 'null' }, 'limit', 'Leave it out.'],
      ['tasks_list', { include_total: 'yes' }, 'include_total', 'Write true without quotes.'],
      ['tasks_list', { include_total: 1 }, 'include_total', 'Write true or false, without quotes.'],
      ['items_create', { priority: '' }, 'priority', 'Leave it out.'],
      ['items_patch', { archived_at: '' }, 'archived_at', 'Leave it out, or write null without quotes to clear it.'],
      ['projects_update', { estimate_unit: 'None' }, 'estimate_unit', 'Did you mean "none"?'],
      ['items_patch', { due_date: '2026-11-31' }, 'due_date', 'There is no such day or time; give one that exists.'],
      ['items_patch', { due_time: '24:00' }, 'due_time', 'There is no such day or time; give one that exists.'],
      ['items_patch', { title: ['a'] }, 'title', 'Give one text, in quotes.'],
      ['items_patch', { due_date: {} }, 'due_date', 'Write it like 2026-12-31.'],
      ['items_context_get', { include: 'relation' }, 'include', 'Give a list of some of these: attachments,'],
      ['items_set_custom_fields', { custom_fields: '{"a":"b"}' }, 'custom_fields', 'without quotes around it.'],
      ['items_create', { description: 'x' }, 'description', 'Did you mean "detail"?'],
      ['notes_create', { description: 'x' }, 'description', 'Did you mean "body"?'],
      ['items_get', { task_id: '#1' }, 'task_id', 'Did you mean "item_ref"?'],
      ['relations_delete', { id: '7' }, 'id', 'Did you mean "relation_id"?'],
      ['relations_delete', { task_id: '7' }, 'task_id', 'Leave it out'],
      ['workflow_transitions_list', { workflow_id: 'x' }, 'workflow_id', 'Leave it out'],
      ['items_move_state', { workflow_id: 'x' }, 'workflow_id', 'Leave it out'],
      ['items_bulk_patch', { items: ['#1', '#2'] }, 'items', 'Did you mean "item_refs"?'],
      ['items_grep', { query: 'x' }, 'query', 'Did you mean "pattern"?'],
      ['items_create', { tags: ['a'] }, 'tags', 'Did you mean "labels"?'],
      ['items_create', { deadline: '2026-12-31' }, 'deadline', 'Did you mean "due_date"?'],
      ['relations_delete', { relation_id: '7' }, 'relation_id', 'Id; see relations_list.'],
      [
        'items_bulk_patch',
        { item_refs: Array.from({ length: 26 }, (_, n) => `#${n}`), priority: 'low' },
        'item_refs',
        'Give at most 25 entries; make further calls for the rest.',
      ],
    ]
    for (const [name, args, field, hint] of cases) {
      const found = refusals({ name }, args).find(error => error.help.field === field)
      assert.ok(found?.help.hint?.includes(hint), `${name} ${field}: ${found?.help.hint}`)
    }
    const paged = [...tools.values()].filter(({ input }) => 'limit' in input.properties)
    for (const tool of paged) {
      const [refused] = refusals(tool, { limit: 1e9 }).filter(({ help }) => help.field === 'limit')
      const goesOn = ['offset', 'cursor'].find(parameter => parameter in tool.input.properties)
      assert.equal(refused!.help.hint!.includes('read on'), goesOn !== undefined, tool.name)
    }
  })
})
