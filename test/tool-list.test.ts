import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { loadConfig } from '../core/config/load.ts'
import { loadPlugins } from '../core/config/plugins.ts'
import { compile } from '../core/registry/compile.ts'
import type { CompiledTool, View } from '../core/registry/types.ts'
import { CATALOG } from './catalog.ts'
import { verifies } from './verifies.ts'

const config = await loadConfig(undefined)
const plugins = (await loadPlugins(config, process.cwd())).map(({ plugin, options }) => ({
  spec: plugin.spec,
  options,
}))
const registry = compile(plugins, { profiles: config.profiles })
const view = (profile: string, scope: 'read' | 'write' = 'write'): View => registry.view({ profile, scope })!
const ofClass = (tools: Iterable<CompiledTool>, ...classes: string[]): number =>
  [...tools].filter(tool => classes.includes(tool.class)).length

/** What a model is shown of a tool. */
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

verifies(
  'catalog.groups',
  'a group of tools, by which profiles choose, never crosses the groups of the catalog',
  () => {
    const groups = new Map<string, Set<string>>()
    for (const { name, group } of CATALOG) {
      const own = registry.tools.get(name)!.group
      groups.set(own, (groups.get(own) ?? new Set()).add(group))
    }
    for (const [own, theirs] of groups) assert.equal(theirs.size, 1, `${own} is ${[...theirs].join(' and ')}`)
  },
)

verifies('tools_list.order', 'the list has one order, most used first, and each view keeps it', () => {
  const order = [...registry.tools.keys()]
  assert.deepEqual(order.slice(0, 5), ['tasks_list', 'items_get', 'items_context_get', 'items_create', 'items_patch'])
  for (const profile of registry.profiles) {
    const names = [...view(profile).tools.keys()]
    assert.deepEqual(
      names,
      order.filter(name => names.includes(name)),
      profile,
    )
  }
  // Some clients cut the tail: what writes definitions comes after what works with items.
  const place = (name: string): number => order.indexOf(name)
  for (const rare of ['workflow_states_create', 'project_custom_fields_create', 'workflow_transitions_update'])
    for (const common of ['notes_create', 'query', 'discussions_create', 'reminders_create', 'me_overview'])
      assert.ok(place(common) < place(rare), `${common} comes before ${rare}`)
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

verifies('instructions.size', 'the instructions are at most 500 tokens', t => {
  const size = encode(registry.instructions).length
  t.diagnostic(`${size} tokens`)
  assert.ok(size > 50 && size <= 500, `${size} tokens`)
})

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
