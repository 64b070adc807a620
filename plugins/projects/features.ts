import { featureGuards, ToolError, type OwnedKey, type ReadContext } from 'tasuki/plugin'
import { access, type Access } from './access.ts'

/** The features of an owner, and whether they are on for a new owner. */
export const FEATURES = {
  calendar: true,
  sprints: true,
  roadmap: true,
  estimation: true,
  agile_ai: true,
  summaries: false,
} as const
export type Feature = keyof typeof FEATURES

/** The columns that decide a feature of a project. */
interface Switched extends OwnedKey {
  readonly features: Readonly<Record<string, boolean>>
}

/** Returns whether a feature is on for a project, as its owner decides, or by default for the caller's own projects. */
export function featureOn(ctx: ReadContext, feature: Feature, project?: Switched): boolean {
  const { features, shared } = access(ctx)
  if (!project || project.ownerId === ctx.actor.userId)
    return project?.features[feature] ?? features[feature] ?? FEATURES[feature]
  const share = shared.find(({ ownerId, projectId }) => ownerId === project.ownerId && projectId === project.id)
  return project.features[feature] ?? share?.features[feature] ?? FEATURES[feature]
}

/** Returns whether a feature is on in a project shared with the caller. */
export function isOnInShare({ features }: Access['shared'][number], feature: Feature): boolean {
  return features[feature] ?? FEATURES[feature]
}

/** Returns whether a feature may be on for some project of an owner, without a statement. */
export function mayHaveFeature(ctx: ReadContext, feature: Feature, ownerId: string): boolean {
  if (ownerId !== ctx.actor.userId) return true
  return featureOn(ctx, feature) || access(ctx).overrides.some(({ features }) => features[feature])
}

/** @throws ToolError feature_disabled */
export function requireFeature(
  ctx: ReadContext,
  feature: Feature,
  project?: Switched & { readonly key: string },
): void {
  if (!featureOn(ctx, feature, project)) throw featureDisabled(feature, project?.key)
}

/** Rejects a tool if its feature is off for the owner and for every project; the tool itself checks the project of the call. */
export const featureGuard = featureGuards(Object.assign(refuseGates, { features: Object.keys(FEATURES) }))

function refuseGates(ctx: ReadContext, gates: readonly string[]): ToolError | null {
  const { overrides, shared } = access(ctx)
  const isOnSomewhere = (gate: Feature): boolean =>
    featureOn(ctx, gate) ||
    overrides.some(({ features }) => features[gate]) ||
    shared.some(share => isOnInShare(share, gate))
  const off = gates.find(gate => !isOnSomewhere(gate as Feature))
  return off === undefined ? null : featureDisabled(off)
}

/** Creates the error for a feature that is off. */
export function featureDisabled(feature: string, projectKey?: string): ToolError {
  const where = projectKey === undefined ? 'for you' : `in project ${projectKey}`
  return new ToolError('feature_disabled', `The feature ${feature} is off ${where}.`, {
    hint: 'Its owner turns it on in the portal under Settings, Features.',
    details: { feature },
  })
}
