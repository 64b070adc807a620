import { Type, TypeGuard, type TObject, type TProperties } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import { HostError } from '../../plugin/errors.ts'
import { guarded, nullable, widen } from '../../plugin/fields.ts'
import { featureGuards } from '../../plugin/host-points.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import type { All } from '../../plugin/point.ts'
import type { Tool } from '../../plugin/tool.ts'
import { withBounds } from './bounds.ts'
import { inputProblem, outputProblem } from './input-rules.ts'
import { listTool, paramHeaders } from './listed.ts'
import type { Points } from './points.ts'
import { RESERVED_KEYS } from './profiles.ts'
import type { CompiledTool, SchemaCheck } from './types.ts'
import { collectUnique } from './unique.ts'

const CONFIRM: TProperties = {
  confirm_token: guarded(Type.String({ description: 'From confirmation_required.' }), { maxLength: 200 }),
}
const WRITE_EXTRAS: TProperties = {
  replayed: Type.Boolean({ description: 'True when an earlier call with the same idempotency key had this result.' }),
}
/** What the host adds to a list that it cuts. */
const CUT: TProperties = {
  has_more: Type.Boolean(),
  next_offset: nullable(Type.Integer()),
  warnings: Type.Array(Type.String()),
}
const CLASSES = ['R', 'W', 'WD']

/** Checks and compiles all tools, except those that need a disabled plugin. @throws HostError */
export function compileTools(plugins: readonly PluginSpec[], points: Points) {
  const enabled = new Set(plugins.map(spec => spec.name))
  const missing = ({ needs = [] }: Tool): readonly string[] => needs.filter(name => !enabled.has(name))
  const owner = new Map(plugins.flatMap(spec => (spec.tools ?? []).map(tool => [tool, spec] as const)))
  const declared = [...collectUnique<Tool>(plugins, 'tool', spec => spec.tools).values()]
  const tools = declared.filter(tool => missing(tool).length === 0)
  // The sort is stable, so the list is the same at every boot.
  const ranked = tools.sort((a, b) => (a.rank ?? 500) - (b.rank ?? 500))
  return {
    tools: new Map(ranked.map(tool => [tool.name, compileTool(tool, owner.get(tool)!, points)])),
    /** As `plugin → needed plugin (tool)`. */
    skipped: declared.flatMap(tool => missing(tool).map(name => `${owner.get(tool)!.name} → ${name} (${tool.name})`)),
  }
}

function compileTool(tool: Tool, plugin: PluginSpec, points: Points): CompiledTool {
  const fail = (problem: string): never => {
    throw new HostError(`tool ${tool.name} of plugin ${plugin.name}: ${problem}`)
  }
  const group = tool.group ?? plugin.group
  const problem = declarationProblem(tool, group) ?? gateProblem(tool, points.all)
  if (problem !== null) fail(problem)
  const { input, output } = buildSchemas(tool, points, fail)
  return {
    name: tool.name,
    class: tool.class,
    group,
    plugin,
    tool,
    input,
    output,
    check: checkOf(input),
    checkOutput: output && checkOf(output),
    paramHeaders: paramHeaders(input),
    listed: listTool(tool, input, output),
  }
}

function declarationProblem({ name, title, summary, confirm, ...tool }: Tool, group: string): string | null {
  if (!/^[a-z][a-z0-9_]{2,45}$/.test(name)) return 'a tool name is 3 to 46 lower case letters, digits and _'
  if (!CLASSES.includes(tool.class)) return `class must be one of ${CLASSES.join(', ')}`
  if (!title?.trim() || !summary?.trim()) return 'title and summary must not be empty; models choose tools by them'
  if (typeof tool.run !== 'function') return 'it has no function run'
  if (confirm && tool.class !== 'WD') return 'only WD tools may ask for a confirmation'
  return RESERVED_KEYS.includes(group) ? `group ${group} is a reserved key of profiles; rename the group` : null
}

function gateProblem({ gates = [] }: Tool, all: All): string | null {
  const guards = all(featureGuards)
  const features = guards.flatMap(guard => guard.features ?? [])
  const unknown = gates.find(gate => !features.includes(gate))
  if (unknown === undefined || features.length === 0 || guards.some(guard => !guard.features)) return null
  return `gates names "${unknown}"; the feature switches are ${features.join(', ')}`
}

function schemaProblem({ rows }: Tool, { input, output }: Schemas): string | null {
  const problem = inputProblem(input) ?? (output && outputProblem(output))
  if (problem !== null) return problem
  if (!TypeGuard.IsSchema(input) || (output && !TypeGuard.IsSchema(output)))
    return 'its schemas hold something that is not made by Type; build them with what tasuki/plugin exports'
  const isList = rows === undefined || output?.properties[rows]?.['type'] === 'array'
  return isList ? null : `rows names "${rows}", which is not a list of its output`
}

/** Compiles the check on first use, because compiling all of them would slow the start down. */
function checkOf(schema: TObject): SchemaCheck {
  let compiled: TypeCheck<TObject> | undefined
  const check = (): TypeCheck<TObject> => (compiled ??= TypeCompiler.Compile(schema))
  return { Check: value => check().Check(value), Errors: value => check().Errors(value) }
}

interface Schemas {
  readonly input: TObject
  readonly output: TObject | null
}

function buildSchemas(tool: Tool, points: Points, fail: (problem: string) => never): Schemas {
  const build = (all: All): Schemas => {
    const schemas = schemasOf(tool, all)
    const problem = schemaProblem(tool, schemas)
    if (problem !== null) throw new HostError(problem)
    return schemas
  }
  try {
    return build(points.all)
  } catch (error) {
    return fail(`${(error as Error).message}${points.blame(build)}`)
  }
}

function cutExtras(input: TObject, output: TObject | null): TProperties {
  const extras = Object.entries(CUT).filter(
    ([name]) => !(name in (output?.properties ?? {})) && (name !== 'next_offset' || 'offset' in input.properties),
  )
  return Object.fromEntries(extras)
}

function schemasOf(tool: Tool, all: All): Schemas {
  const base = typeof tool.input === 'function' ? tool.input(all) : tool.input
  const declared = typeof tool.output === 'function' ? tool.output(all) : (tool.output ?? null)
  // Unknown parameters are rejected unless the schema allows them.
  const closed: TObject = base.additionalProperties === undefined ? { ...base, additionalProperties: false } : base
  const added = tool.class !== 'R' ? WRITE_EXTRAS : tool.rows === undefined ? null : cutExtras(base, declared)
  return {
    input: withBounds(tool.confirm ? widen(closed, [{ from: 'the host', properties: CONFIRM }]) : closed),
    output: declared && added ? widen(declared, [{ from: 'the host', properties: added }]) : declared,
  }
}
