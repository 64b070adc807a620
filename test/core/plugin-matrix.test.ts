import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HostError, sql, Type, type Contribution, type PluginSpec } from 'tasuki/plugin'
import { testHost, type TestHost, type TestHostOptions } from 'tasuki/testing'
import { loadConfig } from '../../core/config/load.ts'
import { loadPlugins } from '../../core/config/plugins.ts'
import { compile } from '../../core/registry/compile.ts'
import type { Registry } from '../../core/registry/types.ts'
import { itemFields, itemFilters, itemHas, itemSections } from '../../plugins/items/points.ts'
import { forEachEngine } from '../engines.ts'
import { verifies } from '../verifies.ts'

const config = await loadConfig(undefined)
const names = Object.keys(config.plugins)
const loaded = await loadPlugins(
  { ...config, plugins: Object.fromEntries(names.map(name => [name, {}])) },
  process.cwd(),
)
const specs = new Map(loaded.map(({ plugin: { spec } }) => [spec.name, spec]))
const compiled = (wanted: readonly string[]): Registry =>
  compile(
    wanted.map(name => ({ spec: specs.get(name)!, options: {} })),
    { profiles: config.profiles },
  )

/** A plugin and all that it needs. */
function closure(name: string): string[] {
  return [...new Set([...(specs.get(name)?.dependsOn ?? []).flatMap(closure), name])]
}

/** What a plugin adds to schemas through points: parameters, flags, fields and choices. */
function added({ contributes = [] }: PluginSpec, to: (point: string) => boolean): Set<string> {
  const words = contributes
    .filter(({ point }) => to(point))
    .flatMap(({ value }) => {
      if (typeof value !== 'object' || value === null) return []
      const { params = {}, fields = {}, when, name } = value as Record<string, unknown>
      return [...Object.keys(params as object), ...Object.keys(fields as object), when, name]
    })
  return new Set(words.filter(word => typeof word === 'string' && !['always', 'single'].includes(word)) as string[])
}
const additions = (spec: PluginSpec): Set<string> => added(spec, point => !point.startsWith(`${spec.name}.`))

/** Plugins whose descriptions may name tools of others, because they are of no use without them. */
const COMPANIONS: Readonly<Record<string, string>> = { workflows: 'items' }

/** Words that also mean something else: the version of the filter grammar, the occurrence of a text in a body. */
const AMBIGUOUS = ['version', 'occurrence']

/** Every name of a property and every choice in the schemas of a list of tools. */
function vocabulary(registry: Registry): Set<string> {
  const words = new Set<string>()
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties = {}, enum: choices = [] } = schema as { properties?: object; enum?: readonly unknown[] }
    for (const name of Object.keys(properties)) words.add(name)
    if (Array.isArray(choices)) for (const choice of choices) words.add(String(choice))
    Object.values(schema).forEach(walk)
  }
  for (const { listed } of registry.tools.values()) walk(listed)
  return words
}

describe('each plugin', () => {
  const everything = vocabulary(compiled(names))

  test('adds to others what can be seen when all are on', () => {
    for (const spec of specs.values())
      for (const word of additions(spec)) assert.ok(everything.has(word), `${spec.name} adds ${word}, which is nowhere`)
    assert.ok(additions(specs.get('labels')!).has('include_labels') || additions(specs.get('labels')!).has('labels'))
  })

  for (const name of names) {
    const on = closure(name)
    const off = names.filter(other => !on.includes(other))

    verifies(
      'plugins.off',
      `${name}, alone with what it needs, shows its tools and nothing of plugins that are off`,
      () => {
        const registry = compiled(on)
        const owned = on
          .flatMap(plugin => specs.get(plugin)?.tools ?? [])
          .filter(({ needs = [] }) => needs.every(needed => on.includes(needed)))
          .map(tool => tool.name)
        assert.deepEqual([...registry.tools.keys()].toSorted(), owned.toSorted())
        const words = vocabulary(registry)
        // One flag may be shared: include_relations shows the parent also where there are no other relations.
        const shared = new Set([...AMBIGUOUS, ...on.flatMap(plugin => [...added(specs.get(plugin)!, () => true)])])
        const listed = (other: string): string =>
          [...registry.tools.values()]
            .filter(({ plugin }) => COMPANIONS[plugin.name] !== other)
            .map(tool => JSON.stringify(tool.listed))
            .join('\n')
        for (const other of off) {
          const spec = specs.get(other)!
          for (const word of additions(spec))
            assert.ok(shared.has(word) || !words.has(word), `"${word}" is of ${other}, which is off`)
          // A name of one word, like query, is also a word of the language.
          for (const { name: tool } of (spec.tools ?? []).filter(each => each.name.includes('_')))
            assert.doesNotMatch(listed(other), new RegExp(`\\b${tool}\\b`), `tells of ${tool} of ${other}`)
        }
        const reported = new Set(registry.skipped.map(line => line.split(' → ')[1]!.split('.')[0]))
        for (const owner of reported) assert.ok(!on.includes(owner!), `${owner} is on`)
      },
    )
  }

  test('cannot add what another adds already', () => {
    const twin = (contribution: Contribution): PluginSpec => ({
      name: 'twin',
      version: '1.0.0',
      api: 1,
      group: 'twin',
      dependsOn: ['items'],
      contributes: [contribution],
    })
    const nothing = () => sql`null`
    for (const [contribution, message] of [
      [
        itemFilters({ key: 'label', type: 'name', summary: 'x', example: 'x', sql: () => sql`true` }),
        /filter key "label"/,
      ],
      [itemHas({ value: 'checklist', summary: 'x', sql: () => sql`true` }), /value of has: "checklist"/],
      [
        itemSections({ name: 'reminders', schema: Type.Object({}), sql: nothing }),
        /section of items_context_get "reminders"/,
      ],
      [itemFields({ when: 'always', summary: 'x', fields: { labels: Type.String() }, sql: nothing }), /adds "labels"/],
    ] as const) {
      const added = [...specs.values(), twin(contribution)].map(spec => ({ spec, options: {} }))
      assert.throws(() => compile(added, { profiles: config.profiles }), message)
    }
  })

  test('cannot be on without what it needs', () => {
    for (const [name, { dependsOn = [] }] of specs) {
      for (const missing of dependsOn) {
        const rest = closure(name).filter(other => other !== missing)
        assert.throws(
          () => compiled(rest),
          (error: unknown) => error instanceof HostError && error.message.includes(`needs plugin ${missing}`),
        )
      }
    }
  })
})

const switched = (on: readonly string[]): NonNullable<TestHostOptions['config']> => ({
  plugins: Object.fromEntries(names.map(name => [name, on.includes(name) ? {} : false])),
})

forEachEngine('plugins', engine => {
  test(
    'each boot alone with what they need',
    { skip: engine === 'pglite' && 'the server shows the same, faster' },
    async t => {
      for (const name of names) {
        const host = await testHost(t, { engine, config: switched(closure(name)) })
        assert.deepEqual(host.registry.plugins.map(plugin => plugin.name).toSorted(), closure(name).toSorted())
        const shown = (await host.listTools()).map(tool => tool.name)
        assert.deepEqual(shown, [...host.registry.tools.keys()])
        await host.close()
      }
    },
  )

  verifies('plugins.off', 'switched off and on again find their data as it was', async t => {
    const flags = (host: TestHost): object => {
      const { properties } = host.registry.tools.get('tasks_list')!.input
      return Object.fromEntries(
        Object.keys(properties)
          .filter(key => key.startsWith('include_'))
          .map(key => [key, true]),
      )
    }
    const everything = async (host: TestHost) => ({
      tasks: await host.call('tasks_list', { limit: 100, order: 'asc', sort: 'created', ...flags(host) }),
      labels: await host.call('project_labels_list', { project_key: 'APP' }),
      areas: await host.call('project_areas_list', { project_key: 'APP' }),
      history: await host.call('activities_list', { item_ref: 'APP#1' }),
    })
    const again = async (host: TestHost, on: readonly string[]): Promise<TestHost> => {
      const snapshot = await host.database.embedded?.dump()
      await host.close()
      const database = snapshot ? ({ engine: 'pglite', dataDir: null, snapshot } as const) : host.databaseOptions
      return testHost(t, { database, config: switched(on) })
    }

    let host = await testHost(t, { engine, config: switched(names) })
    await host.command('project create', { key: 'APP', name: 'App', user: 'owner@example.com' })
    await host.call('project_areas_create', { project_key: 'APP', name: 'Web' })
    await host.call('items_create', { project_key: 'APP', title: 'one', labels: ['red', 'blue'], area_path: 'Web' })
    await host.call('items_create', { project_key: 'APP', title: 'two', labels: ['red'] })
    const before = await everything(host)
    assert.equal(before.tasks.items.length, 2)
    assert.equal(before.labels.labels.length, 2)

    host = await again(host, closure('items'))
    const { items } = await host.call('tasks_list', { ...flags(host), sort: 'created', order: 'asc' })
    assert.deepEqual(
      items.map((item: { title: string }) => item.title),
      ['one', 'two'],
    )
    assert.ok(!/red|Web/.test(JSON.stringify(items)))
    await assert.rejects(host.call('project_labels_list', { project_key: 'APP' }), /Unknown tool/)
    await assert.rejects(host.call('items_create', { project_key: 'APP', title: 'x', labels: ['red'] }), {
      code: 'unknown_argument',
    })
    await assert.rejects(host.call('tasks_list', { q: 'label:red' }), { code: 'invalid_query' })

    host = await again(host, names)
    assert.deepEqual(await everything(host), before)
    await host.call('items_patch', { item_ref: 'APP#2', labels: ['blue'] })
    assert.deepEqual((await host.call('tasks_list', { q: 'label:blue' })).items.length, 2)
  })
})
