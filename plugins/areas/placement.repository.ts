import { guarded, iso, nullable, quoteName, sql, ToolError, Type } from 'tasuki/plugin'
import { cleanName, definePlacement, pathKey, type PlaceRow } from '../items/index.ts'

export const NAME_MAX = 80
export const PATH_MAX = 3 * (NAME_MAX + 3)

const place = (description: string) => nullable(guarded(Type.String(), { maxLength: PATH_MAX }), { description })

const slashHint = 'Create the areas one by one, each with its parent_path.'

/** Normalizes a name to its stored form. @throws ToolError invalid_argument for blank text and for a slash in any width */
export const areaName = (text: string): string => cleanName(text, { noun: 'area name', max: NAME_MAX, slashHint })

export interface AreaPlace extends PlaceRow {
  /** Archived itself, or below an archived area. */
  readonly archived: boolean
}

/** Further columns for reads of all areas of a project. */
export interface AreaDetails {
  readonly description: string | null
  /** Position among its siblings. */
  readonly displayOrder: number
  /** Archived itself, not only through an ancestor. */
  readonly marked: boolean
  readonly itemCount: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** The placement of items in areas. */
export const areas = definePlacement<AreaPlace, AreaDetails>({
  noun: 'area',
  table: 'areas.areas',
  aliases: ['a', 'b', 'c'],
  memberTable: 'areas.item_areas',
  column: 'area_id',
  columns: sql.raw(`'archived', coalesce(a.archived_at, b.archived_at, c.archived_at) is not null`),
  details: sql`'description', a.description, 'displayOrder', a.display_order, 'marked', a.archived_at is not null,
    'itemCount', (select count(*)::int from areas.item_areas ia where ia.owner_id = a.owner_id and ia.area_id = a.id),
    'createdAt', ${iso('a.created_at')}, 'updatedAt', ${iso('a.updated_at')}`,
  missingHint: 'project_areas_list shows the paths; project_areas_create makes a new area.',
  refuse: ({ to, field }) => (to?.archived ? archivedAreaError(to, field) : null),
  movesByName: true,
  params: {
    area_path: { tool: 'items_create', schema: place('Area path; null = none.'), isNone: text => pathKey(text) === '' },
    area_id: { tool: 'items_bulk_patch', schema: place('Id, path or name of an area; null clears.'), previewed: false },
  },
  include: 'include_area',
  fields: { area_id: 'id', area_path: 'path' },
  writtenField: 'area_path',
  filter: { summary: 'area path or name, with all below', example: 'area:Backend/API' },
  hasSummary: 'any area',
})

function archivedAreaError({ path }: AreaPlace, field: string): ToolError {
  const hint = 'Choose another area; project_areas_update archived=false brings it back.'
  return new ToolError('area_archived', `The area ${quoteName(path)} is archived.`, { field, hint })
}
