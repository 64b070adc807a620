import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before } from 'node:test'
import { testHost, type ToolFailure } from 'tasuki/testing'
import { countStatements, type Counted } from './bench/statements.ts'
import { suiteScope } from './core/suite-scope.ts'
import { forEachEngine } from './engines.ts'
import { verifies } from './verifies.ts'

type Result = Readonly<Record<string, unknown>>

/** File with the tokens of each tool's answer on the account of `countStatements`. */
/** Stands for cursors, which differ between runs, when tokens are counted. */
const CURSOR = 'AQdmFhIOMgoYHB4cFhIODBQQAXwgq3kAMQGKn2dLr7Xw0sBv'
const TOKENS = join(import.meta.dirname, 'answer-tokens.json')
/** A time in the middle of the account's sprints, the same on every run. */
const STARTED = Date.parse('2026-06-09T01:00:00Z')
/** Number of items of the account, and of records related to them. */
const ROWS = 12

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DATE = /^\d{4}-\d\d-\d\d$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Fields that name the record whose id is in `id`. */
const OWN_NAMES = /^((item|source|template)_ref|ref|name|path|title|key|(series|field|project)_key|filename|email)$/
/** Names of records that have no name field: the text of a step, the states of a transition, the summary of a conversation. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  checklist_item: 'content',
  checklist: 'content',
  transition: 'to_state',
  transitions: 'to_state',
  conversations: 'summary',
}
/** Ids whose name is not in `<thing>_name`: a state is named by `status`, a revision by its time. */
const OTHER_NAME_FIELDS: Readonly<Record<string, readonly string[]>> = {
  status_definition_id: ['status'],
  revision_id: ['created_at', 'item'],
}

/** Tools that write a record with `updated_at`. */
const CONDITIONAL = new Set(
  `items_patch items_complete items_move_state items_rewrite_detail items_set_custom_fields items_move_project
  items_restore_revision workflows_update
  agile_meta_patch agile_estimate_apply project_areas_assign_item project_areas_update project_areas_delete
  sprints_add_item sprints_remove_item sprints_update sprints_close sprints_handoff sprints_delete
  versions_add_item versions_remove_item versions_update versions_delete project_labels_patch project_labels_delete
  discussions_patch discussions_delete workflow_states_create workflow_states_update workflow_states_reorder
  workflow_states_delete workflow_transitions_create workflow_transitions_update workflow_transitions_delete`.split(
    /\s+/,
  ),
)

forEachEngine('results of every tool', engine => {
  const scope = suiteScope()
  let calls: readonly Counted[]
  const codes = new Map<string, string>()
  before(async () => {
    const began = Date.now()
    const now = (): Date => new Date(STARTED + Date.now() - began)
    const host = await testHost(scope, { engine, config: { plugins: { project_admin: {} } }, now })
    calls = await countStatements(host, ROWS, async (tool, args) => {
      if (!CONDITIONAL.has(tool)) return
      const call = (more: object = {}): Promise<string> =>
        host.call(tool, { ...args, ...more }, { meta: { ifUpdatedAt: '2020-01-01T00:00:00Z' } }).then(
          () => 'done',
          ({ code, details }: ToolFailure) =>
            code === 'confirmation_required' ? call({ confirm_token: details['confirm_token'] }) : code,
        )
      codes.set(tool, await call())
    })
    assert.deepEqual(
      calls.filter(({ result }) => result === null),
      [],
    )
    assert.ok(calls.length > 100)
  })

  verifies('results.write_changed', 'a write lists what changed for each record; a delete says that it deleted', () => {
    const listsChanges = ({ changed, deleted, error }: Result): boolean =>
      deleted === true ||
      error !== undefined ||
      (Array.isArray(changed) && changed.every(each => typeof each === 'string'))
    const silent = calls.flatMap(({ tool, class: kind, result }) => {
      if (kind === 'R') return []
      const { results } = result as { results?: readonly Result[] }
      return (results ?? [result as Result]).every(listsChanges) ? [] : [tool]
    })
    assert.deepEqual(silent, [])
    const created = calls.filter(({ tool }) => /_(create|add|upload)$/.test(tool))
    assert.ok(created.length > 15)
    for (const { tool, result } of created)
      assert.notDeepEqual((result as { changed?: unknown }).changed, [], `${tool} changed nothing`)
  })

  verifies('results.ref_beside_uuid', 'an id is never returned without the name of the record', () => {
    const alone = new Set<string>()
    for (const { tool, result } of calls) {
      eachRecord(result, tool, (record, path) => {
        const names = Object.keys(record)
        for (const [key, value] of Object.entries(record)) {
          if (typeof value !== 'string' || !UUID.test(value)) continue
          const noun = /(\w+)(?:\[\])*$/.exec(path)![1]!
          const thing = key.replace(/_?id$/, '')
          const found =
            thing === ''
              ? names.some(name => OWN_NAMES.test(name) || name === OTHER_NAMES[noun])
              : [
                  thing,
                  ...['ref', 'name', 'path', 'title', 'key'].map(name => `${thing}_${name}`),
                  ...(OTHER_NAME_FIELDS[key] ?? []),
                ].some(name => names.includes(name))
          if (!found) alone.add(`${path}.${key}`)
        }
      })
    }
    assert.deepEqual([...alone], [])
  })

  verifies('stale_write.condition', 'a write of a record with updated_at respects _meta.ifUpdatedAt', () => {
    assert.deepEqual(
      [...codes].filter(([, code]) => code !== 'stale_write'),
      [],
    )
    assert.equal(codes.size, CONDITIONAL.size)
    const careless = calls.flatMap(({ tool, class: kind, result }) => {
      if (kind === 'R' || CONDITIONAL.has(tool) || /_(create|run|set|draft)$/.test(tool)) return []
      const stamped = Object.values(result as Result).some(
        each => typeof each === 'object' && each !== null && 'updated_at' in each,
      )
      return stamped ? [tool] : []
    })
    assert.deepEqual(careless, [])
  })

  verifies('results.tokens', 'no answer takes more tokens than test/answer-tokens.json allows', t => {
    const counted = new Map(calls.map(({ tool, result }) => [tool, tokensOf(result)]))
    const { tools: kept } = JSON.parse(readFileSync(TOKENS, 'utf8')) as { tools: Record<string, number> }
    const differing = (isWorse: (tokens: number, before: number) => boolean): string[] =>
      Array.from(counted).flatMap(([tool, tokens]) =>
        isWorse(tokens, kept[tool] ?? -1) ? [`${tool}: ${tokens} tokens, ${kept[tool] ?? 'none'} in the table`] : [],
      )
    const total = [...counted.values()].reduce((sum, tokens) => sum + tokens, 0)
    t.diagnostic(`${total} tokens in ${counted.size} answers`)
    const more = differing((tokens, before) => before >= 0 && tokens > before)
    assert.deepEqual(
      more,
      [],
      'the table only falls; a tool that has to say more gets a new line once its old one is deleted',
    )
    if (process.env['UPDATE_SNAPSHOTS'] === '1') {
      const tools = Object.fromEntries([...counted].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      return writeFileSync(TOKENS, `${JSON.stringify({ total, tools }, null, 2)}\n`)
    }
    assert.deepEqual(
      [...differing((tokens, before) => tokens !== before), ...Object.keys(kept).filter(tool => !counted.has(tool))],
      [],
      'keep what was gained: UPDATE_SNAPSHOTS=1 npm test -- test/every-tool.test.ts',
    )
  })

  verifies('results.utc', 'instants are in UTC, with Z', () => {
    for (const { tool, result } of calls)
      eachRecord(result, tool, (record, path) => {
        for (const [key, value] of Object.entries(record))
          if (/(_at|^next_occurrence)$/.test(key) && typeof value === 'string')
            // An occurrence of a whole day is a date.
            assert.match(value, key === 'next_occurrence' && value.length === 10 ? DATE : INSTANT, `${path}.${key}`)
      })
  })
})

/** Counts the tokens of an answer, as a model reads it. Ids and signatures, which differ between runs, count with an average length. */
function tokensOf(result: unknown): number {
  const text = JSON.stringify(result)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '01a2d56f-d22f-7a67-894b-856fb364aa6a')
    .replaceAll(/(?<="next_cursor":")[\w-]+/g, cursor => CURSOR.slice(0, cursor.length))
    .replaceAll(/(?<=signature=)[\w-]+/g, 'k3JYw0vT8mQeR5uXz1aBcD7fGhLpNs2tV4yWqE6iOjM')
  return encode(text).length
}

function eachRecord(value: unknown, path: string, visit: (record: Result, path: string) => void): void {
  if (Array.isArray(value)) return value.forEach(each => eachRecord(each, `${path}[]`, visit))
  if (typeof value !== 'object' || value === null) return
  visit(value as Result, path)
  for (const [key, member] of Object.entries(value)) eachRecord(member, `${path}.${key}`, visit)
}
