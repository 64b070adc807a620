import type { TestHost } from 'tasuki/testing'
import { filtersOf } from '../../plugins/items/index.ts'
import type { ItemFilter } from '../../plugins/items/query/filter.ts'
import { callWithConfirmation, type Fields } from './cells.ts'
import type { Actor, Pair } from './world.ts'

/** A named reading that an actor can make. */
export type Reading = readonly [what: string, read: (actor: Actor) => Promise<string>]

export interface Call {
  readonly tool: string
  readonly kind: string
  readonly args: Fields
}

/** Returns all readings that list or count: reading tools, filters, facets, resources, prompts and completions. */
export function readingsOf(host: TestHost, calls: readonly Call[]): readonly Reading[] {
  const tool = (name: string, args: Fields): Reading => [
    `${name} ${JSON.stringify(args)}`,
    async actor => (await callWithConfirmation(actor, name, args)).text,
  ]
  const filters = filtersOf(host.registry.all)
  const queries = filters.flatMap(termsOf)
  const has = (name: string, parameter: string) =>
    host.registry.tools.get(name)?.input.properties[parameter] !== undefined
  const asking = calls.filter(({ kind }) => kind === 'R').map(({ tool: name }) => name)
  return [
    ...calls.filter(({ kind }) => kind === 'R').map(({ tool: name, args }) => tool(name, args)),
    ...asking.map(name => tool(name, {})),
    ...queries.map(q => tool('tasks_list', { q, include_total: true })),
    ...asking
      .filter(name => has(name, 'q'))
      .flatMap(name =>
        ['has:relation', 'has:parent', 'zqhid', 'ZQHID', 'task'].map(q => tool(name, { q, facet_by: 'project' })),
      ),
    ...['state', 'priority', 'agile_kind', 'project', 'schedule_kind'].map(facet_by =>
      tool('items_facet', { facet_by }),
    ),
    ...['zqhid', 'task', '.'].map(pattern => tool('items_grep', { pattern, regex: true })),
    ...['prompts/list', 'resources/list', 'resources/templates/list', 'tools/list'].map(method => rpc(method, {})),
    ...completions(host).flatMap(complete => ['', 'z', 'zq', 'ZQ'].map(value => complete(value))),
  ]
}

/** Returns terms of a filter that only tell whether a value exists. */
function termsOf({ key, type, values, nullable, family }: ItemFilter): readonly string[] {
  if (family === true) return []
  const words = typeof values === 'function' ? [] : (values ?? [])
  const flags = type === 'choice' ? words : type === 'flag' ? ['yes', 'no'] : []
  return [...flags, ...(nullable === true ? ['none', 'any'] : [])].map(value => `${key}:${value}`)
}

/** Returns filter terms that name a record. */
export function namingTerms(host: TestHost, value: string): readonly string[] {
  return filtersOf(host.registry.all)
    .filter(({ type }) => type === 'ref' || type === 'name' || type === 'text')
    .map(({ key, family }) => `${family === true ? `${key}.${value.replaceAll(/\W/g, '_')}` : key}:"${value}"`)
}

function rpc(method: string, params: object): Reading {
  return [
    `${method} ${JSON.stringify(params)}`,
    async actor => {
      const { body } = await actor.rpc(method, params)
      return JSON.stringify(body.result ?? body.error)
    },
  ]
}

/** Returns completions for each prompt argument and each variable of a URI template. */
function completions({ registry }: TestHost): readonly ((value: string) => Reading)[] {
  const prompts = [...registry.prompts.values()].flatMap(prompt =>
    (prompt.arguments ?? []).map(({ name }) => ({ ref: { type: 'ref/prompt', name: prompt.name }, name })),
  )
  const parts = registry.resources.flatMap(({ uriTemplate = '' }) =>
    [...uriTemplate.matchAll(/\{(\w+)\}/g)].map(match => ({
      ref: { type: 'ref/resource', uri: uriTemplate },
      name: match[1]!,
    })),
  )
  return [...prompts, ...parts].map(
    ({ ref, name }) =>
      value =>
        rpc('completion/complete', { ref, argument: { name, value } }),
  )
}

/** Returns readings that name a record, apart from tools: resources, completions and prompts. */
export function namingReadings(host: TestHost, value: string): readonly Reading[] {
  const encoded = encodeURIComponent(value)
  const addresses = host.registry.resources.flatMap(({ uriTemplate = '' }) =>
    uriTemplate === '' ? [] : [uriTemplate.replaceAll(/\{\w+\}/g, encoded)],
  )
  const prompts = [...host.registry.prompts.values()].map(({ name, arguments: list = [] }) =>
    rpc('prompts/get', { name, arguments: Object.fromEntries(list.map(each => [each.name, value])) }),
  )
  const completionReadings = completions(host).map(complete => complete(value))
  return [...addresses.map(uri => rpc('resources/read', { uri })), ...prompts, ...completionReadings]
}

/** Returns addresses of the portal with a visible name replaced by a hidden one. */
export function hiddenAddresses(
  paths: readonly string[],
  pairs: readonly Pair[],
): readonly (readonly [string, string])[] {
  return paths.flatMap(path =>
    pairs.flatMap(({ hidden, absent }) => {
      const put = (value: string): string => path.replaceAll(/:\w+/g, encodeURIComponent(value))
      return path.includes(':') ? [[put(hidden), put(absent)] as const] : []
    }),
  )
}
