import { Type, type Static } from '@sinclair/typebox'
import { choice } from '../plugin/fields.ts'
import { HostError } from '../plugin/errors.ts'
import type { ToolClass } from '../plugin/tool.ts'

const Classes = Type.Array(choice(['R', 'W', 'WD']), {
  description: 'Classes of tools to show: R reads, W writes, WD writes destructively.',
})

/** One profile of config/profiles.json: group → classes; `*` holds for groups that are not named; `extends` takes over another profile. */
export const ProfileSchema = Type.Object(
  { extends: Type.Optional(Type.String({ description: 'Name of the profile to start from.' })) },
  { additionalProperties: Classes },
)
export const ProfilesSchema = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,40}$' }), ProfileSchema, {
  additionalProperties: false,
  description: 'Profile → the tools it shows. A name is lower case letters, digits and -.',
})
export type Profiles = Static<typeof ProfilesSchema>

/** The profile that an endpoint address without `profile` means. */
export const DEFAULT_PROFILE = 'full-access'

/** Tells whether a profile shows a tool of this group and class. */
export type ProfileRule = (group: string, toolClass: ToolClass) => boolean

/** Resolves `extends` chains. @throws HostError on an unknown or circular parent. */
export function profileRules(profiles: Profiles): ReadonlyMap<string, ProfileRule> {
  const resolve = (name: string, path: readonly string[]): ReadonlyMap<string, readonly ToolClass[]> => {
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    if (!profile)
      throw new HostError(
        `profile ${path.at(-1) ?? '?'} extends ${name}, which does not exist; define it or remove "extends"`,
      )
    if (path.includes(name))
      throw new HostError(
        `profiles extend each other in a circle: ${[...path.slice(path.indexOf(name)), name].join(' → ')}; remove one "extends"`,
      )
    const { extends: parent, ...groups } = profile
    const inherited = parent === undefined ? [] : resolve(parent, [...path, name])
    return new Map([...inherited, ...Object.entries(groups as Record<string, ToolClass[]>)])
  }
  return new Map(
    Object.keys(profiles).map(name => {
      const groups = resolve(name, [])
      const rule: ProfileRule = (group, toolClass) => (groups.get(group) ?? groups.get('*') ?? []).includes(toolClass)
      return [name, rule]
    }),
  )
}
