import type { TObject, TSchema } from '@sinclair/typebox'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { loadConfig } from '../core/host/config/load.ts'
import { loadPlugins } from '../core/host/config/plugins.ts'
import { compile } from '../core/runtime/registry/compile.ts'
import type { CompiledTool, Registry, View } from '../core/runtime/registry/types.ts'
import { CATALOG } from './catalog.ts'
import { verifies } from './verifies.ts'

const config = await loadConfig(undefined)
const compiled = async (plugins: typeof config.plugins): Promise<Registry> => {
  const loaded = await loadPlugins({ ...config, plugins }, process.cwd())
  const added = loaded.map(({ plugin, options }) => ({ spec: plugin.spec, options }))
  return compile(added, config.profiles)
}
const registry = await compiled(config.plugins)
const withAdmin = await compiled({ ...config.plugins, project_admin: {} })
const view = (profile: string, scope: 'read' | 'write' = 'write'): View => registry.view({ profile, scope })!
const ofClass = (tools: Iterable<CompiledTool>, ...classes: string[]): number =>
  [...tools].filter(tool => classes.includes(tool.class)).length

/** The parts of a tool that a model sees. */
function visible({ listed: { name, description, inputSchema } }: CompiledTool): object {
  return { name, description, inputSchema }
}
const tokens = ({ tools }: View): number =>
  [...tools.values()].reduce((sum, tool) => sum + encode(JSON.stringify(visible(tool))).length, 0)

verifies(
  ['catalog.hundred', 'catalog.counts'],
  'a default deployment has the 100 tools: 40 read, 60 write, 18 of them destructive',
  () => {
    const tools = [...view('full-access').tools.values()]
    assert.equal(tools.length, 100)
    assert.deepEqual([ofClass(tools, 'R'), ofClass(tools, 'W', 'WD'), ofClass(tools, 'WD')], [40, 60, 18])
    assert.equal(view('full-access', 'read').tools.size, 40)
  },
)

verifies('catalog.profile_counts', 'task-assistant lists 55 tools, project-ops 62, full-access 100', () => {
  const sizes = ['task-assistant', 'project-ops', 'full-access'].map(profile => view(profile).tools.size)
  assert.deepEqual(sizes, [55, 62, 100])
})

verifies('catalog.groups', 'groups of tools agree with the groups of the catalog', () => {
  const groups = new Map<string, Set<string>>()
  for (const { name, group } of CATALOG) {
    const own = registry.tools.get(name)!.group
    groups.set(own, (groups.get(own) ?? new Set()).add(group))
  }
  for (const [own, theirs] of groups) assert.equal(theirs.size, 1, `${own} is ${[...theirs].join(' and ')}`)
})

const order = [...registry.tools.keys()]

verifies('tools_list.order', 'the list is ordered by use, in each view', () => {
  assert.deepEqual(order.slice(0, 8), [
    'me_overview',
    'projects_list',
    'tasks_list',
    'items_get',
    'items_create',
    'items_patch',
    'items_complete',
    'query',
  ])
  for (const profile of registry.profiles) {
    const names = [...view(profile).tools.keys()]
    assert.deepEqual(
      names,
      order.filter(name => names.includes(name)),
      profile,
    )
  }
})

test('every tool has a unique rank', () => {
  const ranks = [...registry.tools.values(), ...withAdmin.tools.values()].map(({ name, tool: { rank } }) => ({
    name,
    rank,
  }))
  assert.deepEqual(
    ranks.filter(({ rank }) => rank === undefined),
    [],
  )
  const names = new Map<number, Set<string>>()
  for (const { name, rank } of ranks) names.set(rank!, (names.get(rank!) ?? new Set()).add(name))
  assert.deepEqual(
    [...names.values()].filter(same => same.size > 1),
    [],
  )
})

/** Everyday tasks, and the tool for each. */
const EVERYDAY: Readonly<Record<string, string>> = {
  'see what is due': 'me_overview',
  'choose a project': 'projects_list',
  'list tasks': 'tasks_list',
  'read one': 'items_get',
  'read it with all that hangs on it': 'items_context_get',
  'create one': 'items_create',
  'change one': 'items_patch',
  'change many, also sprint, area and estimate': 'items_bulk_patch',
  'complete one': 'items_complete',
  'move it on the board': 'items_move_state',
  'know the states': 'workflow_states_list',
  'search words': 'query',
  'learn the filters': 'search_help',
  comment: 'discussions_create',
  'read comments': 'discussions_list',
  'be reminded': 'reminders_create',
  'know the labels': 'project_labels_list',
  'know the sprints': 'sprints_list',
  'plan a sprint': 'sprints_add_item',
  'write a note': 'notes_create',
}
/** Tasks that are done about weekly. */
const WEEKLY: Readonly<Record<string, string>> = {
  'find notes': 'notes_list',
  'read a checklist': 'checklist_list',
  'add a step': 'checklist_add',
  'tick a step': 'checklist_toggle',
  'say that one blocks another': 'relations_create',
  'see what blocks': 'relations_list',
  'see the reminders': 'reminders_list',
  'move a reminder': 'reminders_patch',
  'read the calendar': 'events_list',
  'try a bulk change': 'items_bulk_patch_preview',
  'search exactly': 'items_grep',
  'rewrite a text': 'items_rewrite_detail',
  'let a task recur': 'templates_create',
  'see what recurs': 'task_templates_list',
  'know the areas': 'project_areas_list',
  'ask who changed what': 'activities_list',
  'open a sprint': 'sprints_create',
  'start a sprint': 'sprints_update',
  'close a sprint': 'sprints_close',
  'fill in custom fields': 'items_set_custom_fields',
}

verifies('tools_list.caps', 'the first 20 tools cover a day of work, the first 40 a week', () => {
  assert.deepEqual(order.slice(0, 20).toSorted(), Object.values(EVERYDAY).toSorted())
  assert.deepEqual(order.slice(20, 40).toSorted(), Object.values(WEEKLY).toSorted())
  // A third-party tool without a rank comes next.
  const ranks = order.map(name => registry.tools.get(name)!.tool.rank!)
  assert.ok(ranks[39]! < 500 && ranks[40]! > 500)
})

verifies('profiles.essentials', 'essentials is the first 20 tools, and at most 3,000 tokens', t => {
  const essentials = view('essentials')
  assert.deepEqual([...essentials.tools.keys()], order.slice(0, 20))
  const size = tokens(essentials)
  t.diagnostic(`${size} tokens`)
  assert.ok(size <= 3000, `${size} tokens in essentials`)
  assert.ok(view('essentials', 'read').tools.size >= 10)
})

verifies(
  'tools_list.size',
  'a model reads at most 12,000 tokens of tools, 7,000 as task-assistant, 5,000 with scope read',
  t => {
    const sizes = {
      full: tokens(view('full-access')),
      assistant: tokens(view('task-assistant')),
      read: tokens(view('full-access', 'read')),
    }
    t.diagnostic(JSON.stringify(sizes))
    assert.ok(sizes.full <= 12_000, `${sizes.full} tokens in full-access`)
    assert.ok(sizes.assistant <= 7000, `${sizes.assistant} tokens in task-assistant`)
    assert.ok(sizes.read <= 5000, `${sizes.read} tokens with scope read`)
  },
)

const everyView = [registry, withAdmin].flatMap(from =>
  from.profiles.flatMap(profile => (['read', 'write'] as const).map(scope => from.view({ profile, scope })!)),
)

verifies('instructions.size', 'the instructions are at most 600 characters, and say where to start', t => {
  for (const { profile, scope, instructions, tools } of everyView) {
    assert.ok(instructions.length <= 600, `${instructions.length} characters in ${profile} with scope ${scope}`)
    assert.match(instructions, /^tasuki holds the user's projects and their work items\.\nStart with me_overview/)
    assert.match(instructions, /projects_list has the project keys/)
    const asks = [...tools.values()].some(({ tool }) => tool.confirm)
    assert.equal(instructions.includes('confirm_token'), asks, `${profile} ${scope}`)
  }
  const { instructions } = view('full-access')
  t.diagnostic(`${instructions.length} characters, ${encode(instructions).length} tokens`)
})

verifies('instructions.view', 'the instructions name no tool that the connection does not have', () => {
  const all = [...withAdmin.tools.keys()]
  const narrowed = all.map(name => withAdmin.view({ profile: undefined, scope: 'write', only: [name] })!)
  const fewer = all.map(name => withAdmin.view({ profile: undefined, scope: 'write', exclude: [name] })!)
  for (const { instructions, tools } of [...everyView, ...narrowed, ...fewer]) {
    const mentioned = (instructions.match(/[a-z_]+/g) ?? []).filter(word => all.includes(word))
    assert.deepEqual(
      mentioned.filter(name => !tools.has(name)),
      [],
    )
  }
})

verifies(
  'contract.descriptions',
  'every parameter is described even if the tool that its description names is hidden',
  () => {
    for (const name of withAdmin.tools.keys()) {
      const { toolsJson } = withAdmin.view({ profile: undefined, scope: 'write', only: [name] })!
      const [{ inputSchema }] = JSON.parse(toolsJson) as [{ readonly inputSchema: TObject }]
      for (const [parameter, schema] of Object.entries(inputSchema.properties)) {
        const [inner] = (schema['anyOf'] ?? []) as readonly TSchema[]
        assert.ok(schema.description ?? inner?.description, `${name}.${parameter} has no description`)
      }
    }
  },
)

test('the linter mcpgrade gives the list at least 90', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'tasuki-grade-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'tools.json')
  await writeFile(file, JSON.stringify({ tools: [...registry.tools.values()].map(visible) }))
  const manifest = createRequire(import.meta.url).resolve('mcpgrade/package.json')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(dirname(manifest), 'dist', 'cli.js'), '--snapshot', file, '--json'],
    { maxBuffer: 10_000_000 },
  )
  const report = JSON.parse(stdout) as {
    totalScore: number
    findings: readonly { severity: string; message: string }[]
  }
  t.diagnostic(`score ${report.totalScore}`)
  assert.ok(
    report.totalScore >= 90,
    `${report.totalScore}: ${report.findings
      .slice(0, 20)
      .map(({ message }) => message)
      .join('\n')}`,
  )
})
