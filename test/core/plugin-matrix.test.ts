import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HostError, sql, Type, type Contribution, type PluginSpec } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { compile } from '../../core/runtime/registry/compile.ts'
import type { Registry } from '../../core/runtime/registry/types.ts'
import { itemFields, itemFilters, itemHas, itemSections } from '../../plugins/items/points.ts'
import { noPostgres } from '../engines.ts'
import {
  config,
  configOf,
  mentionsOfDisabled,
  names,
  specs,
  vocabulary,
  withDependencies,
  wordsForOthers,
} from '../plugin-words.ts'
import { verifies } from '../verifies.ts'

const compiled = (wanted: readonly string[]): Registry =>
  compile(
    wanted.map(name => ({ spec: specs.get(name)!, options: {} })),
    config.profiles,
  )

describe('each plugin', () => {
  const everything = vocabulary(compiled(names).tools.values())

  test('adds visible parameters or fields to other plugins when all are on', () => {
    for (const spec of specs.values())
      for (const word of wordsForOthers(spec))
        assert.ok(everything.has(word), `${spec.name} adds ${word}, which is nowhere`)
    assert.ok(
      wordsForOthers(specs.get('labels')!).has('include_labels') || wordsForOthers(specs.get('labels')!).has('labels'),
    )
  })

  for (const name of names) {
    const on = withDependencies(name)

    verifies(
      'plugins.off',
      `${name}, with only its dependencies, shows its tools and no words of disabled plugins`,
      () => {
        const registry = compiled(on)
        const owned = on
          .flatMap(plugin => specs.get(plugin)?.tools ?? [])
          .filter(({ needs = [] }) => needs.every(needed => on.includes(needed)))
          .map(tool => tool.name)
        assert.deepEqual([...registry.tools.keys()].toSorted(), owned.toSorted())
        assert.deepEqual(mentionsOfDisabled(registry.tools.values(), on), [])
        const reported = new Set(registry.skipped.map(line => line.split(' → ')[1]!.split('.')[0]))
        for (const owner of reported) assert.ok(!on.includes(owner!), `${owner} is on`)
      },
    )
  }

  test('cannot add a name that another plugin already adds', () => {
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
      assert.throws(() => compile(added, config.profiles), message)
    }
  })

  test('cannot be on without its dependencies', () => {
    for (const [name, { dependsOn = [] }] of specs) {
      for (const missing of dependsOn) {
        const rest = withDependencies(name).filter(other => other !== missing)
        assert.throws(
          () => compiled(rest),
          (error: unknown) => error instanceof HostError && error.message.includes(`needs plugin ${missing}`),
        )
      }
    }
  })
})

// PostgreSQL only, because the embedded engine gives the same results and starts more slowly.
describe('plugins', { skip: noPostgres }, () => {
  test('each boot with only their dependencies', async t => {
    for (const name of names) {
      const host = await testHost(t, { engine: 'postgres', config: configOf(withDependencies(name)) })
      assert.deepEqual(host.registry.plugins.map(plugin => plugin.name).toSorted(), withDependencies(name).toSorted())
      const shown = (await host.listTools()).map(tool => tool.name)
      assert.deepEqual(shown, [...host.registry.tools.keys()])
      await host.close()
    }
  })
})
