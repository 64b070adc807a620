import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  choice,
  defineCommand,
  defineConfig,
  defineClaim,
  defineJob,
  definePlugin,
  definePoint,
  defineHook,
  HostError,
  lazyContributions,
  Type,
  userCreated,
  whenEnabled,
  widen,
} from 'tasuki/plugin'
import type { All, Contribution, PluginSpec, TObject, TProperties } from 'tasuki/plugin'
import { belongsTo, defineEntity, defineTable, Migration, ownedKey, p } from 'tasuki/entities'
import { archiveCommands } from '../../../../core/cli/commands/archive.ts'
import { coreCommands } from '../../../../core/cli/commands/index.ts'
import { localCommands } from '../../../../core/cli/local/index.ts'
import { loadEntities } from '../../../../core/db/orm-options.ts'
import { API_LEVEL } from '../../../../core/plugin/plugin.ts'
import { VERSION } from '../../../../core/plugin/version.ts'
import { assertRefused, compilePlugins, compileWithImports, spec, tool } from './specs.ts'

const id = p.uuid().primary()
/** A plugin with an entity. */
const withEntity = (plugin: string, schema: string | undefined, name = 'Risk') => {
  const entity = defineEntity({ name, ...(schema && { schema }), tableName: 'risks', properties: { id } })
  return spec(plugin, { entities: async () => ({ entities: [entity] }) })
}
const params = definePoint<TProperties>('base.params')
const widened = (base: TObject) => (all: All) =>
  widen(
    base,
    all(params).map(properties => ({ from: params.id, properties })),
  )
const base = spec('base', {
  points: [params],
  tools: [tool('base_get', { input: widened(Type.Object({ id: Type.String({ description: 'Its id.' }) })) })],
})

test('a plugin of tasuki has its version and contract level, and its name as the group', () => {
  const { version, api, group } = definePlugin({ name: 'own' }).spec
  assert.deepEqual({ version, api, group }, { version: VERSION, api: API_LEVEL, group: 'own' })
  const other = definePlugin({ name: 'other', version: '2.0.0', api: 1, group: 'others' }).spec
  assert.deepEqual([other.version, other.api, other.group], ['2.0.0', 1, 'others'])
})

describe('the boot stops on a plugin', () => {
  test('with an invalid or reserved name', () => {
    for (const name of [
      'Risk',
      'risk-log',
      '1risk',
      'r'.repeat(42),
      '',
      'core',
      'core_jobs',
      'public',
      'pg_risk',
      'information_schema',
    ])
      assertRefused([spec(name)], `"${name}"`, 'rename')
    assert.deepEqual(compilePlugins([spec('r'.repeat(41))]).plugins.length, 1)
  })

  test('of another contract level, before any other check', () => {
    assertRefused([spec('risk', { api: 2, dependsOn: ['nowhere'] })], 'risk', 'level 2', 'offers 1', 'install')
    assertRefused([spec('risk', { api: 0 })], 'level 0')
  })

  test('whose dependency is off', () => {
    assertRefused([spec('risk', { dependsOn: ['items'] })], 'risk', 'items', 'is off', '"items": {}', 'switch risk off')
  })

  test('with a circular dependency', () => {
    const circle = [
      spec('a', { dependsOn: ['b'] }),
      spec('b', { dependsOn: ['c'] }),
      spec('c', { dependsOn: ['d'] }),
      spec('d', { dependsOn: ['b'] }),
    ]
    assertRefused(circle, 'circle', ': b → c → d → b', 'do without')
    assertRefused([spec('a', { dependsOn: ['a'] })], 'a → a')
  })

  test('that lists a dependency as needed and as optional, or itself', () => {
    assertRefused(
      [base, spec('risk', { dependsOn: ['base'], optionalDependsOn: ['base'] })],
      'risk',
      'depends on base',
      'out of',
    )
    assertRefused([spec('risk', { optionalDependsOn: ['risk'] })], 'risk', 'itself', 'out of')
  })

  test('that uses a plugin without naming it', () => {
    const add = 'optionalDependsOn'
    assertRefused([base, spec('risk', { contributes: [params({})] })], 'plugin risk', 'base.params', 'base', add)
    const nested = whenEnabled(['sprints'], [userCreated(async () => undefined)])
    assertRefused([spec('risk', { contributes: nested })], 'plugin risk', 'core.userCreated', 'sprints', add)
    assertRefused(
      [spec('risk', { tools: [tool('risk_get', { needs: ['sprints'] })] })],
      'risk_get',
      'needs sprints',
      add,
    )
    const lazy = lazyContributions(['sprints'], async () => ({ contributions: [] }))
    assertRefused([spec('risk', { contributes: [lazy] })], 'plugin risk', 'lazily', 'sprints', add)
  })

  test('with the name of another plugin', () => {
    assertRefused([spec('risk'), spec('risk')], 'two plugins are named risk', 'switch one of them off')
  })

  test('that declares settings of another plugin', () => {
    assertRefused(
      [spec('risk', { config: defineConfig('items', Type.Object({})) })],
      'risk',
      'items',
      "defineConfig('risk'",
    )
  })
})

describe('the settings of a plugin', () => {
  const config = defineConfig(
    'risk',
    Type.Object({
      threshold: Type.Integer({ default: 3, minimum: 0, maximum: 5 }),
      mode: choice(['soft', 'hard'], { default: 'soft' }),
      limits: Type.Object({ high: Type.Number({ default: 9 }) }, { default: {} }),
    }),
  )
  const risk = spec('risk', { config })

  test('are refused with the setting, the expected and the actual value', () => {
    assertRefused([[risk, { threshold: 'many' }]], 'plugin risk', 'threshold', 'a whole number of 0 to 5', '"many"')
    assertRefused([[risk, { threshold: 6 }]], 'threshold', '6')
    assertRefused([[risk, { mode: 'firm' }]], 'mode', 'soft, hard', '"firm"')
    assertRefused([[risk, { limits: { high: null } }]], 'limits → high', 'a number', 'null')
  })

  test('are refused when misspelt, with the nearest name', () => {
    assertRefused([[risk, { treshold: 1 }]], 'treshold', 'did you mean threshold')
  })

  test('are refused for a plugin that has none', () => {
    assertRefused([[spec('plain'), { x: 1 }]], 'plugin plain', 'no settings', 'x', '{}')
  })

  test('have their defaults and are deeply frozen', () => {
    const options = { limits: { high: 4 } }
    const settings = compilePlugins([[risk, options]]).config(config)
    assert.deepEqual(settings, { threshold: 3, mode: 'soft', limits: { high: 4 } })
    assert.throws(() => Object.assign(settings.limits, { high: 1 }), TypeError)
    assert.deepEqual(options, { limits: { high: 4 } }, 'what the operator gave stays untouched')
  })
})

describe('two owners', () => {
  test('of one tool are refused', () => {
    assertRefused(
      [spec('a', { tools: [tool('risk_get')] }), spec('b', { tools: [tool('risk_get')] })],
      'tool risk_get',
      'both a and b',
    )
    assertRefused([spec('a', { tools: [tool('risk_get'), tool('risk_get')] })], 'tool risk_get', 'twice by a')
  })

  test('of one parameter are refused by name', () => {
    const adds = (name: string, property: string) =>
      spec(name, {
        dependsOn: ['base'],
        contributes: [params({ [property]: Type.String({ description: 'Some text.' }) })],
      })
    assertRefused([base, adds('labels', 'id'), adds('areas', 'area')], 'base_get of plugin base', '"id"', /: labels\)$/)
    assertRefused(
      [base, adds('labels', 'place'), adds('areas', 'place'), adds('other', 'x')],
      '"place"',
      /: areas, labels\)$/,
    )
  })

  test('of one output field are refused by name', () => {
    const owner = spec('base', {
      points: [params],
      tools: [tool('base_get', { output: widened(Type.Object({ id: Type.String() })) })],
    })
    assertRefused(
      [owner, spec('labels', { dependsOn: ['base'], contributes: [params({ id: Type.String() })] })],
      'base_get',
      '"id"',
      /: labels\)$/,
    )
  })

  test('of a parameter or field of the host are refused', () => {
    const token = Type.Object({ confirm_token: Type.String({ description: 'Mine.' }) })
    assertRefused(
      [spec('a', { tools: [tool('risk_set', { class: 'WD', confirm: () => 'Set it', input: token })] })],
      'confirm_token',
    )
    assertRefused(
      [spec('a', { tools: [tool('risk_set', { class: 'W', output: Type.Object({ replayed: Type.Boolean() }) })] })],
      'replayed',
    )
  })

  test('of one entity are refused, also when one of them is the host', async () => {
    const risk = (plugin: string, name?: string) => withEntity(plugin, plugin, name)
    await assert.rejects(loadEntities([risk('a'), risk('b')]), /entity Risk is defined by both a and b/)
    await assert.rejects(
      loadEntities([risk('a', 'core.tokens')]),
      /entity core.tokens is defined by both the host and a/,
    )
    assert.ok((await loadEntities([risk('a'), risk('b', 'Danger')])).length > 2)
  })

  test('with a reference to no table names its plugin', async () => {
    const things = defineTable('odd.things', {
      properties: { ...ownedKey, item: () => belongsTo(undefined as never, 'item_id') },
    })
    const odd = spec('odd', { entities: async () => ({ entities: [things] }) })
    await assert.rejects(loadEntities([odd]), /odd.*belongsTo\(…, 'item_id'\) got no table/)
  })

  test('of one schema are refused: a table belongs to the schema of its plugin', async () => {
    await assert.rejects(
      loadEntities([withEntity('risk', 'items')]),
      /entity Risk of plugin risk lies in schema "items"; set schema: 'risk'/,
    )
    await assert.rejects(loadEntities([withEntity('risk', undefined)]), /set schema: 'risk'/)
  })

  test('of one job, command, claim, prompt or resource are refused', () => {
    const job = defineJob({ name: 'a.tick', payload: Type.Object({}), run: async () => undefined })
    assertRefused([spec('a', { jobs: [job, job] })], 'job a.tick')
    const command = defineCommand({ name: 'risk list', summary: 'List.', args: Type.Object({}), run: async () => ({}) })
    assertRefused(
      [spec('a', { commands: [command] }), spec('b', { commands: [command] })],
      'command risk list',
      'both a and b',
    )
    const claim = defineClaim({ name: 'risk', sql: 'select 1', parse: () => 1 })
    assertRefused([spec('a', { claims: [claim] }), spec('b', { claims: [claim] })], 'claim risk', 'both a and b')
    const prompt = { name: 'risk', description: 'Asks.', get: async () => [] }
    assertRefused([spec('a', { prompts: [prompt] }), spec('b', { prompts: [prompt] })], 'prompt risk')
    const resource = { name: 'risk', description: 'Tells.', uri: 'risk:all', read: async () => null }
    assertRefused([spec('a', { resources: [resource] }), spec('b', { resources: [resource] })], 'resource risk')
  })
})

describe('points', () => {
  test('know the plugin of a contribution for each host, also if two hosts name it differently', () => {
    const value: TProperties = {}
    const [first, second] = ['risk', 'danger'].map(name =>
      compilePlugins([base, spec(name, { dependsOn: ['base'], contributes: [params(value)] })]),
    )
    assert.deepEqual([first!.addedBy(value), second!.addedBy(value)], ['risk', 'danger'])
    assert.equal(first!.addedBy({}), undefined)
  })

  test('that an enabled plugin does not declare cannot get contributions', () => {
    const parms = definePoint<TProperties>('base.parms')
    assertRefused(
      [base, spec('labels', { dependsOn: ['base'], contributes: [parms({})] })],
      'labels',
      'base.parms',
      'base has no such point',
      'spelling',
    )
    const core = definePoint<string>('core.userRemoved')
    assertRefused([spec('labels', { contributes: [core('x')] })], 'core.userRemoved')
  })

  test('refuse a value of another shape, as plugins in plain JavaScript give it', () => {
    const called = defineHook<unknown>('base.called')
    const kinds = definePoint<unknown>('base.kinds', {
      calls: ['sql' as never],
      shape: Type.Object({ kind: choice(['one', 'two']) }),
    })
    const owner = spec('base', { points: [called, kinds] })
    const refuses = (contribution: Contribution, text: string) =>
      assertRefused([owner, spec('labels', { dependsOn: ['base'], contributes: [contribution] })], 'labels', text)
    refuses(called({}), 'base.called is wrong: it must be a function, got a value of type object')
    refuses(kinds({ kind: 'three', sql: () => null }), 'kind must be one of one, two, got "three"')
    refuses(kinds({ kind: 'one', sql: 'select 1' }), 'sql must be a function')
    compilePlugins([
      owner,
      spec('labels', {
        dependsOn: ['base'],
        contributes: [called(async () => 1), kinds({ kind: 'one', sql: () => null })],
      }),
    ])
  })

  test('with a further requirement apply only while that plugin is on', () => {
    const list = definePoint<string>('base.list')
    const base = spec('base', { points: [list] })
    const labels = spec('labels', {
      dependsOn: ['base'],
      optionalDependsOn: ['sprints'],
      contributes: [list('always'), ...whenEnabled(['sprints'], [list('with sprints')])],
    })
    const without = compilePlugins([base, labels])
    assert.deepEqual(without.all(list), ['always'])
    assert.deepEqual(without.skipped, ['labels → sprints (base.list)'])
    const all = compilePlugins([base, labels, spec('sprints')])
    assert.deepEqual(all.all(list), ['always', 'with sprints'])
    assert.deepEqual(all.skipped, [])
  })

  test('of a plugin that is off are skipped and reported', () => {
    const labels = spec('labels', {
      optionalDependsOn: ['base'],
      contributes: [params({ label: Type.String({ description: 'A label.' }) }), userCreated(async () => undefined)],
    })
    const registry = compilePlugins([labels])
    assert.deepEqual(registry.skipped, ['labels → base.params'])
    assert.deepEqual(registry.all(params), [])
    assert.equal(registry.all(userCreated).length, 1)
    assert.deepEqual(compilePlugins([labels, base]).skipped, [])
  })

  test('accept lazy contributions of a module that is imported only if they apply', async () => {
    const list = definePoint<string>('base.list')
    const owner = spec('base', { points: [list] })
    let imports = 0
    const lazy = lazyContributions(['base', 'sprints'], async () => {
      imports++
      return { contributions: [list('lazy')] }
    })
    const labels = spec('labels', {
      optionalDependsOn: ['base', 'sprints'],
      contributes: [list('first'), lazy, list('last')],
    })
    const without = await compileWithImports([owner, labels])
    assert.deepEqual([without.all(list), without.skipped, imports], [['first', 'last'], ['labels → sprints'], 0])
    const all = await compileWithImports([owner, labels, spec('sprints')])
    assert.deepEqual([all.all(list), all.skipped, imports], [['first', 'lazy', 'last'], [], 1])
  })

  test('refuse lazy contributions of a module that is missing, has none, or contributes to undeclared plugins', async () => {
    const list = definePoint<string>('base.list')
    const owner = spec('base', { points: [list] })
    const lazy = (load: () => Promise<object>): PluginSpec =>
      spec('labels', { optionalDependsOn: ['sprints'], contributes: [lazyContributions(['sprints'], load as never)] })
    for (const [load, says] of [
      [
        async () => Promise.reject(new Error('Cannot find module x')),
        /^plugin labels: .*sprints could not be loaded: Cannot find module x$/,
      ],
      [async () => ({ pages: [] }), /^plugin labels: .*has no list "contributions"$/],
      [async () => ({ contributions: [list('x')] }), /^plugin labels: it contributes to base\.list where base is on/],
    ] as const)
      await assert.rejects(compileWithImports([owner, spec('sprints'), lazy(load)]), (error: unknown) => {
        assert.ok(error instanceof HostError)
        assert.match(error.message, says)
        return true
      })
    const invalid = { needs: ['sprints'], load: HostError } as never
    assertRefused(
      [spec('labels', { optionalDependsOn: ['sprints'], contributes: [invalid] })],
      "lazyContributions(['sprints'], () => import(",
    )
  })

  test('belong to the plugin that declares them', () => {
    assertRefused(
      [spec('labels', { points: [definePoint('items.labels')] })],
      'plugin labels',
      'items.labels',
      'labels.<list>',
    )
  })

  test('list contributions in the order of dependencies, frozen', () => {
    const adds = (name: string, dependsOn: string[]) =>
      spec(name, { dependsOn, contributes: [params({ [name]: Type.Null({ description: name }) })] })
    const registry = compilePlugins([adds('a', ['base', 'z']), base, adds('z', ['base'])])
    const lists = registry.all(params)
    assert.deepEqual(
      lists.map(properties => Object.keys(properties)),
      [['z'], ['a']],
    )
    assert.ok(Object.isFrozen(lists))
  })
})

describe('the boot stops on', () => {
  const command = (name: string) =>
    defineCommand({ name, summary: 'Does it.', args: Type.Object({}), run: async () => ({}) })
  const job = (name: string, parts: object = {}) =>
    defineJob({ name, payload: Type.Object({}), run: async () => undefined, ...parts })

  test('a command of the host, or one that is not two words', () => {
    const ofHost = [...localCommands, ...coreCommands, ...archiveCommands].map(({ name }) => name.split(' ')[0]!)
    for (const first of new Set([...ofHost, 'help', 'version']))
      assertRefused([spec('risk', { commands: [command(`${first} risks`)] })], `${first} risks`)
    for (const name of ['risk', 'risk Set', 'risk set now'])
      assertRefused([spec('risk', { commands: [command(name)] })], 'two words')
  })

  test('a job without the name of its plugin, or with an invalid schedule', () => {
    assertRefused([spec('risk', { jobs: [job('items.tick')] })], 'plugin risk', 'items.tick', 'risk.<')
    assertRefused([spec('risk', { jobs: [job('risk.Tick!')] })], 'risk.Tick!')
    assertRefused([spec('risk', { jobs: [job('risk.tick', { schedule: 'daily' })] })], '"daily"', 'five fields')
    assertRefused([spec('risk', { jobs: [job('risk.tick', { schedule: '* * * * * *' })] })], 'five fields')
    const needs = { schedule: '* * * * *', payload: Type.Object({ id: Type.String() }) }
    assertRefused([spec('risk', { jobs: [job('risk.tick', needs)] })], 'risk.tick', 'payload must allow {}')
  })

  test('a migration whose name has no number', () => {
    assertRefused([spec('risk', { migrations: { init: async () => ({}) } })], 'migration "init"', '0001_init')
  })

  test('entities and migrations that are not imported on demand', () => {
    const entities: never = [] as never
    assertRefused([spec('risk', { entities })], 'plugin risk', "entities: () => import('./entities.js')")
    const migration: never = class extends Migration {
      override up(): void {}
    } as never
    assertRefused(
      [spec('risk', { migrations: { '0001_init': migration } })],
      "'0001_init': () => import('./0001_init.js')",
    )
  })
})
