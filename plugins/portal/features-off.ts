import type { FastifyRequest } from 'fastify'
import type { ReadContext } from 'tasuki/plugin'
import { projectsOf, type PageProject } from './projects.ts'
import type { UserVisit } from './visit.ts'

const off = new WeakMap<FastifyRequest, readonly string[]>()

/** Caches which features are off in the project of a page, so that the menu needs no further statement. */
export function cacheFeaturesOff(ctx: ReadContext, request: FastifyRequest, project: PageProject): void {
  off.set(request, projectsOf(ctx).featuresOff(ctx, project))
}

/** Loads the features for pages that did not load their project. */
export async function loadFeaturesOff({ request, params, read }: UserVisit): Promise<void> {
  if (!off.has(request))
    await read(async ctx => cacheFeaturesOff(ctx, request, await projectsOf(ctx).find(ctx, params['key']!)))
}

/** Returns whether a feature is off in the page's project. */
export function isFeatureOff(request: FastifyRequest, feature: string): boolean {
  return off.get(request)?.includes(feature) ?? false
}
