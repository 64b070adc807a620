import { isLonger, nameKey, ToolError, Type } from 'tasuki/plugin'
import { createPlaces, findNamed, findPlaces, placeItems, type Placement, type PlaceRow } from '../items/index.ts'
import { featureOn } from '../projects/index.ts'
import { exportParts, importParts } from './points.ts'

declare module './points.ts' {
  interface ImportedParts {
    /** Path of the item's place: names from the top level down, joined by slashes. */
    readonly area: string
    readonly sprint: string
    readonly version: string
  }
}
type Of = 'area' | 'sprint' | 'version'

/** Contributes a kind of place to imports, which create missing places, and to exports. */
export function transferPlaces<T extends PlaceRow>(
  placement: Placement<T>,
  of: Of,
  { title, nameMost }: { title: string; nameMost: number },
) {
  return [
    importParts({
      of,
      schema: Type.String(),
      refuse: (ctx, project) =>
        placement.feature === undefined || featureOn(ctx, placement.feature, project)
          ? null
          : `the project has no ${of}s`,
      async write(ctx, project, parts) {
        const placed = parts.filter(({ value }) => typeof value === 'string' && placement.keyOf(value) !== '')
        const read = () => findPlaces(ctx, placement, [project.ownerId], { projects: [project.id] })
        const options = { projectKey: project.key, field: of }
        let places = await read()
        const missing = placed.filter(({ value }) => {
          const isWord = placement.symbols?.some(({ word }) => word === nameKey(value))
          const fits = value.split('/').every(name => !isLonger(name, nameMost))
          return fits && !isWord && !places.some(place => place.pathKey === placement.keyOf(value))
        })
        if (missing.length > 0) {
          const paths = missing.map(({ value }) => value)
          await createPlaces(ctx, placement, project, paths)
          places = await read()
        }
        const moves = placed.flatMap(({ draft, value, note }) => {
          const to = findNamed<T, T>(placement, places, value, options)
          if (to instanceof ToolError) {
            note(to.message)
            return []
          }
          const why = placement.refuse?.({ from: null, to, field: of })
          if (why) note(why.message)
          return why ? [] : [{ ownerId: draft.ownerId, itemId: draft.id, from: null, to, field: of }]
        })
        await placeItems(ctx, placement, moves)
      },
    }),
    exportParts({
      of,
      sql: () => placement.sql.pathOfItem,
      cell: { write: path => path, read: path => path },
      markdown: { as: 'fact', title, write: path => path },
    }),
  ]
}
