import assert from 'node:assert/strict'
import { ERROR_CODES } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item, type ItemsUser } from './setup.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

forEachEngine('results of the items tools', engine => {
  const shared = itemsHost(engine)
  const { newUser } = shared

  /** One successful call of each tool, in a working order. */
  const calls: [tool: string, args: object][] = [
    ['items_create', { project_key: 'INBOX', title: 'Two', parent: '#1', labels: ['x'], due_date: '2026-05-01' }],
    ['items_patch', { item_ref: '#2', due_date: null, detail: 'Body', parent: null }],
    ['items_rewrite_detail', { item_ref: '#2', new_detail: 'Other' }],
    ['items_move_state', { item_ref: '#2', status_definition_id: 'In review' }],
    ['items_complete', { item_ref: '#2' }],
    ['items_get', { item_ref: '#2', detail_max_chars: 2 }],
    ['items_context_get', { item_ref: '#2' }],
    ['tasks_list', { include_total: true, include_timestamps: true, include_relations: true, include_area: true }],
    ['items_facet', { facet_by: 'state' }],
    ['items_grep', { pattern: 'Oth' }],
    ['items_bulk_patch_preview', { item_refs: ['#1', '#2'], due_date: '2026-05-01', priority: 'x' }],
    ['items_bulk_patch', { item_refs: ['#1', '#2', '#9'], due_date: '2026-05-01' }],
    ['search_help', {}],
  ]
  const rawCall = async (user: ItemsUser, name: string, args: object): Promise<Item> =>
    (await user.rpc('tools/call', { name, arguments: args })).body.result
  const confirmToken = async (user: ItemsUser, args: object): Promise<string> =>
    user.call('items_bulk_patch', args).catch((error: Item) => error['details'].confirm_token)

  verifies(
    [
      'results.structured',
      'results.text_twin',
      'results.output_valid',
      'results.utc',
      'results.ref_beside_uuid',
      'results.nulls_left_out',
    ],
    'every result is one object that matches its schema and its text, with references next to ids and instants in UTC',
    async () => {
      const user = await newUser()
      await user.task('One')
      for (const [tool, args] of calls) {
        const token = tool === 'items_bulk_patch' ? { confirm_token: await confirmToken(user, args) } : {}
        const { content, structuredContent, isError } = await rawCall(user, tool, { ...args, ...token })
        assert.ok(!isError, `${tool}: ${content[0].text}`)
        assert.deepEqual([content.length, content[0].type], [1, 'text'])
        assert.equal(content[0].text, JSON.stringify(structuredContent))
        assert.ok(shared.host.registry.tools.get(tool)!.checkOutput!.Check(structuredContent), tool)
        inspect(structuredContent, tool)
      }
    },
  )

  /** Checks that null occurs only where it has a meaning, and that every id has a name. */
  function inspect(value: unknown, path: string): void {
    if (Array.isArray(value)) return value.forEach((each, n) => inspect(each, `${path}[${n}]`))
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      const at = `${path}.${key}`
      if (member === null)
        assert.match(
          at,
          /(completed_at|archived_at|next_offset|next_cursor|before\.|after\.)|_list\.items\[\d+\]\.estimate$|items_patch\.item\.(due_date|parent_ref)/,
          at,
        )
      if (typeof member === 'string' && UUID.test(member) && key !== 'revision_id') {
        assert.ok(
          Object.keys(value).some(name => /(^|_)(ref|name)$/.test(name)),
          `${at} stands alone`,
        )
      }
      if (key.endsWith('_at') && typeof member === 'string') assert.match(member, INSTANT, at)
      inspect(member, at)
    }
  }

  verifies(
    [
      'errors.shape',
      'errors.closed_codes',
      'errors.schema_failure',
      'errors.missing_argument',
      'errors.unknown_argument',
    ],
    'every refusal is an error result of one shape, with a code of the closed list',
    async () => {
      const user = await newUser()
      await user.task('One')
      const refused: [tool: string, args: object, code: string, field: string][] = [
        ['items_get', {}, 'missing_argument', 'item_ref'],
        ['items_create', { project_key: 'INBOX' }, 'missing_argument', 'title'],
        ['items_patch', { item_ref: '#1', titel: 'x' }, 'unknown_argument', 'titel'],
        ['items_patch', { item_ref: '#1', status_definition_id: 'Done' }, 'unknown_argument', 'status_definition_id'],
        ['items_bulk_patch_preview', { item_refs: ['#1', '#2'], area_id: null }, 'unknown_argument', 'area_id'],
        ['tasks_list', { limit: '10' }, 'invalid_argument', 'limit'],
        ['tasks_list', { q: 'is:' }, 'invalid_query', 'q'],
        ['items_facet', { facet_by: 'x' }, 'invalid_argument', 'facet_by'],
        ['items_grep', { pattern: '(', regex: true }, 'invalid_argument', 'pattern'],
        ['items_complete', { item_ref: '#5' }, 'not_found', 'item_ref'],
        ['items_patch', { item_ref: '#1', parent: '#1' }, 'cycle', 'parent'],
        [
          'items_move_state',
          { item_ref: '#1', status_definition_id: 'x' },
          'workflow_mismatch',
          'status_definition_id',
        ],
        ['items_create', { project_key: 'INBOX', title: 'a\0b' }, 'invalid_argument', 'title'],
      ]
      for (const [tool, args, code, field] of refused) {
        const { content, isError } = await rawCall(user, tool, args)
        assert.equal(isError, true, tool)
        const { error, ...rest } = JSON.parse(content[0].text)
        assert.deepEqual(rest, {})
        assert.deepEqual([error.code, error.field], [code, field], tool)
        assert.ok((ERROR_CODES as readonly string[]).includes(error.code))
        assert.match(error.message, /^\S.{8,}/)
        assert.equal(error.retryable, false)
        assert.doesNotMatch(JSON.stringify(error), new RegExp(UUID.source.slice(1, -1)), 'names, never ids')
      }
      const { content } = await rawCall(user, 'items_patch', { item_ref: '#1', titel: 'x' })
      assert.equal(JSON.parse(content[0].text).error.hint, 'Did you mean "title"?')
    },
  )

  verifies('errors.allowed_limit', 'at most twenty values are allowed', async () => {
    const user = await newUser()
    for (let n = 0; n < 25; n++) await user.createProject(`P${n}`)
    const error = (await user.call('tasks_list', { project_key: 'NOPE' }).catch((caught: unknown) => caught)) as Item
    assert.equal(error['allowed'].length, 20)
  })

  verifies('results.ceiling', 'a list above the size limit is cut after a row and continues from there', async t => {
    const host = await testHost(t, { engine, config: { result_ceiling: 10_000 } })
    for (let n = 0; n < 30; n++) {
      await host.call('items_create', { project_key: 'INBOX', title: `Task ${n}`, detail: '会'.repeat(300) })
    }
    const joined: string[] = []
    let offset: number | null = 0
    while (offset !== null) {
      const page: Item = await host.call('tasks_list', { limit: 30, offset })
      assert.ok(Buffer.byteLength(JSON.stringify(page)) <= 10_000)
      if (offset === 0) assert.match(page['warnings'][0], /^Cut to \d+ of 30 rows .*next_offset\.$/)
      assert.equal(page['has_more'], page['next_offset'] !== null)
      joined.push(...page['items'].map((item: Item) => item['title']))
      offset = page['next_offset']
    }
    assert.deepEqual(
      joined,
      Array.from({ length: 30 }, (_, n) => `Task ${n}`),
    )
  })
})
