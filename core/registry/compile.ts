import { Type, type TObject, type TProperties } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import type { Command } from '../plugin/command.ts'
import type { ConfigKey } from '../plugin/config.ts'
import { HostError } from '../plugin/errors.ts'
import type { Fact } from '../plugin/fact.ts'
import { widen } from '../plugin/fields.ts'
import { gateKeepers, instructions, userCreated } from '../plugin/host-points.ts'
import type { Job } from '../plugin/job.ts'
import { API_LEVEL, type PluginSpec } from '../plugin/plugin.ts'
import type { All, Point } from '../plugin/point.ts'
import type { Prompt, Resource } from '../plugin/resource.ts'
import type { Tool } from '../plugin/tool.ts'
import { listTool, paramHeaders } from './listed.ts'
import { dependencyOrder } from './order.ts'
import { profileRules, type Profiles } from './profiles.ts'
import type { CompiledTool, Registry } from './types.ts'
import { viewFactory } from './views.ts'

export interface AddedPlugin {
  readonly spec: PluginSpec
  readonly options: object
}
export interface RegistrySettings {
  readonly profiles: Profiles
}

const HOST_POINTS = new Set([userCreated.id, gateKeepers.id, instructions.id])
const NONE: readonly never[] = Object.freeze([])
const NAME = /^[a-z][a-z0-9_]{0,40}$/

/**
 * Turns declarations into the frozen tables that every request reads; runs once, before the database is opened.
 * @throws HostError naming plugin, problem and fix.
 */
export function compile(added: readonly AddedPlugin[], settings: RegistrySettings): Registry {
  const ordered = dependencyOrder(added)
  for (const { spec } of ordered) checkSpec(spec)
  const { all, skipped } = collectPoints(ordered)
  const configs = new Map(
    ordered.flatMap(plugin => (plugin.spec.config ? [[plugin.spec.name, checkedConfig(plugin)]] : [])),
  )
  const plugins = ordered.map(plugin => plugin.spec)
  checkEntities(plugins)
  const tools = compileTools(plugins, all)
  return {
    plugins,
    tools,
    prompts: unique<Prompt>(plugins, 'prompt', spec => spec.prompts),
    resources: [...unique<Resource>(plugins, 'resource', spec => spec.resources).values()],
    facts: [...unique<Fact<unknown>>(plugins, 'fact', spec => spec.facts).values()],
    jobs: [...unique<Job>(plugins, 'job', spec => spec.jobs).values()],
    commands: unique<Command>(plugins, 'command', spec => spec.commands),
    profiles: Object.keys(settings.profiles),
    instructions: [...all(instructions)]
      .sort((a, b) => a.rank - b.rank)
      .map(part => part.text)
      .join('\n'),
    skipped,
    all,
    config: <T>(key: ConfigKey<T>) => configs.get(key.plugin) as T,
    view: viewFactory(tools, profileRules(settings.profiles)),
  }
}

function checkSpec(spec: PluginSpec): void {
  if (!NAME.test(spec.name) || spec.name === 'core') {
    throw new HostError(
      `plugin name "${spec.name}" is not usable: lower case letters, digits and _, at most 41, not "core"`,
    )
  }
  if (spec.api !== API_LEVEL) {
    throw new HostError(
      `plugin ${spec.name} was written for contract level ${spec.api}; this host offers ${API_LEVEL}: install a version of it that fits`,
    )
  }
  if (spec.config && spec.config.plugin !== spec.name)
    throw new HostError(`plugin ${spec.name} declares the config of ${spec.config.plugin}`)
}

function collectPoints(ordered: readonly AddedPlugin[]): { all: All; skipped: string[] } {
  const known = new Set([...HOST_POINTS, ...ordered.flatMap(({ spec }) => (spec.points ?? []).map(point => point.id))])
  const enabled = new Set(['core', ...ordered.map(({ spec }) => spec.name)])
  const values = new Map<string, unknown[]>()
  const skipped: string[] = []
  for (const { spec } of ordered) {
    for (const { point, value } of spec.contributes ?? []) {
      const owner = point.split('.', 1)[0]!
      if (!enabled.has(owner)) skipped.push(`${spec.name} → ${point}`)
      else if (!known.has(point))
        throw new HostError(
          `plugin ${spec.name} contributes to ${point}, but ${owner} has no such point: check its spelling and the version of ${owner}`,
        )
      else values.set(point, [...(values.get(point) ?? []), value])
    }
  }
  for (const list of values.values()) Object.freeze(list)
  return { all: <T>(point: Point<T>) => (values.get(point.id) ?? NONE) as readonly T[], skipped }
}

function checkedConfig({ spec, options }: AddedPlugin): unknown {
  const { schema } = spec.config!
  const value = Value.Default(schema, structuredClone(options))
  const error = Value.Errors(schema, value).First()
  if (error)
    throw new HostError(`config of ${spec.name}${error.path}: ${error.message}, got ${JSON.stringify(error.value)}`)
  return Object.freeze(value)
}

function checkEntities(plugins: readonly PluginSpec[]): void {
  const owners = new Map<string, string>()
  for (const spec of plugins) {
    for (const entity of spec.entities ?? []) {
      const { className, schema } = entity.meta
      if (schema !== spec.name)
        throw new HostError(
          `entity ${className} of plugin ${spec.name} lies in schema "${schema ?? ''}"; set schema: '${spec.name}'`,
        )
      const other = owners.get(className)
      if (other)
        throw new HostError(`entity ${className} is defined by both ${other} and ${spec.name}; rename one of them`)
      owners.set(className, spec.name)
    }
  }
}

function unique<T extends { readonly name: string }>(
  plugins: readonly PluginSpec[],
  what: string,
  of: (spec: PluginSpec) => readonly T[] | undefined,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  const owners = new Map<string, string>()
  for (const spec of plugins) {
    for (const value of of(spec) ?? []) {
      const other = owners.get(value.name)
      if (other)
        throw new HostError(
          `${what} ${value.name} is defined by both ${other} and ${spec.name}; rename one of them or switch one plugin off`,
        )
      owners.set(value.name, spec.name)
      found.set(value.name, value)
    }
  }
  return found
}

function compileTools(plugins: readonly PluginSpec[], all: All): ReadonlyMap<string, CompiledTool> {
  const owner = new Map(plugins.flatMap(spec => (spec.tools ?? []).map(tool => [tool, spec] as const)))
  const tools = [...unique<Tool>(plugins, 'tool', spec => spec.tools).values()]
  // Ties keep the order of the declarations, so that the list is the same at every boot.
  const ranked = tools.sort((a, b) => (a.rank ?? 500) - (b.rank ?? 500))
  return new Map(ranked.map(tool => [tool.name, compileTool(tool, owner.get(tool)!, all)]))
}

const CONFIRM: TProperties = {
  confirm_token: Type.String({ description: 'From a confirmation_required answer; good once.', maxLength: 200 }),
}
const WRITE_EXTRAS: TProperties = {
  replayed: Type.Boolean({ description: 'True when an earlier call with the same idempotency key had this result.' }),
}

function compileTool(tool: Tool, plugin: PluginSpec, all: All): CompiledTool {
  const fail = (problem: string): never => {
    throw new HostError(`tool ${tool.name} of plugin ${plugin.name}: ${problem}`)
  }
  if (!/^[a-z][a-z0-9_]{2,45}$/.test(tool.name)) fail('a tool name is 3 to 46 lower case letters, digits and _')
  if (!tool.title || !tool.summary) fail('title and summary must not be empty; models choose tools by them')
  if (tool.confirm && tool.class !== 'WD') fail('only WD tools may ask for a confirmation')
  let input: TObject, output: TObject | null
  try {
    const base = typeof tool.input === 'function' ? tool.input(all) : tool.input
    const declared = typeof tool.output === 'function' ? tool.output(all) : (tool.output ?? null)
    input = tool.confirm ? widen(base, [{ from: 'the host', properties: CONFIRM }]) : base
    output =
      declared && tool.class !== 'R' ? widen(declared, [{ from: 'the host', properties: WRITE_EXTRAS }]) : declared
  } catch (error) {
    return fail((error as Error).message)
  }
  if (tool.rows !== undefined && output?.properties[tool.rows]?.['type'] !== 'array')
    fail(`rows names "${tool.rows}", which is not a list of its output`)
  const group = tool.group ?? plugin.group
  return {
    name: tool.name,
    class: tool.class,
    group,
    plugin,
    tool,
    input,
    output,
    check: TypeCompiler.Compile(input),
    checkOutput: output && TypeCompiler.Compile(output),
    paramHeaders: paramHeaders(input),
    listed: listTool(tool, input, output),
  }
}
