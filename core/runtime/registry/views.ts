import type { Prompt, Resource } from '../../plugin/resource.ts'
import { DEFAULT_PROFILE, type ProfileRule } from './profiles.ts'
import { mentionsHidden, removeHiddenMentions, type Hides } from './mentions.ts'
import type { CompiledTool, Registry, View, ViewRequest } from './types.ts'

/** Cache size for narrowed views. Clients choose them, so their number must be limited. */
const MAX_NARROWED = 200

/**
 * Creates the views. Those of profile × scope are built in advance, so that tools/list only writes a buffer; narrowed views are built on
 * first use.
 */
export function createViewFactory(
  { tools, prompts, resources }: Pick<Registry, 'tools' | 'prompts' | 'resources'>,
  rules: ReadonlyMap<string, ProfileRule>,
  instructionsFor: (tools: View['tools']) => string,
): Registry['view'] {
  const makeView = (profile: string, scope: View['scope'], shown: readonly CompiledTool[]): View => {
    const callable = shown.filter(tool => scope === 'write' || tool.class === 'R')
    const callableByName = byName(callable)
    const hides: Hides = name => tools.has(name) && !callableByName.has(name)
    const hasItsTools = ({ tools: needed = [] }: Prompt | Resource): boolean =>
      needed.every(name => callableByName.has(name))
    return {
      profile,
      scope,
      tools: callableByName,
      needWrite: byName(shown.filter(tool => !callable.includes(tool))),
      toolsJson: `[${callable.map(tool => serializeEntry(tool, hides)).join(',')}]`,
      hides: callable.length === tools.size ? null : hides,
      prompts: new Map([...prompts].filter(([, prompt]) => hasItsTools(prompt))),
      resources: resources.filter(hasItsTools),
      instructions: instructionsFor(callableByName),
    }
  }
  const fullViews = new Map<string, View>()
  for (const [profile, rule] of rules) {
    const shown = [...tools.values()].filter(rule)
    for (const scope of ['read', 'write'] as const)
      fullViews.set(`${profile} ${scope}`, makeView(profile, scope, shown))
  }
  const narrowedViews = new Map<string, View>()
  return ({ profile = DEFAULT_PROFILE, scope, only, exclude }: ViewRequest): View | null => {
    const base = fullViews.get(`${profile} ${scope}`)
    if (!base || (!only && !exclude)) return base ?? null
    const key = JSON.stringify([profile, scope, only, exclude])
    const cached = narrowedViews.get(key)
    if (cached) return cached
    const shown = [...base.tools.values(), ...base.needWrite.values()].filter(
      tool => (!only || only.includes(tool.name)) && !exclude?.includes(tool.name),
    )
    const view = makeView(profile, scope, shown)
    if (narrowedViews.size >= MAX_NARROWED) narrowedViews.delete(narrowedViews.keys().next().value!)
    narrowedViews.set(key, view)
    return view
  }
}

function byName(tools: readonly CompiledTool[]): View['tools'] {
  return new Map(tools.map(tool => [tool.name, tool]))
}

/** Serializes the entry of tools/list without mentions of tools that the list lacks. */
function serializeEntry({ listed, tool }: CompiledTool, hides: Hides): string {
  const json = JSON.stringify(listed)
  if (!mentionsHidden(json, hides)) return json
  const shown = JSON.parse(json, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? removeHiddenMentions(value, hides) || undefined : value,
  ) as object
  return JSON.stringify('description' in shown ? shown : { ...shown, description: tool.title })
}
