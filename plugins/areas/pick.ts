import { ToolError } from 'tasuki/plugin'
import { pathKey } from './names.ts'

/** What a path is looked up among. */
export interface Named {
  readonly id: string
  readonly path: string
  readonly pathKey: string
  readonly archived: boolean
}

export interface PickOptions {
  /** Of the areas, for errors. */
  readonly projectKey: string
  /** The parameter that the path came from. */
  readonly field: string
}

/** Picks the area that a path names. @throws ToolError not_found, ambiguous_ref */
export function pickArea<T extends Named>(areas: readonly T[], path: string, options: PickOptions): T {
  const found = findArea(areas, path, options)
  if (found instanceof ToolError) throw found
  return found
}

/** Finds the area that a text names, or why there is none: an id, a path, or the bare name of one area. A full path wins over a bare name. */
export function findArea<T extends Named>(
  areas: readonly T[],
  text: string,
  { projectKey, field }: PickOptions,
): T | ToolError {
  const key = pathKey(text)
  const exact = areas.find(area => area.id === key) ?? areas.find(area => area.pathKey === key)
  if (exact) return exact
  const named = key === '' || key.includes('/') ? [] : areas.filter(area => area.pathKey.endsWith(`/${key}`))
  if (named[0] && named.length === 1) return named[0]
  if (named.length > 1) {
    return new ToolError('ambiguous_ref', `${projectKey} has ${named.length} areas named ${text}.`, {
      field,
      allowed: named.map(area => area.path),
      hint: 'Give the full path.',
    })
  }
  return new ToolError('not_found', `${projectKey} has no area ${text}.`, {
    field,
    allowed: areas.filter(area => !area.archived).map(area => area.path),
    hint: 'project_areas_list shows the paths; project_areas_create makes a new area.',
  })
}

/** The refusal of an archived area as a place for something. */
export function archivedArea(area: Named, field: string): ToolError {
  return new ToolError('area_archived', `The area ${area.path} is archived.`, {
    field,
    hint: 'Choose another area; project_areas_update archived=false brings it back.',
  })
}
