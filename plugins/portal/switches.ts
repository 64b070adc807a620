import type { FastifyRequest } from 'fastify'
import type { ReadContext } from 'tasuki/plugin'
import { projectsOf, type PageProject } from './projects.ts'
import type { UserVisit } from './visit.ts'

const off = new WeakMap<FastifyRequest, readonly string[]>()

/** Keeps for the menu which features are off in the project of a page, without another statement. */
export function rememberSwitches(ctx: ReadContext, request: FastifyRequest, project: PageProject): void {
  off.set(request, projectsOf(ctx).featuresOff(ctx, project))
}

/** Reads them for pages that did not look at their project themselves. */
export async function knowSwitches({ request, params, read }: UserVisit): Promise<void> {
  if (!off.has(request))
    await read(async ctx => rememberSwitches(ctx, request, await projectsOf(ctx).find(ctx, params['key']!)))
}

/** Whether a feature is off in the project of the page. */
export function isOff(request: FastifyRequest, feature: string): boolean {
  return off.get(request)?.includes(feature) ?? false
}
