import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { testHost, type TestCaller } from 'tasuki/testing'
import { compile } from '../core/runtime/registry/compile.ts'
import { removeHiddenMentions } from '../core/runtime/registry/mentions.ts'
import type { View } from '../core/runtime/registry/types.ts'
import type { JsonSchema } from './arguments.ts'
import { config, configOf, names, namesWithout, specs, withDependencies } from './plugin-words.ts'

/** Every built-in tool with its plugin. */
const OWNERS = new Map([...specs].flatMap(([name, { tools = [] }]) => tools.map(tool => [tool.name, name] as const)))
const NAME = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g
const toolsIn = (text: string): string[] =>
  [...text.matchAll(NAME)].flatMap(([name]) => (OWNERS.has(name) ? [name] : []))

describe('texts that name tools', () => {
  const hides = (name: string): boolean => ['b_make', 'c_make'].includes(name)

  test('sentences and clauses that name a hidden tool are removed, and the rest stays readable', () => {
    for (const [text, expected] of [
      ['a_list shows them; b_make makes one.', 'a_list shows them.'],
      ['b_make makes one; the portal does too.', 'The portal does too.'],
      ['b_make makes one; a_list shows them.', 'a_list shows them.'],
      ['Choose another. Or use c_make x=true. Or wait.', 'Choose another. Or wait.'],
      ['Use b_make, or c_make.', ''],
      ['a_b_make and b_makes are other words.', 'a_b_make and b_makes are other words.'],
    ] as const) {
      assert.equal(removeHiddenMentions(text, hides), expected)
    }
  })

  test('a text names only tools of its own plugin and its dependencies, because others may be off', async () => {
    const found: string[] = []
    for (const [plugin, { tools = [] }] of specs) {
      const near = new Set([plugin, ...tools.flatMap(tool => tool.needs ?? [])].flatMap(withDependencies))
      for (const { file, text } of await literals(join('plugins', plugin)))
        for (const name of toolsIn(text)) if (!near.has(OWNERS.get(name)!)) found.push(`${file} names ${name}: ${text}`)
    }
    assert.deepEqual(found, [])
  })

  const all = [...specs.values()].map(spec => ({ spec, options: {} }))
  const registry = compile(all, config.profiles)
  const views = ['full-access', 'task-assistant', 'project-ops'].flatMap(profile =>
    (['read', 'write'] as const).map(scope => registry.view({ profile, scope })!),
  )
  const [first] = views
  const narrowed = registry.view({
    profile: undefined,
    scope: 'write',
    only: [...first!.tools.keys()].filter((_, n) => n % 3 === 0),
  })!

  test('descriptions name no unlisted tool, and each tool keeps a description', () => {
    for (const view of [...views, narrowed]) {
      const label = `${view.profile} ${view.scope}`
      const listed = JSON.parse(view.toolsJson) as { name: string; description: string }[]
      assert.deepEqual(new Set(toolsIn(view.toolsJson)), new Set([...view.tools.keys()].filter(isName)), label)
      assert.deepEqual(
        listed.map(({ name }) => name),
        [...view.tools.keys()],
      )
      for (const { name, description } of listed) {
        assert.ok(description.trim().length > 0, name)
        if (view !== narrowed) assert.notEqual(description, view.tools.get(name)!.tool.title, `${label} ${name}`)
      }
    }
    assert.ok(
      views.some(({ toolsJson, tools }) => toolsJson !== jsonOf(tools)),
      'some views leave a text out',
    )
  })

  test('a connection with all tools gets every text unchanged', () => {
    const { toolsJson, tools, hides: hidden } = registry.view({ profile: 'full-access', scope: 'write' })!
    assert.equal(hidden, null)
    assert.equal(toolsJson, jsonOf(tools))
  })
})

const isName = (name: string): boolean => name.includes('_')
const jsonOf = (tools: View['tools']): string => JSON.stringify([...tools.values()].map(({ listed }) => listed))

interface Literal {
  readonly file: string
  readonly text: string
}

/** Returns all string literals with several words in the sources of a folder. */
async function literals(folder: string): Promise<Literal[]> {
  const files = (await readdir(folder, { recursive: true })).filter(file => file.endsWith('.ts'))
  const found = await Promise.all(
    files.map(async file => {
      const source = (await readFile(join(folder, file), 'utf8')).replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')
      // The host removes prompt steps whose tools are missing; prompts.test.ts covers that.
      if (source.includes('promptSteps(')) return []
      const texts = source.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []
      return texts.filter(text => /\s/.test(text)).map(text => ({ file: join(folder, file), text }))
    }),
  )
  return found.flat()
}

/** Generates values that match a parameter; some of them name no record. */
function attempts(
  name: string,
  { type, enum: choices, items, anyOf }: JsonSchema & Record<string, unknown>,
): unknown[] {
  const schema = (anyOf as JsonSchema[] | undefined)?.find(variant => variant.type !== 'null')
  if (schema) return attempts(name, schema as JsonSchema & Record<string, unknown>)
  if (choices) return choices as unknown[]
  if (name === 'project_key') return ['INBOX', 'NONE']
  if (/(?:^|_)ref$/.test(name)) return ['#1', '#2', '#99', 'ABC-7']
  if (type === 'string')
    return ['nothing', '@next', '2026-01-05', '01890000-0000-7000-8000-000000000000', 'x'.repeat(50)]
  if (type === 'boolean') return [true, false]
  if (type === 'array') {
    const values = attempts(name.replace(/s$/, ''), (items ?? {}) as JsonSchema & Record<string, unknown>)
    return [values.slice(0, 2), [values[0], values.at(-1)]]
  }
  return type === 'object' ? [{}] : [5]
}

/**
 * Calls the listed tools with arguments that mostly name no record. @returns the number of refusals, and the unlisted tools that answers
 * mention
 */
async function provoke(caller: TestCaller, query: string | undefined): Promise<{ refused: number; beyond: string[] }> {
  const listed = await caller.listTools(query)
  const shown = new Set(listed.map(({ name }) => name))
  const beyond: string[] = []
  let refused = 0
  for (const { name, inputSchema } of listed) {
    const { properties = {}, required = [] } = inputSchema as JsonSchema & {
      properties?: Record<string, JsonSchema & Record<string, unknown>>
    }
    const base = Object.fromEntries(required.map(key => [key, attempts(key, properties[key]!)[0]]))
    const calls = Object.entries(properties).flatMap(([key, schema]) =>
      attempts(key, schema).map(value => ({ ...base, [key]: value })),
    )
    for (const input of [base, ...calls]) {
      const { body } = await caller.rpc('tools/call', { name, arguments: input }, query === undefined ? {} : { query })
      // Recorded calls, such as the tool of a history entry, are data.
      const said = body.error ?? (body.result.isError ? body.result.content : body.result.structuredContent?.warnings)
      const text = JSON.stringify(said ?? [])
      if (body.result?.isError === true) refused++
      for (const said of toolsIn(text))
        if (!shown.has(said) && said !== name) beyond.push(`${name}: ${said} in ${text}`)
    }
  }
  return { refused, beyond: [...new Set(beyond)] }
}

describe('refusals', () => {
  const readOnly = 'scope read'
  for (const { title, plugins, query, least } of [
    { title: readOnly, plugins: names, query: undefined, least: 60 },
    { title: 'profile task-assistant', plugins: names, query: 'profile=task-assistant', least: 150 },
    { title: 'profile project-ops', plugins: names, query: 'profile=project-ops', least: 200 },
    {
      title: 'some plugins off',
      plugins: namesWithout(['project_admin', 'sprints', 'notes', 'search', 'discussions']),
      query: undefined,
      least: 200,
    },
  ]) {
    test(`with ${title} no answer names an unlisted tool`, async t => {
      const host = await testHost(t, { config: configOf(plugins) })
      for (const title of ['one', 'two']) await host.call('items_create', { project_key: 'INBOX', title })
      const { refused, beyond } = await provoke(title === readOnly ? await host.reader() : host, query)
      assert.deepEqual(beyond, [])
      assert.ok(refused >= least, `${refused} refusals`)
    })
  }
})
