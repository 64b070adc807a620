import type { ValueError } from '@sinclair/typebox/errors'
import { Type } from '@sinclair/typebox'
import { Value, ValuePointer } from '@sinclair/typebox/value'
import { contributors } from '../../plugin/contributed-sql.ts'
import { HostError } from '../../plugin/errors.ts'
import * as hostPoints from '../../plugin/host-points.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import type { All, Contribution, ExtensionPoint, PointRules } from '../../plugin/point.ts'
import { signIn } from '../../plugin/sign-in.ts'
import { describeExpectation } from './expectation.ts'

/** Points of the host; a point whose contributions are built by a function has them in `point`. */
const HOST_POINTS = [signIn, ...Object.values(hostPoints)].flatMap(
  (value): Pick<ExtensionPoint<never>, 'id' | 'rules'>[] =>
    'id' in value ? [value] : 'point' in value ? [value.point] : [],
)
const NONE: readonly never[] = Object.freeze([])

/** Contributions of plugins to extension points. */
export interface Points {
  readonly all: All
  /** Returns the plugin that contributed a value. */
  addedBy(value: unknown): string | undefined
  /** Contributions to disabled plugins, as `plugin → point`. */
  readonly skipped: readonly string[]
  /** Names the plugins whose contributions make `build` throw, for an error: without them it succeeds. Empty if there are none. */
  blame(build: (all: All) => unknown): string
}

/** Collects contributions, in dependency order. @throws HostError if an enabled owner does not have the point */
export function collectPoints(plugins: readonly PluginSpec[]): Points {
  const known = new Map(
    [...HOST_POINTS, ...plugins.flatMap(spec => spec.points ?? [])].map(({ id, rules }) => [id, rules]),
  )
  const enabled = new Set(['core', ...plugins.map(spec => spec.name)])
  const skipped: string[] = []
  const active: ActiveContribution[] = []
  for (const { name, contributes = [] } of plugins) {
    for (const contribution of contributes) {
      const absent = findAbsent(contribution, enabled)
      if (absent !== undefined) skipped.push(`${name} → ${absent}`)
      else if ('point' in contribution) {
        const { point, value } = contribution
        const rules = known.get(point)
        const owner = ownerOf(point)
        if (!rules)
          throw new HostError(
            `plugin ${name} contributes to ${point}, but ${owner} has no such point: check its spelling and the version of ${owner}`,
          )
        checkValue({ by: name, point, value }, rules, active)
        active.push({ by: name, point, value })
        if (Object(value) === value) contributors.set(value as object, name)
      }
    }
  }
  const names = [...new Set(active.map(({ by }) => by))]
  return {
    all: listsOf(active),
    addedBy: value => active.find(added => added.value === value)?.by,
    skipped,
    blame(build) {
      const without = (name: string): All => listsOf(active.filter(({ by }) => by !== name))
      const found = names.filter(name => succeeds(() => build(without(name))))
      return found.length === 0 ? '' : ` (found in what these plugins add: ${found.join(', ')})`
    },
  }
}

/** @throws HostError if a value lacks a member, or another contribution has the same name */
function checkValue(
  { by, point, value }: ActiveContribution,
  rules: PointRules,
  others: readonly ActiveContribution[],
): void {
  const has = (of: unknown): Readonly<Record<string, unknown>> => Object(of)
  const { unique, requires = [], calls = [], shape = Type.Unknown() } = rules
  const lacking = [...requires, ...calls].find(member => has(value)[member] === undefined)
  if (lacking !== undefined)
    throw new HostError(`plugin ${by}: what it contributes to ${point} has no ${lacking}; add it`)
  const uncalled = calls.find(member => typeof has(value)[member] !== 'function')
  const wrong = Value.Errors(shape === 'function' ? Type.Function([], Type.Unknown()) : shape, value).First()
  if (uncalled !== undefined || wrong)
    throw new HostError(
      `plugin ${by}: what it contributes to ${point} is wrong: ${wrong ? shapeProblem(wrong) : `${uncalled} must be a function`}`,
    )
  if (unique === undefined) return
  const name = has(value)[unique]
  const other = others.find(each => each.point === point && has(each.value)[unique] === name)
  if (other)
    throw new HostError(
      `plugin ${by}: the ${unique} "${String(name)}" that it contributes to ${point} is taken by ${other.by}; rename one, or switch one plugin off`,
    )
}

function shapeProblem({ path, schema, value }: ValueError): string {
  const where = [...ValuePointer.Format(path)].join(' → ') || 'it'
  const got = Object(value) === value ? `a value of type ${typeof value}` : JSON.stringify(value)
  return `${where} must be ${describeExpectation(schema)}, got ${got}`
}

type Contributed = NonNullable<PluginSpec['contributes']>[number]

/** Describes what a contribution needs and no enabled plugin provides; undefined if nothing is absent. */
function findAbsent(contribution: Contributed, enabled: ReadonlySet<string>): string | undefined {
  const missing = contribution.needs?.find(needed => !enabled.has(needed))
  if (!('point' in contribution)) return missing
  const { point } = contribution
  if (!enabled.has(ownerOf(point))) return point
  return missing === undefined ? undefined : `${missing} (${point})`
}

function ownerOf(point: string): string {
  return point.split('.', 1)[0]!
}

interface ActiveContribution extends Contribution {
  readonly by: string
}

function listsOf(contributions: readonly Contribution[]): All {
  const groups = [...Map.groupBy(contributions, ({ point }) => point)]
  const lists = new Map(groups.map(([point, group]) => [point, Object.freeze(group.map(({ value }) => value))]))
  return <T>(point: ExtensionPoint<T>) => (lists.get(point.id) ?? NONE) as readonly T[]
}

function succeeds(build: () => unknown): boolean {
  try {
    build()
    return true
  } catch {
    return false
  }
}
