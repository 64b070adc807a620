import { choice, guarded, nullable, Type, type Static } from 'tasuki/plugin'
import { PATH_MAX, type AreaDetails, type AreaPlace } from './placement.repository.ts'

export type AreaRow = AreaPlace & AreaDetails

/** An area as tools return it. */
export const areaSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  path: Type.String(),
  parent_path: Type.Optional(nullable(Type.String())),
  depth: Type.Integer({ description: '1 = top level.' }),
  description: Type.Optional(nullable(Type.String())),
  display_order: Type.Integer(),
  archived: Type.Boolean({ description: 'Itself or through an area above.' }),
  item_count: Type.Integer({ description: 'Items directly in it, closed and archived ones too.' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})

/** The result of a write of an area. */
export const areaResult = Type.Object({
  area: areaSchema,
  changed: Type.Array(choice(['name', 'description', 'parent_path', 'archived'])),
  warnings: Type.Optional(Type.Array(Type.String())),
})

export const areaPath = (text: string) => guarded(Type.String({ description: text }), { maxLength: PATH_MAX })
export const description = (text: string) => Type.String({ maxLength: 500, description: text })

export function areaRecord(area: AreaRow): Static<typeof areaSchema> {
  return {
    id: area.id,
    name: area.name,
    path: area.path,
    ...(area.depth > 1 && { parent_path: area.path.slice(0, area.path.lastIndexOf('/')) }),
    depth: area.depth,
    ...(area.description !== null && { description: area.description }),
    display_order: area.displayOrder,
    archived: area.archived,
    item_count: area.itemCount,
    created_at: area.createdAt,
    updated_at: area.updatedAt,
  }
}
