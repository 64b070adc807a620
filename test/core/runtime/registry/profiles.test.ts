import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HostError, instructions, type PluginSpec, type ToolClass } from 'tasuki/plugin'
import { loadConfig } from '../../../../core/host/config/load.ts'
import { loadPlugins } from '../../../../core/host/config/plugins.ts'
import { compile } from '../../../../core/runtime/registry/compile.ts'
import type { Registry, View } from '../../../../core/runtime/registry/types.ts'
import { verifies } from '../../../verifies.ts'
import { assertRefused, compilePlugins, spec, tool } from './specs.ts'

const PROFILES = ['full-access', 'task-assistant', 'project-ops'] as const
const SCOPES = ['read', 'write'] as const

const config = await loadConfig(undefined)
const added = (await loadPlugins(config, process.cwd())).map(({ plugin, options }) => ({ spec: plugin.spec, options }))
const registry = compile(added, config.profiles)

const view = (
  profile: string | undefined,
  scope: 'read' | 'write',
  rest: object = {},
  from: Registry = registry,
): View => from.view({ profile, scope, ...rest })!
const names = ({ tools }: View): string[] => [...tools.keys()]
/** Counts the tools of a view by group and class. */
function counts({ tools }: View): Record<string, Partial<Record<ToolClass, number>>> {
  const found: Record<string, Partial<Record<ToolClass, number>>> = {}
  for (const { group, class: toolClass } of tools.values()) {
    const row = (found[group] ??= {})
    row[toolClass] = (row[toolClass] ?? 0) + 1
  }
  return found
}

/** Groups that each profile may change; it may read all other groups. */
const CHANGES: Record<(typeof PROFILES)[number], readonly string[]> = {
  'full-access': [...new Set([...registry.tools.values()].map(({ group }) => group))],
  'task-assistant': ['work_items', 'notes', 'reminders', 'checklist'],
  'project-ops': ['work_items', 'notes', 'reminders', 'checklist', 'workflow_states', 'workflow_transitions'],
}

describe('the six views', () => {
  for (const profile of PROFILES) {
    for (const scope of SCOPES) {
      verifies(
        'profiles.task_assistant',
        `${profile} with scope ${scope} shows the tools of its groups and classes, counted by group`,
        () => {
          const all = counts(view('full-access', 'write'))
          const expected = Object.entries(all).flatMap(([group, row]) => {
            const mayChange = scope === 'write' && CHANGES[profile].includes(group)
            const shown = mayChange ? row : row.R === undefined ? {} : { R: row.R }
            return Object.keys(shown).length === 0 ? [] : [[group, shown] as const]
          })
          assert.deepEqual(counts(view(profile, scope)), Object.fromEntries(expected))
        },
      )
    }
  }

  verifies('profiles.full_access', 'full-access, or no profile, shows every tool', () => {
    assert.deepEqual(names(view('full-access', 'write')), [...registry.tools.keys()])
    assert.equal(view(undefined, 'write'), view('full-access', 'write'))
    assert.equal(view(undefined, 'write').needWrite.size, 0)
  })

  verifies(
    'profiles.scope_narrows',
    'with scope read, writing tools are not listed but known to need another scope',
    () => {
      for (const profile of PROFILES) {
        const reading = view(profile, 'read')
        const writing = view(profile, 'write')
        assert.ok([...reading.tools.values()].every(({ class: toolClass }) => toolClass === 'R'))
        const both = [...reading.tools.keys(), ...reading.needWrite.keys()]
        assert.deepEqual(both.toSorted(), names(writing).toSorted(), profile)
      }
    },
  )

  verifies('profiles.project_ops', 'project-ops is task-assistant plus tools that edit workflows', () => {
    const more = names(view('project-ops', 'write')).filter(
      name => !names(view('task-assistant', 'write')).includes(name),
    )
    const workflows = [...registry.tools.values()].filter(
      ({ class: toolClass, group }) => toolClass !== 'R' && group.startsWith('workflow_'),
    )
    assert.deepEqual(more.toSorted(), workflows.map(({ name }) => name).toSorted())
    assert.ok(more.length >= 7)
  })

  test('each is serialized once, as the same text', () => {
    for (const profile of PROFILES) {
      for (const scope of SCOPES) {
        const made = view(profile, scope)
        assert.deepEqual(
          (JSON.parse(made.toolsJson) as { name: string }[]).map(({ name }) => name),
          names(made),
        )
        assert.equal(view(profile, scope), made)
      }
    }
  })
})

test('an unknown profile has no view', () => {
  for (const profile of ['everything', '', 'full-access read', 'constructor', '__proto__'])
    assert.equal(registry.view({ profile, scope: 'write' }), null, profile)
})

describe('narrowing', () => {
  verifies('profiles.tools', 'keeps the named tools in the order of the list', () => {
    const narrowed = view('task-assistant', 'write', {
      only: ['items_create', 'tasks_list', 'workflow_states_create', 'nonsense'],
    })
    assert.deepEqual(names(narrowed), ['tasks_list', 'items_create'])
    assert.equal(narrowed.needWrite.size, 0)
  })

  verifies('profiles.exclude', 'leaves out the named tools', () => {
    const base = names(view('full-access', 'write'))
    const narrowed = names(view('full-access', 'write', { exclude: ['items_create', 'nonsense'] }))
    assert.deepEqual(
      narrowed,
      base.filter(name => name !== 'items_create'),
    )
    assert.deepEqual(names(view(undefined, 'write', { only: ['tasks_list', 'items_get'], exclude: ['items_get'] })), [
      'tasks_list',
    ])
  })

  test('separates the tools that a read credential lacks', () => {
    const narrowed = view(undefined, 'read', { only: ['tasks_list', 'items_create'] })
    assert.deepEqual([names(narrowed), [...narrowed.needWrite.keys()]], [['tasks_list'], ['items_create']])
    assert.deepEqual(JSON.parse(narrowed.toolsJson).length, 1)
  })

  test('is cached per selection, with a limit', () => {
    const first = view(undefined, 'write', { only: ['tasks_list'] })
    assert.equal(view(undefined, 'write', { only: ['tasks_list'] }), first)
    for (let n = 0; n < 300; n++) view(undefined, 'write', { exclude: [`tool_${n}`] })
    assert.notEqual(view(undefined, 'write', { only: ['tasks_list'] }), first)
  })
})

test("instructions contain the parts whose tools are in the view, and the host's part if a tool asks", () => {
  const about = spec('about', {
    tools: [
      tool('about_get'),
      tool('about_set', { class: 'W' }),
      tool('about_drop', { class: 'WD', confirm: () => 'Drop' }),
    ],
    contributes: [
      instructions({ rank: 90, text: 'Last.' }),
      instructions({ rank: 1, text: 'First.' }),
      instructions({ rank: 5, text: 'Both.', tools: ['about_get', 'about_set'] }),
      instructions({ rank: 6, text: 'Off.', tools: ['elsewhere_get'] }),
    ],
  })
  const from = compilePlugins([about])
  const readInstructions = (scope: 'read' | 'write', rest: object = {}) =>
    view(undefined, scope, rest, from).instructions.split('\n')
  assert.deepEqual(readInstructions('read'), ['First.', 'Last.'])
  assert.deepEqual(readInstructions('write', { exclude: ['about_drop'] }), ['First.', 'Both.', 'Last.'])
  const [first, both, confirmation, last] = readInstructions('write')
  assert.deepEqual([first, both, last], ['First.', 'Both.', 'Last.'])
  assert.match(confirmation!, /confirm_token/)
})

describe('the order', () => {
  test('follows the ranks, whatever the order of the config', () => {
    const ranks = [...registry.tools.values()].map(({ tool: { rank = 500 } }) => rank)
    assert.deepEqual(
      ranks,
      ranks.toSorted((a, b) => a - b),
    )
    for (const shuffled of [
      added.toReversed(),
      added.toSorted((a, b) => (a.spec.version + a.spec.name.at(-1)! < b.spec.version + b.spec.name.at(-1)! ? 1 : -1)),
    ]) {
      const again = compile(shuffled, config.profiles)
      assert.equal(view(undefined, 'write', {}, again).toolsJson, view(undefined, 'write').toolsJson)
      assert.deepEqual(
        again.plugins.map(({ name }) => name),
        registry.plugins.map(({ name }) => name),
      )
    }
  })

  test('of tools with equal rank follows their declarations, plugin by plugin', () => {
    const b = spec('b', { tools: [tool('b_two', { rank: 7 }), tool('b_one', { rank: 7 })] })
    const a = spec('a', {
      dependsOn: ['b'],
      tools: [tool('a_one', { rank: 7 }), tool('a_first', { rank: 1 }), tool('a_last')],
    })
    assert.deepEqual([...compilePlugins([a, b]).tools.keys()], ['a_first', 'b_two', 'b_one', 'a_one', 'a_last'])
  })
})

describe('profiles of operators', () => {
  const plugins: readonly PluginSpec[] = [
    spec('notes', {
      tools: [tool('notes_get'), tool('notes_set', { class: 'W' }), tool('notes_drop', { class: 'WD' })],
    }),
    spec('areas', {
      tools: [tool('areas_get'), tool('areas_set', { class: 'W' }), tool('areas_ask', { group: 'notes' })],
    }),
  ]
  const shown = (profiles: Record<string, object>, profile: string): string[] =>
    names(view(profile, 'write', {}, compilePlugins(plugins, profiles))).toSorted()

  verifies('profiles.operator', 'select groups, with a star for the others, and may extend each other', () => {
    const profiles = {
      viewer: { '*': ['R'] },
      writer: { extends: 'viewer', notes: ['R', 'W'] },
      editor: { extends: 'writer', areas: [], '*': ['R', 'W'] },
    }
    assert.deepEqual(shown(profiles, 'viewer'), ['areas_ask', 'areas_get', 'notes_get'])
    assert.deepEqual(shown(profiles, 'writer'), ['areas_ask', 'areas_get', 'notes_get', 'notes_set'])
    assert.deepEqual(shown(profiles, 'editor'), ['areas_ask', 'notes_get', 'notes_set'])
    assert.deepEqual(shown({ none: {} }, 'none'), [])
  })

  test('name single tools in addition to groups and to the profile they extend', () => {
    const profiles = {
      few: { tools: ['areas_set', 'notes_get', 'not_there'] },
      more: { extends: 'few', tools: ['notes_drop'], areas: ['R'] },
      none: { extends: 'few', areas: [], notes: [] },
    }
    assert.deepEqual(shown(profiles, 'few'), ['areas_set', 'notes_get'])
    assert.deepEqual(shown(profiles, 'more'), ['areas_get', 'areas_set', 'notes_drop', 'notes_get'])
    assert.deepEqual(shown(profiles, 'none'), ['areas_set', 'notes_get'])
    const few = compilePlugins(plugins, profiles)
    assert.deepEqual(names(view('few', 'read', {}, few)), ['notes_get'])
    assert.deepEqual([...view('few', 'read', {}, few).needWrite.keys()], ['areas_set'])
  })

  test('cannot select groups named like their other keys', () => {
    for (const group of ['tools', 'extends']) {
      assertRefused(
        [spec('x', { tools: [tool('x_get', { group })] })],
        'tool x_get of plugin x',
        `group ${group} is a reserved key`,
      )
      assertRefused([spec('x', { group, tools: [tool('x_get')] })], `group ${group} is a reserved key`)
    }
  })

  test('stop the boot if they extend an unknown profile or each other', () => {
    const fails = (profiles: Record<string, object>, message: RegExp) =>
      assert.throws(
        () => compilePlugins(plugins, profiles),
        (error: unknown) => error instanceof HostError && message.test(error.message),
      )
    fails({ a: { extends: 'b' } }, /profile a extends b, which does not exist/)
    fails({ a: { extends: 'constructor' } }, /profile a extends constructor, which does not exist/)
    fails({ x: { extends: 'a' }, a: { extends: 'b' }, b: { extends: 'a' } }, /circle: a → b → a/)
  })
})
