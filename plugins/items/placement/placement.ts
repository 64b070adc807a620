import { nameKey, type RawBuilder, type ToolError, type WriteContext } from 'tasuki/plugin'
import type { Feature } from '../../projects/index.ts'
import type { FilterSymbol } from '../query/filter.ts'
import { pathKey } from './names.ts'
import type { PickOptions } from './pick.ts'
import { placementSql, type PlacementSql } from './placement.repository.ts'

/** A named thing of a project that items are in, such as an area; an item is in one of its kind at most. */
export interface PlaceRow {
  readonly ownerId: string
  readonly id: string
  readonly projectId: string
  /** Null = top level. */
  readonly parentId: string | null
  readonly name: string
  /** `nameKey` of the name. */
  readonly key: string
  /** The names from the top level down, joined by `/`. */
  readonly path: string
  /** The path as paths are compared. */
  readonly pathKey: string
  /** 1 = top level. */
  readonly depth: number
}

/** An item on its way from one place to another; null = none. */
export interface PlaceMove<T> {
  readonly ownerId: string
  readonly itemId: string
  readonly from: T | null
  readonly to: T | null
  /** The parameter that the place came from. */
  readonly field: string
}

/** A word that stands for a place. */
export interface PlaceSymbol<T> {
  readonly word: FilterSymbol
  find<R extends T>(rows: readonly R[], options: PickOptions): R | ToolError
  /** Condition on the place, for the filter. */
  readonly sql: RawBuilder<boolean>
}

/** Where the places and their items are stored, by names that SQL takes as they are. */
export interface PlacementTables {
  /** Has owner_id, id, project_id, name, name_key and, with more than one level, parent_id. */
  readonly table: string
  /** Aliases of a place and of those above it, as many as there are levels. */
  readonly aliases: readonly [string, ...string[]]
  /** Has owner_id, item_id (its primary key) and the column. */
  readonly memberTable: string
  readonly column: string
  /** Fields of a place besides those of `PlaceRow`: pairs for jsonb_build_object. */
  readonly columns?: RawBuilder<unknown>
  /** Further fields where all places of a project are read. */
  readonly details?: RawBuilder<unknown>
  /** Default: by path. */
  readonly order?: RawBuilder<unknown>
}

export interface PlacementSpec<T extends PlaceRow> extends PlacementTables {
  /** For example `area`: in errors, the field of changes, the filter key, the value of `has:`. */
  readonly noun: string
  /** What to do where a name is unknown. */
  readonly missingHint: string
  /** Names that an error lists; default all. */
  readonly mostAllowed?: number
  /** Without this feature of a project, its items are in none. */
  readonly feature?: Feature
  readonly symbols?: readonly PlaceSymbol<T>[]
  /** Why a place takes nothing new. */
  refuseEntry?(place: T, field: string): ToolError | null
  /** Why an item, completed or not, may not leave a place. */
  refuseExit?(move: Pick<PlaceMove<T>, 'to' | 'field'> & { readonly from: T }, isCompleted: boolean): ToolError | null
  /** Locks places before items move. @throws ToolError when they no longer are as they were read */
  lock?(ctx: WriteContext, moves: readonly PlaceMove<T>[]): Promise<void>
  /** Items that move to another project go into the place of the same path there; where none has it, into the only one of that name. */
  readonly movesByName?: boolean
  /** The flag of listings that shows it, and the output fields of items. */
  readonly include: `include_${string}`
  readonly fields: Readonly<Record<string, 'id' | 'name' | 'path'>>
  /** The field that the answer of a write shows. */
  readonly writtenField: string
  readonly filter: { readonly summary: string; readonly example: string }
  /** Summary of `has:`. */
  readonly hasSummary: string
}

/** A kind of place with what follows from its declaration. `D` is what `details` adds. */
export interface Placement<T extends PlaceRow = PlaceRow, D extends object = object> extends PlacementSpec<T> {
  readonly levels: number
  /** A name or path as it is compared. */
  keyOf(text: string): string
  readonly sql: PlacementSql<T, D>
}

/** Defines a kind of place. Its statements are put together here, once. */
export function definePlacement<T extends PlaceRow, D extends object = object>(
  spec: PlacementSpec<T>,
): Placement<T, D> {
  const levels = spec.aliases.length
  return { ...spec, levels, keyOf: levels > 1 ? pathKey : nameKey, sql: placementSql<T, D>(spec) }
}
