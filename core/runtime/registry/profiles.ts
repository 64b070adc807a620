import { Type, type Static } from '@sinclair/typebox'
import { choice } from '../../plugin/fields.ts'
import { HostError } from '../../plugin/errors.ts'
import type { ToolClass } from '../../plugin/tool.ts'
import type { CompiledTool } from './types.ts'

const Classes = Type.Array(choice(['R', 'W', 'WD']), {
  description: 'Classes of tools to show: R reads, W writes, WD writes destructively.',
})

/**
 * A profile of config/profiles.json: group → classes. `*` applies to groups that are not listed, `tools` adds single tools, `extends`
 * inherits another profile.
 */
const ProfileSchema = Type.Object(
  {
    extends: Type.Optional(Type.String({ description: 'Name of the profile to start from.' })),
    tools: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names of tools to show, in addition to those of the groups and of the extended profile.',
      }),
    ),
  },
  { additionalProperties: Classes },
)
/** Keys of a profile that are not groups. */
export const RESERVED_KEYS: readonly string[] = Object.keys(ProfileSchema.properties)
export const ProfilesSchema = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,40}$' }), ProfileSchema, {
  additionalProperties: false,
  description: 'Profile → the tools it shows. A name is lower case letters, digits and -.',
})
export type Profiles = Static<typeof ProfilesSchema>

/** Profile of an endpoint URL without `profile`. */
export const DEFAULT_PROFILE = 'full-access'

/** Returns whether a profile shows a tool. */
export type ProfileRule = (tool: Pick<CompiledTool, 'name' | 'group' | 'class'>) => boolean

interface Resolved {
  readonly groups: ReadonlyMap<string, readonly ToolClass[]>
  readonly tools: ReadonlySet<string>
}

/** Resolves `extends` chains; unknown tool names are ignored. @throws HostError if a parent is unknown or circular */
export function resolveProfiles(profiles: Profiles): ReadonlyMap<string, ProfileRule> {
  const resolve = (name: string, path: readonly string[]): Resolved => {
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    if (!profile)
      throw new HostError(
        `profile ${path.at(-1) ?? '?'} extends ${name}, which does not exist; define it or remove "extends"`,
      )
    if (path.includes(name))
      throw new HostError(
        `profiles extend each other in a circle: ${[...path.slice(path.indexOf(name)), name].join(' → ')}; remove one "extends"`,
      )
    const { extends: parent, tools = [], ...groups } = profile
    const inherited = parent === undefined ? null : resolve(parent, [...path, name])
    return {
      groups: new Map([...(inherited?.groups ?? []), ...Object.entries(groups as Record<string, ToolClass[]>)]),
      tools: new Set([...(inherited?.tools ?? []), ...tools]),
    }
  }
  return new Map(
    Object.keys(profiles).map(name => {
      const { groups, tools } = resolve(name, [])
      const rule: ProfileRule = tool =>
        tools.has(tool.name) || (groups.get(tool.group) ?? groups.get('*') ?? []).includes(tool.class)
      return [name, rule]
    }),
  )
}
