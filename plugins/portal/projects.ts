import { definePoint, type OwnedKey, type ReadContext } from 'tasuki/plugin'
import type { Language } from './language.ts'

/** A project as pages know it. */
export interface PageProject extends OwnedKey {
  /** How the person names it: `KEY` or `owner@example.com/KEY`. */
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly isInbox: boolean
  readonly estimateUnit: 'none' | 'points' | 'hours'
  /** Switches of features that differ from those of its owner. */
  readonly features: Readonly<Record<string, boolean>>
  readonly archived: boolean
}

export type PageRole = 'owner' | 'editor' | 'viewer'

/** Projects behind the addresses `/projects/:key`, and those that access is limited to. */
export interface PortalProjects {
  /** Finds the project of a key. @throws ToolError not_found, ambiguous_ref, forbidden */
  find(ctx: ReadContext, key: string, demand?: { readonly owner?: boolean }): Promise<PageProject>
  roleIn(ctx: ReadContext, project: PageProject): PageRole
  /** Reads all that the person may see, archived ones too, with the address of each owner. */
  readAll(ctx: ReadContext): Promise<readonly ListedProject[]>
  /** Names of the features that are off in a project. */
  featuresOff(ctx: ReadContext, project: PageProject): readonly string[]
  /** What people call a feature; undefined = there is none of that name. */
  featureName(language: Language, feature: string): string | undefined
  /** Where the owner of a project switches features on and off. */
  readonly featuresPath: string
}
export type ListedProject = PageProject & { readonly owner: string }

/** Where projects come from. Without a contribution there are none: the portal works, and offers none to choose. */
export const portalProjects = definePoint<PortalProjects>('portal.portalProjects')

/** The projects that a page below `/projects/:key` is about: whoever contributes such pages depends on a plugin that has them. */
export function projectsOf({ all }: Pick<ReadContext, 'all'>): PortalProjects {
  return all(portalProjects)[0]!
}

/** Every project that the person may see. */
export async function readProjects(ctx: ReadContext): Promise<readonly ListedProject[]> {
  return (await ctx.all(portalProjects)[0]?.readAll(ctx)) ?? []
}
