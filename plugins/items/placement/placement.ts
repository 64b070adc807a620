import type { Condition, Expression, OwnedKey, RawBuilder, ToolError, TSchema, WriteContext } from 'tasuki/plugin'
import type { Feature } from '../../projects/index.ts'
import type { ItemWriteTool } from '../points.ts'
import type { FilterSymbol } from '../query/filter.ts'

/** A named container of a project for items, such as an area; an item is in at most one of each kind. */
export interface PlaceRow extends OwnedKey {
  readonly projectId: string
  /** Null = top level. */
  readonly parentId: string | null
  readonly name: string
  /** `nameKey` of the name. */
  readonly key: string
  /** Names from the top level down, joined by `/`. */
  readonly path: string
  /** Normalized path for comparison. */
  readonly pathKey: string
  /** 1 = top level. */
  readonly depth: number
}

/** A change of place; null = none. `field` is the parameter that named the place. */
export interface PlaceChange<T> {
  readonly from: T | null
  readonly to: T | null
  readonly field: string
}

/** The move of an item from one place to another. */
export interface PlaceMove<T> extends PlaceChange<T> {
  readonly ownerId: string
  readonly itemId: string
}
export type PlaceMoves<T> = readonly PlaceMove<T>[]

/** For errors: the project in which a name is looked up, and the parameter that holds it. */
export interface PickOptions {
  readonly projectKey: string
  readonly field: string
}

/** A symbol that stands for a place. */
export interface PlaceSymbol<T> {
  readonly word: FilterSymbol
  find<R extends T>(rows: readonly R[], options: PickOptions): R | ToolError
  /** Condition on the place, for filters. */
  readonly sql: Condition
}

/** A parameter that names a place. Blank text means none, and so does null where the schema accepts it. */
export interface PlacementParam {
  readonly tool: ItemWriteTool
  readonly schema: TSchema
  /** Whether items_bulk_patch_preview shows the parameter; default true. */
  readonly previewed?: boolean
  /** Further text of items_create that means none. */
  isNone?(text: string): boolean
}

/** Names of tables and columns are inserted into SQL without escaping. */
export interface PlacementSpec<T extends PlaceRow> {
  /** For example `area`: the noun in errors, the field of changes, the filter key and the value of `has:`. */
  readonly noun: string
  /** Needs the columns owner_id, id, project_id, name, name_key and, with more than one level, parent_id. */
  readonly table: string
  /** Aliases of a place and of its ancestors, one per level. */
  readonly aliases: readonly [string, ...string[]]
  /** Needs owner_id and item_id as the primary key, and the column that references the place. */
  readonly memberTable: string
  readonly column: string
  /** Fields of a place in addition to `PlaceRow`: pairs for jsonb_build_object. */
  readonly columns?: Expression<unknown>
  /** Further fields for reads of all places of a project. */
  readonly details?: Expression<unknown>
  /** Default: by path. */
  readonly order?: Expression<unknown>
  /** In projects without this feature, items have no place. */
  readonly feature?: Feature
  readonly symbols?: readonly PlaceSymbol<T>[]
  /** Hint for an unknown name. */
  readonly missingHint: string
  /** How many names an error lists; default all. */
  readonly mostAllowed?: number
  /** Returns why an item may not move; with `from` null, why the place accepts no items. */
  refuse?(change: PlaceChange<T>, item?: { readonly completedAt: string | null }): ToolError | null
  /** Locks places before items move. @throws ToolError if the places changed since they were read */
  lock?(ctx: WriteContext, moves: PlaceMoves<T>): Promise<void>
  /**
   * An item that moves to another project goes to the place with the same path there; with this flag, otherwise to the only place with the
   * same name.
   */
  readonly movesByName?: boolean
  readonly params: Readonly<Record<string, PlacementParam>>
  /** The listing flag for `fields`; the result of a write includes only `writtenField`. */
  readonly include: `include_${string}`
  readonly fields: Readonly<Record<string, 'id' | 'name' | 'path'>>
  readonly writtenField: string
  readonly filter: { readonly summary: string; readonly example: string }
  /** Summary of `has:`. */
  readonly hasSummary: string
}

/** SQL parts of statements about places, by the aliases of their placement. */
export interface PlacementSql<T, D> {
  /** Joins the ancestors. */
  readonly ancestors: Expression<unknown>
  readonly path: RawBuilder<string>
  readonly pathKey: RawBuilder<string>
  /** Name keys of a place and of its ancestors. */
  readonly keys: readonly Expression<string>[]
  /** A place as one jsonb value; needs `ancestors`. */
  readonly row: RawBuilder<T>
  /** All places of the project `p` as a jsonb array. */
  readonly ofProject: RawBuilder<(T & D)[] | null>
  /** From the item `i` to its place and the ancestors; ends in a condition. */
  readonly ofItem: Expression<unknown>
  readonly pathOfItem: Expression<unknown>
  /** Condition that the item `i` is in a place. */
  readonly isPlaced: Condition
}

/** A kind of place with its derived SQL; `D` is the type of `details`. */
export interface Placement<T extends PlaceRow = PlaceRow, D extends object = object> extends PlacementSpec<T> {
  readonly levels: number
  /** Normalizes a name or path for comparison. */
  keyOf(text: string): string
  readonly sql: PlacementSql<T, D>
}
