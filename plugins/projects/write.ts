import { limitReached, normalizeText, quoteName, ToolError, uuid, type WriteContext } from 'tasuki/plugin'
import { access } from './access.ts'
import { saveOwnerFeatures, updateProjectFeatures, type Switches } from './feature.repository.ts'
import { FEATURES, type Feature } from './features.ts'
import { KEY_PATTERN } from './key.ts'
import { recordSettingChange } from './setting-change.ts'
import { insertProject, updateProjectRow, type ProjectRow } from './project.repository.ts'
import { settings } from './settings.ts'

export interface NewProject {
  readonly ownerId: string
  readonly key: string
  readonly name: string
  readonly description?: string | null | undefined
}

/** Creates a project; accepts its key in any case and width. @throws ToolError invalid_argument, conflict, limit_exceeded */
export async function createProject(
  ctx: WriteContext,
  { ownerId, key: keyText, name, description }: NewProject,
): Promise<ProjectRow> {
  const key = normalizeText(keyText).trim().toUpperCase()
  if (!new RegExp(KEY_PATTERN).test(key))
    throw new ToolError('invalid_argument', `${quoteName(keyText)} cannot be a project key.`, {
      field: 'key',
      hint: 'Use 1 to 16 letters, digits and underscores, the first a letter, for example APP.',
    })
  const project = {
    ownerId,
    id: uuid(),
    key,
    name: cleanName(name),
    description: description || null,
    isInbox: false,
    estimateUnit: 'points' as const,
    features: {},
    archived: false,
  }
  const { projects_per_user: most } = ctx.config(settings)
  const outcome = await insertProject(ctx, project, most)
  if (outcome === 'full')
    throw limitReached(most, 'projects', {
      field: 'key',
      hint: 'Use one of them again, an archived one too, or ask the operator for a higher projects_per_user.',
    })
  if (outcome === 'taken')
    throw new ToolError('conflict', `There is already a project ${key}.`, {
      field: 'key',
      hint: 'Choose another key; archived projects keep theirs.',
    })
  // A key that the owner also has by a shared project now names this project.
  if (ownerId !== ctx.actor.userId || access(ctx).shared.some(share => share.key === key)) ctx.claimsChanged([ownerId])
  const changed = ['key', 'description'] as const
  await recordSettingChange(ctx, project, { kind: 'project.created', of: project, after: project, changed })
  return project
}

/** Trims a name. @throws ToolError invalid_argument if nothing is left */
export function cleanName(name: string): string {
  const clean = name.trim()
  const hint = 'Give text that is not only spaces.'
  if (clean === '') throw new ToolError('invalid_argument', 'The name is blank.', { field: 'name', hint })
  return clean
}

export interface ProjectChange {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly archived?: boolean | undefined
  readonly estimateUnit?: ProjectRow['estimateUnit'] | undefined
}

const CHANGEABLE = ['name', 'description', 'archived', 'estimateUnit'] as const

/** Updates the given fields of a project. @throws ToolError invalid_argument for archiving the Inbox */
export async function updateProject(
  ctx: WriteContext,
  project: ProjectRow,
  { name, description, archived, estimateUnit }: ProjectChange,
): Promise<ProjectRow> {
  if (project.isInbox && archived)
    throw new ToolError('invalid_argument', 'The Inbox cannot be archived.', { field: 'archived' })
  const row = await updateProjectRow(ctx, project, {
    name: name === undefined ? undefined : cleanName(name),
    description: description === undefined ? undefined : description || null,
    estimate_unit: estimateUnit,
    archived,
  })
  const after = row
    ? {
        ...project,
        name: row.name,
        description: row.description,
        estimateUnit: row.estimate_unit,
        archived: row.archived_at !== null,
      }
    : project
  const changed = CHANGEABLE.filter(field => project[field] !== after[field])
  await recordSettingChange(ctx, project, { kind: 'project.changed', of: project, before: project, after, changed })
  return after
}

export interface FeatureChange {
  /** Every feature, before and after. */
  readonly before: Readonly<Record<Feature, boolean>>
  readonly after: Readonly<Record<Feature, boolean>>
}
const FEATURE_NAMES = Object.keys(FEATURES) as Feature[]

/** Sets features of one project, or the owner's defaults without a project. */
export async function setFeatures(
  ctx: WriteContext,
  owner: string,
  project: ProjectRow | null,
  switches: Switches,
): Promise<FeatureChange> {
  const { defaults, before, after, members } = project
    ? await updateProjectFeatures(ctx, project, switches)
    : await saveOwnerFeatures(ctx, owner, switches)
  ctx.claimsChanged([owner, ...members])
  const change = { before: { ...FEATURES, ...defaults, ...before }, after: { ...FEATURES, ...defaults, ...after } }
  await recordSettingChange(ctx, project ?? { ownerId: owner, id: null }, {
    ...change,
    kind: 'features.changed',
    of: project ?? { id: owner, name: 'all projects' },
    changed: FEATURE_NAMES.filter(name => change.before[name] !== change.after[name]),
  })
  return change
}
