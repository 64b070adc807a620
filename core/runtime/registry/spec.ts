import { Value } from '@sinclair/typebox/value'
import { asHostError, HostError } from '../../plugin/errors.ts'
import * as hostActions from '../audit/actions.ts'
import { API_LEVEL, type PluginSpec } from '../../plugin/plugin.ts'

const NAME = /^[a-z][a-z0-9_]{0,40}$/
/** A plugin's name is also its database schema; these names exist already or are reserved. */
const RESERVED_SCHEMA = /^(core|core_.*|public|information_schema|pg_.*)$/
const MIGRATION = /^\d{4}_[a-z0-9_]+$/
const COMMAND = /^([a-z][a-z0-9-]*) [a-z][a-z0-9-]*$/
/** First words of the host's commands. A plugin's command could not be reached by them, or would replace one of the host. */
const HOST_COMMANDS =
  /^(audit|backup|config|copy|doctor|help|migrate|migration|plugins?|purge|restore|start|token|user|version)$/
const AUDIT_ACTION = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/
const coreActionNames = new Set(Object.values(hostActions).map(action => action.name))
/** A version of npm. */
const VERSION = /^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/
const CRON = /^\S+( \S+){4}$/

/** Checks a plugin's declaration before any of its code runs. @throws HostError that names the plugin, the problem and the fix */
export function checkSpec(spec: PluginSpec): void {
  const { name } = spec
  if (typeof name !== 'string' || !NAME.test(name) || RESERVED_SCHEMA.test(name))
    throw new HostError(
      `plugin name "${name}" is not usable, because it is also a database schema: rename the plugin; a name is at most 41 lower case letters, digits and _, and none that PostgreSQL or the host has (core, public, pg_…)`,
    )
  if (spec.api !== API_LEVEL)
    throw new HostError(
      `plugin ${name} was written for contract level ${spec.api}; this host offers ${API_LEVEL}: install a version of it that fits`,
    )
  try {
    for (const problem of problemsOf(spec)) throw new HostError(`plugin ${name}: ${problem}`)
  } catch (error) {
    throw asHostError(`plugin ${name} is malformed`, error)
  }
}

function* problemsOf(spec: PluginSpec): Iterable<string> {
  const { name, config, points = [] } = spec
  yield* listProblems(spec)
  yield* versionProblems(spec)
  yield* wrongContributions(spec)
  yield* undeclaredPlugins(spec)
  if (config && config.plugin !== name)
    yield `it declares the config of ${config.plugin}; call defineConfig('${name}', …)`
  for (const { id } of points)
    if (!id.startsWith(`${name}.`)) yield `it owns the point ${id}; rename that to ${name}.<list>`
  yield* jobProblems(spec)
  yield* nameProblems(spec)
  yield* eagerImports(spec)
}

const LISTS = ['tools', 'prompts', 'resources', 'jobs', 'commands', 'claims', 'auditActions', 'points'] as const

function* listProblems(spec: PluginSpec): Iterable<string> {
  for (const list of LISTS)
    if (!Array.isArray(spec[list] ?? []) || spec[list]?.some(member => !member))
      yield `its ${list} must be a list of definitions; modules that import each other may leave one undefined`
}

function* versionProblems({ name, version, compatibleFrom = version, notExported = [] }: PluginSpec): Iterable<string> {
  for (const [member, value] of Object.entries({ version, compatibleFrom }))
    if (!VERSION.test(value)) yield `its ${member} is "${value}"; write an npm version, as 1.2.3`
  for (const table of notExported)
    if (!table.startsWith(`${name}.`))
      yield `its notExported names ${table}; name tables of its own, as ${name}.<table>`
}

function* jobProblems({ name, jobs = [] }: PluginSpec): Iterable<string> {
  for (const { name: job, schedule, atStart, payload, run } of jobs) {
    if (!/^[a-z0-9_]+$/.test(job.startsWith(`${name}.`) ? job.slice(name.length + 1) : ''))
      yield `it has a job named ${job}; rename that to ${name}.<lower case letters, digits and _>`
    if (typeof run !== 'function') yield `its job ${job} has no function run`
    if (atStart !== undefined && !Value.Check(payload, atStart))
      yield `atStart of job ${job} is no payload of it; give one that its schema allows`
    if (schedule === undefined) continue
    if (!CRON.test(schedule)) yield `the schedule "${schedule}" of job ${job} must be a cron expression of five fields`
    if (!Value.Check(payload, {})) yield `job ${job} has a schedule, so its payload must allow {}`
  }
}

/** Finds commands and audit actions with names that are malformed or the host's. */
function* nameProblems({ commands = [], auditActions = [] }: PluginSpec): Iterable<string> {
  for (const { name: command, args, positional = [], files = [], output } of commands) {
    const first = COMMAND.exec(command)?.[1]
    if (first === undefined) yield `it has a command "${command}"; a command is two words of lower case letters`
    else if (HOST_COMMANDS.test(first)) yield `it has a command "${command}", but "${first}" is the host's; rename it`
    const unknown = [...positional, ...files, output].find(arg => arg !== undefined && !(arg in args.properties))
    if (unknown !== undefined)
      yield `its command "${command}" names the argument ${unknown}; its args are ${Object.keys(args.properties).join(', ') || 'none'}`
  }
  for (const { name: action } of auditActions) {
    if (!AUDIT_ACTION.test(action))
      yield `it has an audit action "${action}"; rename that to <what>.<happened>, as in token.issued`
    else if (coreActionNames.has(action)) yield `it has an audit action ${action}, which is the host's; rename it`
  }
}

/** Finds entities and migrations that are not lazy imports, and migrations with malformed names. */
function* eagerImports({ entities, migrations = {} }: PluginSpec): Iterable<string> {
  if (entities && !isImport(entities))
    yield `its entities are to be imported when they are needed: entities: () => import('./entities.js')`
  for (const [migration, load] of Object.entries(migrations)) {
    if (!MIGRATION.test(migration)) yield `it has a migration "${migration}"; rename that to NNNN_what, as in 0001_init`
    else if (!isImport(load))
      yield `its migrations are to be imported when they are needed: '${migration}': () => import('./${migration}.js')`
  }
}

/** Finds contributions that are none, have no value, or are not lazy imports. */
function* wrongContributions({ contributes = [] }: PluginSpec): Iterable<string> {
  for (const contribution of contributes) {
    if (!('point' in Object(contribution) || 'load' in Object(contribution)))
      yield 'a member of its contributes is no contribution; call the point, and spread lists of contributions'
    if ('point' in contribution && contribution.value === undefined)
      yield `what it contributes to ${contribution.point} is undefined; modules that import each other may cause this`
    if ('load' in contribution && !isImport(contribution.load))
      yield `its lazy contributions are to be imported when they are needed: lazyContributions(['${contribution.needs[0]}'], () => import('./on-${contribution.needs[0]}.js'))`
  }
}

/** Finds plugins that are used without being declared as dependencies. */
function* undeclaredPlugins(spec: PluginSpec): Iterable<string> {
  const { name, dependsOn = [], optionalDependsOn = [], tools, contributes } = spec
  for (const other of optionalDependsOn) {
    if (other === name) yield 'it depends on itself; take that out of optionalDependsOn'
    if (dependsOn.includes(other)) yield `it depends on ${other} anyway; take that out of optionalDependsOn`
  }
  const declared = new Set(['core', name, ...dependsOn, ...optionalDependsOn])
  const fix = (other: string): string => `name ${other} in optionalDependsOn, or in dependsOn if it cannot do without`
  for (const { name: tool, needs = [] } of tools ?? []) {
    const other = needs.find(needed => !declared.has(needed))
    if (other !== undefined) yield `its tool ${tool} needs ${other}: ${fix(other)}`
  }
  for (const contribution of contributes ?? []) {
    const owner = 'point' in contribution ? contribution.point.split('.', 1) : []
    const other = [...owner, ...(contribution.needs ?? [])].find(needed => !declared.has(needed))
    if (other !== undefined)
      yield `it contributes ${'point' in contribution ? `to ${contribution.point}` : 'lazily'} where ${other} is on: ${fix(other)}`
  }
}

/** Returns whether a value is an arrow function or method, as opposed to the class that it should import. */
function isImport(value: unknown): boolean {
  return typeof value === 'function' && !('prototype' in value)
}
