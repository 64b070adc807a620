import { definePoint, type OwnedKey, type ReadContext } from 'tasuki/plugin'
import type { Language } from './language.ts'

/** A project with the properties that pages need. */
export interface PageProject extends OwnedKey {
  /** The user's name of the project: `KEY` or `owner@example.com/KEY`. */
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly isInbox: boolean
  readonly estimateUnit: 'none' | 'points' | 'hours'
  /** Features that differ from those of its owner. */
  readonly features: Readonly<Record<string, boolean>>
  readonly archived: boolean
}

export type PageRole = 'owner' | 'editor' | 'viewer'

/** The access that a page or form requires in a project. */
interface ProjectDemand {
  /** Write access. */
  readonly write?: boolean
  /** Only the owner. */
  readonly owner?: boolean
}

/** The projects of URLs `/projects/:key`, and those to which access can be limited. */
export interface PortalProjects {
  /** Finds the project that a key names. @throws ToolError not_found, ambiguous_ref, forbidden */
  find(ctx: ReadContext, key: string, demand?: ProjectDemand): Promise<PageProject>
  roleIn(ctx: ReadContext, project: PageProject): PageRole
  /** Reads all projects that the user may see, including archived ones, with the email of each owner. */
  readAll(ctx: ReadContext): Promise<readonly ListedProject[]>
  /** Returns the names of the features that are off in a project. */
  featuresOff(ctx: ReadContext, project: PageProject): readonly string[]
  /** Returns the label of a feature; undefined for an unknown name. */
  featureName(language: Language, feature: string): string | undefined
  /** The path on which a project's owner changes its features. */
  readonly featuresPath: string
}
export type ListedProject = PageProject & { readonly owner: string }

/** The source of projects. Without a contribution, the portal works without any projects. */
export const portalProjects = definePoint<PortalProjects>('portal.portalProjects')

/** Returns the projects for pages below `/projects/:key`. A plugin with such pages must depend on a plugin that contributes projects. */
export function projectsOf({ all }: Pick<ReadContext, 'all'>): PortalProjects {
  return all(portalProjects)[0]!
}

/** Reads every project that the user may see. */
export async function readProjects(ctx: ReadContext): Promise<readonly ListedProject[]> {
  return (await ctx.all(portalProjects)[0]?.readAll(ctx)) ?? []
}
