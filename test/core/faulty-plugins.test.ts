import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { defineMigration, defineTable, ownedKey, p } from 'tasuki/entities'
import {
  defineCommand,
  definePlugin,
  defineTool,
  defineJob,
  HostError,
  lazyContributions,
  rowsAboutUsers,
  sql,
  Type,
  userCreated,
} from 'tasuki/plugin'
import type { Contribution } from 'tasuki/plugin'
import { itemFilters, itemHas, itemIs, itemSections } from '../../plugins/items/points.ts'
import { searchKinds } from '../../plugins/search/points.ts'
import { exportParts, importFormats } from '../../plugins/transfer/points.ts'
import { testHost } from 'tasuki/testing'
import { loggerOptions } from '../../core/host/log-stream.ts'
import { eventually } from '../eventually.ts'
import { httpCaller } from '../http-caller.ts'
import { serve, shownToken, TASUKI } from '../processes.ts'

const HASTY = join(import.meta.dirname, '../fixtures/plugins/hasty.ts')

test('a statement that fails and that a plugin does not await is logged, and the service serves on', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-hasty-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'tasuki.json'), JSON.stringify({ plugins: { [HASTY]: {} } }))
  const env = { CONFIG: join(folder, 'tasuki.json'), DATA_DIR: join(folder, 'data'), LOG_FORMAT: 'json' }
  const serving = await serve(TASUKI, { cwd: folder, env })
  t.after(() => serving.stop())
  const { call } = httpCaller(serving.origin, shownToken(serving))
  assert.deepEqual(await call('hasty_count'), { ok: true })
  await eventually(() => assert.match(serving.output.stdout, /"level":50.*hasty\.missing.*nobody awaits/))
  assert.ok(await call('items_create', { project_key: 'INBOX', title: 'Buy milk' }))
  assert.equal(await serving.stop(), 0)
})

describe('a faulty tool', () => {
  const thrown = { nothing: null, text: 'out of paper', number: 7n }
  const faulty = (name: string, run: () => Promise<object>) =>
    defineTool({ name, class: 'R', title: name, summary: 'Fails.', input: {}, output: {}, run })
  const plugin = definePlugin({
    name: 'faulty',
    version: '1.0.0',
    api: 1,
    tools: [
      ...Object.entries(thrown).map(([name, value]) => faulty(`faulty_${name}`, () => Promise.reject(value))),
      faulty('faulty_bigint', async () => ({ amount: 1n })),
    ],
  })

  test('is answered as internal whatever it throws or returns, and its name is in the log', async t => {
    const lines: { level: number; call?: string; err?: { message: string } }[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const logger = { ...loggerOptions({ logLevel: 'error' }), stream }
    const host = await testHost(t, { only: [], plugins: [plugin], logger })
    for (const { name } of plugin.spec.tools!) await assert.rejects(host.call(name), { code: 'internal' })
    assert.deepEqual(
      lines.map(({ call, err }) => [call, err?.message]),
      [
        ['faulty_nothing', 'null'],
        ['faulty_text', 'out of paper'],
        ['faulty_number', '7'],
        ['faulty_bigint', 'Do not know how to serialize a BigInt'],
      ],
    )
  })
})

test('a tool without input is refused by its name, which the import of its plugin then reports', () => {
  const spec = { name: 'faulty_tool', class: 'R', title: 'A', summary: 'A.', run: async () => ({}) } as const
  assert.throws(() => defineTool({ ...spec, input: undefined as never }), /tool faulty_tool has no input; /)
})

describe('a faulty declaration', () => {
  const head = { name: 'faulty', version: '1.0.0', api: 1 }
  const refused = (t: TestContext, spec: object, message: RegExp) => {
    const plugin = definePlugin({ ...head, ...spec })
    return assert.rejects(testHost(t, { only: [], plugins: [plugin] }), (error: unknown) => {
      assert.ok(error instanceof HostError, String(error))
      assert.match(error.message, message)
      return true
    })
  }

  const noTool = { name: 'faulty_tool', class: 'R', title: 'A', summary: 'A.', input: {} }
  const Rows = defineMigration('create table faulty.rows (id uuid primary key)')
  const faults: readonly [string, object, RegExp][] = [
    ['whose tools are no list', { tools: {} }, /^plugin faulty: its tools must be a list of definitions/],
    ['with an undefined tool', { tools: [undefined] }, /^plugin faulty: its tools must be /],
    ['with an undefined job', { jobs: [undefined] }, /^plugin faulty: its jobs must be /],
    ['with an undefined claim', { claims: [undefined] }, /^plugin faulty: its claims must be a list of definitions; /],
    ['with a contribution that is none', { contributes: [null] }, /^plugin faulty: .*contributes is no contribution/],
    [
      'of tools that need no list',
      { tools: [{ ...noTool, run: async () => ({}), needs: 'items' }] },
      /^plugin faulty is malformed: needs/,
    ],
    [
      'of lazy contributions of which one is undefined',
      { contributes: [lazyContributions([], async () => ({ contributions: [undefined as never] }))] },
      /^plugin faulty: .*contributes is no contribution/,
    ],
    [
      'whose lazy contributions throw nothing',
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a plugin may throw anything
      { contributes: [lazyContributions([], () => Promise.reject(undefined))] },
      /^plugin faulty: what it adds to .*could not be loaded: undefined/,
    ],
    [
      'with an undefined entity',
      {
        entities: async () => ({ entities: [undefined] }),
        migrations: { '0001_init': async () => ({ Init: defineMigration('select 1') }) },
      },
      /^one of the entities of plugin faulty is none; /,
    ],
    [
      'whose index names a column for a property',
      {
        entities: async () => ({
          entities: [
            defineTable('faulty.rows', {
              properties: { ...ownedKey },
              // @ts-expect-error -- a column
              indexes: [{ name: 'x', properties: ['owner_id'] }],
            }),
          ],
        }),
        migrations: { '0001_init': async () => ({ Init: defineMigration('select 1') }) },
      },
      /^the entities of the plugins cannot be used: Entity faulty\.rows has wrong index definition: 'owner_id'/,
    ],
    ['of a tool without run', { tools: [noTool] }, /^tool faulty_tool of plugin faulty: it has no function run/],
    [
      'of a job without run',
      { jobs: [{ name: 'faulty.job', payload: Type.Object({}) }] },
      /^plugin faulty: its job faulty\.job has no function run/,
    ],
    [
      'of a schedule at no time',
      { jobs: [defineJob({ name: 'faulty.job', schedule: '0 99 * * *', run: async () => {} })] },
      /^the schedule "0 99 \* \* \*" of job faulty\.job is refused: .*99/,
    ],
    ['with a list of contributions as one', { contributes: [[]] }, /^plugin faulty: .*contributes is no contribution/],
    [
      'with a point as contribution',
      { contributes: [userCreated] },
      /^plugin faulty: .*contributes is no contribution/,
    ],
    [
      'with an undefined value of a point',
      { contributes: [userCreated(undefined as never)] },
      /^plugin faulty: .*core\.userCreated is undefined/,
    ],
    [
      'whose migration is no class',
      { migrations: { '0001_init': async () => ({ init: 'select 1' }) } },
      /^the file of migration faulty\/0001_init exports init; let it export alone what defineMigration returns/,
    ],
    [
      'whose onEnabled throws nothing',
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a plugin may throw anything
      { onEnabled: () => Promise.reject(undefined) },
      /^onEnabled of plugin faulty failed: undefined; nothing was changed/,
    ],
    ['with an async check', { check: async () => {} }, /^plugin faulty refuses this deployment: .*must not be async/],
    [
      'with a route of the host',
      { routes: (app: FastifyInstance) => void app.post('/mcp', async () => 'mine') },
      /^plugin faulty could not be registered: its route \/mcp/,
    ],
    [
      'whose check throws',
      {
        check: () => {
          throw new Error('no key')
        },
      },
      /^plugin faulty refuses this deployment: no key/,
    ],
    [
      'whose entities cannot be imported',
      {
        entities: () => Promise.reject(new Error('no-such-entities.ts')),
        migrations: { '0001_init': async () => ({ Init: defineMigration('select 1') }) },
      },
      /^the entities of plugin faulty could not be imported: .*no-such-entities/,
    ],
    [
      'whose migration throws at its import',
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a plugin may throw anything
      { migrations: { '0001_init': () => Promise.reject('half written') } },
      /^migration faulty\/0001_init could not be imported: half written/,
    ],
    ['with a version that npm does not know', { version: '1' }, /^plugin faulty: its version is "1"; .*as 1\.2\.3/],
    [
      'whose compatibleFrom is no version',
      { compatibleFrom: 'first' },
      /^plugin faulty: its compatibleFrom is "first"/,
    ],
    [
      'that keeps tables of others from exports',
      { notExported: ['core.users'] },
      /^plugin faulty: .*core\.users; .*faulty\./,
    ],
    [
      'that keeps an unknown table from exports',
      { migrations: { '0001_init': async () => ({ Rows }) }, notExported: ['faulty.row'] },
      /^plugin faulty: its notExported names faulty\.row; write faulty\.rows/,
    ],
    [
      'of rows about users in an unknown column',
      {
        migrations: { '0001_init': async () => ({ Rows }) },
        contributes: [rowsAboutUsers({ table: 'faulty.rows', column: 'user' })],
      },
      /^plugin faulty: its rowsAboutUsers names faulty\.rows\.user, which does not exist/,
    ],
    [
      'of a job that starts with a wrong payload',
      {
        jobs: [
          defineJob({
            name: 'faulty.job',
            payload: Type.Object({ days: Type.Integer() }),
            atStart: {},
            run: async () => {},
          }),
        ],
      },
      /^plugin faulty: atStart of job faulty\.job is no payload/,
    ],
    [
      'of a command with an unknown positional argument',
      {
        commands: [
          defineCommand({
            name: 'faulty import',
            summary: 'A.',
            args: Type.Object({ file: Type.String() }),
            positional: ['fil'],
            run: async () => ({}),
          }),
        ],
      },
      /^plugin faulty: its command "faulty import" names the argument fil; its args are file/,
    ],
    ['without a name', { name: undefined }, /plugin name "undefined" is not usable/],
  ]
  const taken: readonly [string, Contribution][] = [
    ['value of is: "open"', itemIs({ value: 'open', summary: 'mine', sql: () => sql.lit(false) })],
    ['value of has: "due"', itemHas({ value: 'due', summary: 'mine', sql: () => sql.lit(false) })],
    [
      'section of items_context_get "item"',
      itemSections({ name: 'item', schema: Type.String(), sql: () => sql`null` }),
    ],
  ]
  for (const [what, contribution] of taken)
    test(`that takes the ${what} stops the boot with the name of the plugin`, t => {
      const plugin = definePlugin({ ...head, dependsOn: ['items'], contributes: [contribution] })
      return assert.rejects(testHost(t, { only: ['items'], plugins: [plugin] }), {
        message: `the ${what} is added twice; rename one or switch one off (found in what these plugins add: faulty)`,
      })
    })
  const filter = { key: 'mine', type: 'text', summary: 'mine', example: 'mine:x' } as const
  const kind = searchKinds({ kind: 'thread', list: 'mine', row: Type.Object({}), search: async () => [] })
  const ofOthers: readonly [string, string, object, RegExp][] = [
    [
      'of a filter without sql',
      'items',
      { contributes: [itemFilters(filter as never)] },
      /^plugin faulty: what it contributes to items\.filters has no sql/,
    ],
    [
      'of a section whose schema is not made by Type',
      'items',
      { contributes: [itemSections({ name: 'mine', schema: { a: 1 } as never, sql: () => sql`null` })] },
      /^tool items_context_get of plugin items: its schemas hold .* \(found in what these plugins add: faulty\)/,
    ],
    [
      'of a filter key of two words',
      'items',
      { contributes: [itemFilters({ ...filter, key: 'my key', sql: () => sql.lit(true) })] },
      /the filter key "my key" is not one word in lower case; rename it \(found in what these plugins add: faulty\)/,
    ],
    [
      'of a second kind of records that query finds',
      'conversations',
      { optionalDependsOn: ['search'], contributes: [kind] },
      /^plugin faulty: the kind "thread" .*search\.kinds is taken by conversations/,
    ],
    [
      'of a second format of imports with a name',
      'transfer',
      {
        contributes: [
          importFormats({ name: 'csv', matches: () => true, read: () => ({ items: [], problems: [], ignored: [] }) }),
        ],
      },
      /^plugin faulty: the name "csv" .*transfer\.formats is taken by transfer/,
    ],
    [
      'of a second part of exports with a name',
      'labels',
      {
        optionalDependsOn: ['transfer'],
        contributes: [
          exportParts({ of: 'labels', sql: () => sql`null`, markdown: { as: 'fact', title: 'Mine', write: String } }),
        ],
      },
      /^plugin faulty: the of "labels" .*transfer\.exportParts is taken by labels/,
    ],
    [
      'of a tool with an unknown feature switch',
      'projects',
      { tools: [{ ...noTool, run: async () => ({}), gates: ['sprintz'] }] },
      /^tool faulty_tool of plugin faulty: gates names "sprintz"; the feature switches are calendar, sprints,/,
    ],
  ]
  for (const [what, other, spec, message] of ofOthers)
    test(`${what} stops the boot with the name of the plugin`, t => {
      const plugin = definePlugin({ ...head, dependsOn: [other], ...spec })
      return assert.rejects(testHost(t, { only: [other, 'search', 'transfer'], plugins: [plugin] }), {
        name: 'HostError',
        message,
      })
    })
  for (const [what, spec, message] of faults)
    test(`${what} stops the boot with the name of the plugin`, t => refused(t, spec, message))
})

test('a plugin whose tables lack a primary key stops the boot with one sentence', async t => {
  const Rows = defineTable('faulty.rows', { properties: { text: p.text() } })
  const Init = defineMigration('create table faulty.rows (text text)')
  const plugin = definePlugin({
    name: 'faulty',
    version: '1.0.0',
    api: 1,
    entities: async () => ({ entities: [Rows] }),
    migrations: { '0001_init': async () => ({ Init }) },
  })
  await assert.rejects(testHost(t, { only: [], plugins: [plugin] }), {
    name: 'HostError',
    message: 'entity faulty.rows of plugin faulty has no primary key; add ...ownedKey to it',
  })
})

test('a plugin without the migration of its tables stops the boot with the command that writes it', async t => {
  const Rows = defineTable('faulty.rows', { properties: { ...ownedKey, text: p.text() } })
  const plugin = definePlugin({
    name: 'faulty',
    version: '1.0.0',
    api: 1,
    entities: async () => ({ entities: [Rows] }),
    migrations: {},
  })
  await assert.rejects(testHost(t, { only: [], plugins: [plugin] }), {
    name: 'HostError',
    message: /^plugin faulty has entities, but no migration for them: .*tasuki migration new faulty init$/,
  })
})

test('a test host names what is no plugin', async t => {
  const text = /^testHost got .*, which definePlugin\(\) did not make/
  for (const plugin of [undefined, {}, () => undefined, [{}, {}]])
    await assert.rejects(testHost(t, { only: [], plugins: [plugin as never] }), { message: text })
})

test('a plugin whose tables have no entities has its schema before its first migration', async t => {
  const Init = defineMigration('create table bare.rows (id uuid primary key)')
  const plugin = definePlugin({
    name: 'bare',
    version: '1.0.0',
    api: 1,
    migrations: { '0001_init': async () => ({ Init }) },
  })
  const host = await testHost(t, { only: [], plugins: [plugin] })
  assert.deepEqual(await host.sql`select id from bare.rows`, [])
})
