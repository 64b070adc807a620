import { definePoint } from 'tasuki/plugin'
import type {
  All,
  Condition,
  Expression,
  ReadContext,
  Static,
  TObject,
  TProperties,
  TSchema,
  WriteContext,
} from 'tasuki/plugin'
import type { Draft, ItemChange } from './draft.ts'
import type { ItemFilter, ItemFlag } from './query/filter.ts'

export type { Draft, ItemChange } from './draft.ts'
export type { FilterContext, FilterTerm, ItemFilter, ItemFlag } from './query/filter.ts'

/**
 * Output fields that a plugin adds to items. The SQL is a scalar sub-select that returns one json object (or null) with these fields;
 * it runs inside the one statement of the read, over the page's rows: `i` is the item, `p` its project, `s` its workflow state.
 */
export interface ItemFields {
  /** `always`; `single` = reads of one item only; else the flag of the listings that asks for it (single reads have it always). */
  readonly when: 'always' | 'single' | `include_${string}`
  /** False keeps the fields of a flag to listings. */
  readonly single?: false
  /** What the flag adds, for its description. */
  readonly summary: string
  readonly fields: TProperties
  /** Those of the fields that the answer of a write shows: names, not ids. Without it a write shows them only if they are there `always`. */
  readonly written?: readonly string[]
  /** Where its fields are there also when they are null: in all reads, or in listings only; left out, such fields are left out. */
  readonly nulls?: 'always' | 'listed'
  /** Scalar SQL (json) on `i`, `p` and `s`; a value, not a function, where it is the same for every caller, since that is written once. */
  readonly sql: Expression<unknown> | ((ctx: ReadContext) => Expression<unknown>)
}
export const itemFields = definePoint<ItemFields>('items.fields')

/** A part of `resolved_field_policy`, which tells what the item's project allows: scalar SQL (jsonb) on `i` and `p`. */
export interface ItemPolicy {
  readonly name: string
  sql(ctx: ReadContext): Expression<unknown>
}
export const itemPolicies = definePoint<ItemPolicy>('items.policies')

export type ItemWriteTool = 'items_create' | 'items_patch' | 'items_bulk_patch'

/** Parameters that a plugin adds to the tools that write items. */
export interface ItemParams<P extends TProperties = TProperties> {
  readonly tools: readonly ItemWriteTool[]
  /** Also shown by items_bulk_patch_preview; default true. */
  readonly previewed?: boolean
  readonly params: P
  /**
   * Resolves names and checks, for all drafts at once; may not write. A refusal that concerns one draft goes to `draft.problems`.
   * Call `draft.change(field, from, to)` for what changes, so that previews, `changed` and the history show it.
   * @returns what to write once the item rows are there, or nothing.
   */
  prepare(
    ctx: ReadContext,
    drafts: readonly Draft[],
    input: Partial<Static<TObject<P>>>,
  ): Promise<ItemWrite | undefined> | ItemWrite | undefined
}
/** Writes what `prepare` resolved, for the drafts without problems; a few statements whatever their number. */
export type ItemWrite = (ctx: WriteContext, drafts: readonly Draft[]) => Promise<void>

const itemParamsPoint = definePoint<ItemParams>('items.params')
export const itemParams = Object.assign(
  <P extends TProperties>(spec: ItemParams<P>) => itemParamsPoint(spec as unknown as ItemParams),
  { point: itemParamsPoint },
)

/** An item on its way into another project; `draft.before.project` is the one that it leaves, `draft.project` the new one. */
export interface ItemMove {
  readonly draft: Draft & { readonly before: NonNullable<Draft['before']> }
  /** Notes what the item has of its project and the new project has as well, by the name in each. */
  keep(field: string, from: unknown, to: unknown): void
  /** Notes what the new project lacks, and what the item gets instead; default nothing. */
  lose(field: string, value: unknown, instead?: unknown): void
}

/**
 * Finds what items have of their projects in the project that all of them move into, and notes it; may not write.
 * @returns what moves it along, or nothing; it gets the drafts without problems.
 */
export const itemMoves =
  definePoint<(ctx: ReadContext, moves: readonly ItemMove[]) => Promise<ItemWrite | undefined> | ItemWrite | undefined>(
    'items.moves',
  )

/** May refuse items (`draft.problems.push(…)`) after all parameters are applied and before anything is written; previews ask it too. */
export const itemChecks =
  definePoint<(ctx: ReadContext, drafts: readonly Draft[]) => Promise<void> | void>('items.checks')

/** Follows changes, in the same transaction, after the rows are written. Must not refuse. A few statements whatever the number. */
export const itemChanges =
  definePoint<(ctx: WriteContext, changes: readonly ItemChange[]) => Promise<void> | void>('items.changes')

/** A section of items_context_get: a scalar sub-select on `i` that returns a json array (or object). */
export interface ItemSection {
  readonly name: string
  readonly schema: TSchema
  sql(ctx: ReadContext): Expression<unknown>
  /** Of a section that shows the first of its rows: how many there are, and which call reads the rest. */
  readonly rest?: { readonly total: Expression<number>; readonly tool: string }
}
export const itemSections = definePoint<ItemSection>('items.sections')

/** A key of the filter language. */
export const itemFilters = definePoint<ItemFilter>('items.filters')
/** A value of `is:`. */
export const itemIs = definePoint<ItemFlag>('items.is')
/** A value of `has:` and `no:`. */
export const itemHas = definePoint<ItemFlag>('items.has')
/** Conditions (any of them) under which an item without a date counts as someday instead of anytime. */
export const itemSomeday = definePoint<(ctx: ReadContext) => Condition>('items.someday')

/** Where the words of items are looked up; without it their texts are looked through. */
export interface ItemWords {
  /** Joins a table of words to `i`, as `words`. */
  readonly join: Expression<unknown>
  /** The condition on `words` for items that have a word, or a phrase with spaces; null where it is none. */
  has(text: string): Condition | null
}
export const itemWords = definePoint<ItemWords>('items.words')

/** A further field that items_grep searches. */
export interface ItemGrepField {
  readonly name: string
  /** Searched when the call names no fields. */
  readonly byDefault: boolean
  /** Scalar sub-select on `i`: jsonb array of the texts, or null. */
  texts(ctx: ReadContext, input: Readonly<Record<string, unknown>>): Expression<unknown>
  /**
   * Uncorrelated sub-select of the ids of items one of whose texts may match, which spares looking at the texts of every item.
   * Where thousands match it is asked for one item after the other instead, so an index on the item's id should serve it.
   * @param mayMatch condition on a column of texts, which a trigram index can serve
   */
  candidates?(
    ctx: ReadContext,
    mayMatch: (column: string) => Condition,
    input: Readonly<Record<string, unknown>>,
  ): Expression<unknown>
  /** Parameters of items_grep that belong to it. */
  readonly params?: TProperties
}
export const itemGrepFields = definePoint<ItemGrepField>('items.grepFields')

/** Another form of `item_ref`, for example `PREFIX-12`. */
export interface ItemRefForm {
  /** Whether a text (NFKC, trimmed) has this form. */
  matches(text: string): boolean
  /** Condition on the item row `i` for such a text. */
  sql(ctx: ReadContext, text: string): Condition
}
export const itemRefs = definePoint<ItemRefForm>('items.refs')

/** All points, for the plugin's declaration. */
export const points = [
  itemFields,
  itemPolicies,
  itemParams.point,
  itemMoves,
  itemChecks,
  itemChanges,
  itemSections,
  itemFilters,
  itemIs,
  itemHas,
  itemSomeday,
  itemWords,
  itemGrepFields,
  itemRefs,
]

/** The contributed parameters of one tool, for widening its schema. */
export function contributedParams(
  all: All,
  tool: ItemWriteTool,
  preview = false,
): { from: string; properties: TProperties }[] {
  return all(itemParams.point)
    .filter(spec => spec.tools.includes(tool) && (!preview || spec.previewed !== false))
    .map(spec => ({ from: itemParams.point.id, properties: spec.params }))
}

/** Of them those of the given names, for tools that make items of another type. */
export function chosenParams(
  all: All,
  tool: ItemWriteTool,
  names: readonly string[],
): { from: string; properties: TProperties }[] {
  return contributedParams(all, tool).flatMap(({ from, properties }) => {
    const chosen = Object.entries(properties).filter(([name]) => names.includes(name))
    return chosen.length > 0 ? [{ from, properties: Object.fromEntries(chosen) }] : []
  })
}
