import type { Condition, Expression, OwnedKey, RawBuilder, ToolError, TSchema, WriteContext } from 'tasuki/plugin'
import type { Feature } from '../../projects/index.ts'
import type { ItemWriteTool } from '../points.ts'
import type { FilterSymbol } from '../query/filter.ts'

/** A named thing of a project that items are in, such as an area; an item is in one of its kind at most. */
export interface PlaceRow extends OwnedKey {
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

/** From one place to another; null = none. `field` is the parameter that the place came from. */
export interface PlaceChange<T> {
  readonly from: T | null
  readonly to: T | null
  readonly field: string
}

/** An item on its way from one place to another. */
export interface PlaceMove<T> extends PlaceChange<T> {
  readonly ownerId: string
  readonly itemId: string
}

/** For errors: the project that a name is looked up in, and the parameter that it came from. */
export interface PickOptions {
  readonly projectKey: string
  readonly field: string
}

/** A word that stands for a place. */
export interface PlaceSymbol<T> {
  readonly word: FilterSymbol
  find<R extends T>(rows: readonly R[], options: PickOptions): R | ToolError
  /** Condition on the place, for the filter. */
  readonly sql: Condition
}

/** A parameter that names a place. Blank text and, where the schema accepts it, null mean none. */
export interface PlacementParam {
  readonly tool: ItemWriteTool
  readonly schema: TSchema
  /** Whether items_bulk_patch_preview shows it; default true. */
  readonly previewed?: boolean
  /** Other text of items_create that means none. */
  isNone?(text: string): boolean
}

/** Names of tables and columns are written into SQL as they are. */
export interface PlacementSpec<T extends PlaceRow> {
  /** For example `area`: in errors, the field of changes, the filter key, the value of `has:`. */
  readonly noun: string
  /** Has owner_id, id, project_id, name, name_key and, with more than one level, parent_id. */
  readonly table: string
  /** Aliases of a place and of those above it, as many as there are levels. */
  readonly aliases: readonly [string, ...string[]]
  /** Has owner_id and item_id, its primary key, and the column that refers to the place. */
  readonly memberTable: string
  readonly column: string
  /** Fields of a place besides those of `PlaceRow`: pairs for jsonb_build_object. */
  readonly columns?: Expression<unknown>
  /** Further fields where all places of a project are read. */
  readonly details?: Expression<unknown>
  /** Default: by path. */
  readonly order?: Expression<unknown>
  /** Without this feature of a project, its items are in none. */
  readonly feature?: Feature
  readonly symbols?: readonly PlaceSymbol<T>[]
  /** What to do where a name is unknown. */
  readonly missingHint: string
  /** Names that an error lists; default all. */
  readonly mostAllowed?: number
  /** Why an item may not move; with `from` null, why the place takes nothing new. */
  refuse?(change: PlaceChange<T>, isCompleted: boolean): ToolError | null
  /** Locks places before items move. @throws ToolError when they are no longer as they were read */
  lock?(ctx: WriteContext, moves: readonly PlaceMove<T>[]): Promise<void>
  /** Items that change the project go to the place of their path there; with this, else to the only one of that name. */
  readonly movesByName?: boolean
  readonly params: Readonly<Record<string, PlacementParam>>
  /** The flag of listings that shows the fields of items, and the one that the answer of a write shows. */
  readonly include: `include_${string}`
  readonly fields: Readonly<Record<string, 'id' | 'name' | 'path'>>
  readonly writtenField: string
  readonly filter: { readonly summary: string; readonly example: string }
  /** Summary of `has:`. */
  readonly hasSummary: string
}

/** Parts of statements about places, by the aliases of their placement. */
export interface PlacementSql<T, D> {
  /** Joins the places above. */
  readonly ancestors: Expression<unknown>
  readonly path: RawBuilder<string>
  readonly pathKey: RawBuilder<string>
  /** Name keys of a place and of those above. */
  readonly keys: readonly Expression<string>[]
  /** A place as one jsonb value, with `ancestors`. */
  readonly row: RawBuilder<T>
  /** All places of the project `p` as a jsonb array. */
  readonly ofProject: RawBuilder<(T & D)[] | null>
  /** From the item `i` to its place and those above, ending in a condition. */
  readonly ofItem: Expression<unknown>
  /** The path of the place of the item `i`. */
  readonly pathOfItem: Expression<unknown>
  /** The item `i` is in a place. */
  readonly isPlaced: Condition
}

/** A kind of place with what follows from its declaration; `D` is what `details` adds. */
export interface Placement<T extends PlaceRow = PlaceRow, D extends object = object> extends PlacementSpec<T> {
  readonly levels: number
  /** A name or path as it is compared. */
  keyOf(text: string): string
  readonly sql: PlacementSql<T, D>
}
