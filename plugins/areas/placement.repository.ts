import { iso, sql, ToolError } from 'tasuki/plugin'
import { cleanName, definePlacement, type PlaceRow } from '../items/index.ts'

export const NAME_MAX = 80

/** A name as it is stored. @throws ToolError invalid_argument for blank text and for a slash in any width */
export function areaName(text: string): string {
  const slashHint = 'Create the areas one by one, each with its parent_path.'
  return cleanName(text, { noun: 'area name', max: NAME_MAX, slashHint })
}

export interface AreaPlace extends PlaceRow {
  /** Itself or through an area above. */
  readonly archived: boolean
}

/** What is read of the areas of a whole project. */
export interface AreaDetails {
  readonly description: string | null
  /** Among its siblings. */
  readonly displayOrder: number
  /** Archived itself, not only through an area above. */
  readonly marked: boolean
  readonly itemCount: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** The area that an item is in. */
export const areas = definePlacement<AreaPlace, AreaDetails>({
  noun: 'area',
  table: 'areas.areas',
  aliases: ['a', 'b', 'c'],
  memberTable: 'areas.item_areas',
  column: 'area_id',
  columns: sql`'archived', coalesce(a.archived_at, b.archived_at, c.archived_at) is not null`,
  details: sql`'description', a.description, 'displayOrder', a.display_order, 'marked', a.archived_at is not null,
    'itemCount', (select count(*)::int from areas.item_areas ia where ia.owner_id = a.owner_id and ia.area_id = a.id),
    'createdAt', ${iso('a.created_at')}, 'updatedAt', ${iso('a.updated_at')}`,
  missingHint: 'project_areas_list shows the paths; project_areas_create makes a new area.',
  refuseEntry: (area, field) =>
    area.archived
      ? new ToolError('area_archived', `The area ${area.path} is archived.`, {
          field,
          hint: 'Choose another area; project_areas_update archived=false brings it back.',
        })
      : null,
  movesByName: true,
  include: 'include_area',
  fields: { area_id: 'id', area_path: 'path' },
  writtenField: 'area_path',
  filter: { summary: 'area path or name, with all below', example: 'area:Backend/API' },
  hasSummary: 'any area',
})

export const PATH_MAX = areas.levels * (NAME_MAX + 3)
