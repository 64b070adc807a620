import type { FastifyRequest } from 'fastify'
import type { ReadContext } from 'tasuki/plugin'
import { FEATURES, featureOn, requireProject, type Feature, type ProjectRow } from '../projects/index.ts'
import { defineTexts } from './language.ts'
import type { UserVisit } from './visit.ts'

export const featureNames = defineTexts<Readonly<Record<Feature, string>>>(
  {
    calendar: 'Calendar: events',
    sprints: 'Sprints',
    roadmap: 'Roadmap: versions',
    estimation: 'Estimates',
    agile_ai: 'Suggestions and forecasts',
    summaries: 'Summaries of conversations',
  },
  {
    ja: {
      calendar: 'カレンダー（予定）',
      sprints: 'スプリント',
      roadmap: 'ロードマップ（バージョン）',
      estimation: '見積もり',
      agile_ai: '提案と予測',
      summaries: '会話の要約',
    },
  },
)

/** Where the owner of a project switches features on and off. */
export const PROJECT_FEATURES = '/projects/:key/features'

const NAMES = Object.keys(FEATURES) as readonly Feature[]
const off = new WeakMap<FastifyRequest, readonly Feature[]>()

/** Keeps for the menu which features are off in the project of a page, without another statement. */
export function rememberSwitches(ctx: ReadContext, request: FastifyRequest, project: ProjectRow): void {
  off.set(
    request,
    NAMES.filter(name => !featureOn(ctx, name, project)),
  )
}

/** Reads them for pages that did not look at their project themselves. */
export async function knowSwitches({ request, params, read }: UserVisit): Promise<void> {
  if (!off.has(request))
    await read(async ctx => rememberSwitches(ctx, request, await requireProject(ctx, params['key']!)))
}

/** Whether a feature is off in the project of the page. */
export function isOff(request: FastifyRequest, feature: Feature): boolean {
  return off.get(request)?.includes(feature) ?? false
}

export function isFeature(text: unknown): text is Feature {
  return typeof text === 'string' && Object.hasOwn(FEATURES, text)
}
