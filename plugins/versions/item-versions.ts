import { Type, type ReadContext } from 'tasuki/plugin'
import { itemParams, type Draft, type ItemWrite } from '../items/points.ts'
import { featureDisabled, featureOn } from '../projects/index.ts'
import { NAME_MAX } from './names.ts'
import { findVersions, placeInVersions, type PlacedVersion } from './placing.ts'
import { missingVersion } from './version.ts'

/** The parameter `version` of items_create. */
export const versionParam = itemParams({
  tools: ['items_create'],
  params: {
    version: Type.String({ maxLength: NAME_MAX, description: 'Version name; empty = none.' }),
  },
  async prepare(ctx, drafts, { version: text }) {
    if (text === undefined) return inherit(ctx, drafts)
    if (text.trim() === '') return undefined
    const able = drafts.filter(draft => featureOn(ctx, 'roadmap', draft.project))
    for (const draft of drafts) {
      if (!able.includes(draft)) draft.problems.push(featureDisabled('roadmap', draft.project.key))
    }
    if (able.length === 0) return undefined
    const projects = [...new Set(able.map(draft => draft.project.id))]
    const versions = await findVersions(ctx, ownersOf(able), { named: { projects, text } })
    const chosen = new Map<Draft, PlacedVersion>()
    for (const draft of able) {
      const version = versions.find(candidate => candidate.projectId === draft.project.id)
      if (version) chosen.set(draft, version)
      else draft.problems.push(await missingVersion(ctx, draft.project, text))
    }
    return placing(chosen)
  },
})

/** A new item is for the version that its parent is for, unless that belongs to another project. */
async function inherit(ctx: ReadContext, drafts: readonly Draft[]): Promise<ItemWrite | undefined> {
  const children = drafts.flatMap(draft => {
    const { parent, project } = draft
    return parent?.project.id === project.id && featureOn(ctx, 'roadmap', project)
      ? [{ draft, parentId: parent.id }]
      : []
  })
  if (children.length === 0) return undefined
  const drafted = children.map(child => child.draft)
  const versions = await findVersions(ctx, ownersOf(drafted), {
    items: [...new Set(children.map(child => child.parentId))],
  })
  const chosen = new Map<Draft, PlacedVersion>()
  for (const { draft, parentId } of children) {
    const version = versions.find(candidate => candidate.items.includes(parentId))
    if (version) chosen.set(draft, version)
  }
  return placing(chosen)
}

function placing(chosen: ReadonlyMap<Draft, PlacedVersion>): ItemWrite | undefined {
  if (chosen.size === 0) return undefined
  for (const [draft, version] of chosen) draft.change('version', null, version.name)
  return (ctx, written) => {
    const placements = written.flatMap(draft => {
      const version = chosen.get(draft)
      return version ? [{ ownerId: draft.ownerId, itemId: draft.id, versionId: version.id }] : []
    })
    return placements.length === 0 ? Promise.resolve() : placeInVersions(ctx, placements)
  }
}

function ownersOf(drafts: readonly Draft[]): string[] {
  return drafts.map(draft => draft.ownerId)
}
