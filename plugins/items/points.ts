import { choice, defineHook, definePoint, Type } from 'tasuki/plugin'
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
import type { Language } from '../portal/index.ts'
import type { Draft, ItemChange, ItemRow } from './draft.ts'
import { FILTER_TYPES, type ItemFilter, type ItemFlag } from './query/filter.ts'

export type { Draft, ItemChange } from './draft.ts'
export type { FilterContext, FilterTerm, ItemFilter, ItemFlag } from './query/filter.ts'

/**
 * Output fields that a plugin adds to items. The SQL is a scalar subquery that returns one json object (or null) with these fields. It runs
 * inside the single statement of the read, over the page's rows: `i` is the item, `p` its project, `s` its workflow state.
 */
export interface ItemFields {
  /** `always`; `single` = only reads of one item; or the listing flag that requests the fields (reads of one item always have them). */
  readonly when: 'always' | 'single' | `include_${string}`
  /** False restricts the fields of a flag to listings. */
  readonly single?: false
  /** What the flag adds, for its description. */
  readonly summary: string
  readonly fields: TProperties
  /** The fields that the result of a write includes: names, not ids. Default: all if `when` is `always`, else none. */
  readonly written?: readonly string[]
  /** Keeps null fields: in all reads, or in listings only. Default: null fields are left out. */
  readonly nulls?: 'always' | 'listed'
  /**
   * Scalar SQL (json) on `i`, `p` and `s`. Use a value instead of a function if it is the same for every caller. Both are compiled once, a
   * function for each caller: it may depend on the caller and what the caller has access to, but not on the call.
   */
  readonly sql: Expression<unknown> | ((ctx: ReadContext) => Expression<unknown>)
  /** Converts the record that was read, for what SQL cannot compute. */
  readonly convert?: (record: never) => Record<string, unknown>
}
export const itemFields = definePoint<ItemFields>('items.fields', {
  requires: ['fields', 'sql'],
  shape: Type.Object({ when: Type.String({ pattern: '^(always|single|include_.+)$' }) }),
})

/** A part of `resolved_field_policy`, which describes what the item's project allows: scalar SQL (jsonb) on `i` and `p`. */
export interface ItemPolicy {
  readonly name: string
  sql(ctx: ReadContext): Expression<unknown>
}
export const itemPolicies = definePoint<ItemPolicy>('items.policies', { requires: ['name'], calls: ['sql'] })

const WRITE_TOOLS = ['items_create', 'items_patch', 'items_bulk_patch'] as const
export type ItemWriteTool = (typeof WRITE_TOOLS)[number]

/** Parameters that a plugin adds to the tools that write items. */
export interface ItemParams<P extends TProperties = TProperties> {
  readonly tools: readonly ItemWriteTool[]
  /** Whether items_bulk_patch_preview shows the parameters; default true. */
  readonly previewed?: boolean
  readonly params: P
  /**
   * Resolves names and validates, for all drafts at once, without writing. An error of one draft goes to `draft.problems`. Call
   * `draft.change(field, from, to)` for each change, so that previews, `changed` and the history show it.
   * @returns the write to run after the item rows are written, or nothing
   */
  prepare(ctx: ReadContext, drafts: readonly Draft[], input: Partial<Static<TObject<P>>>): PreparedWrite
}
/** Writes what `prepare` resolved, for the drafts without problems, in a constant number of statements. */
export type ItemWrite = (ctx: WriteContext, drafts: readonly Draft[]) => Promise<void>
export type PreparedWrite = Promise<ItemWrite | undefined> | ItemWrite | undefined

const itemParamsPoint = definePoint<ItemParams>('items.params', {
  requires: ['tools', 'params'],
  calls: ['prepare'],
  shape: Type.Object({ tools: Type.Array(choice(WRITE_TOOLS)) }),
})
export const itemParams = Object.assign(
  <P extends TProperties>(spec: ItemParams<P>) => itemParamsPoint(spec as unknown as ItemParams),
  { point: itemParamsPoint },
)

/** The move of an item into another project; `draft.before.project` is the old one, `draft.project` the new one. */
export interface ItemMove {
  readonly draft: Draft & { readonly before: NonNullable<Draft['before']> }
  /** Records a value that also exists in the new project, by its name in each. */
  keep(field: string, from: unknown, to: unknown): void
  /** Records a value that the new project lacks, and its replacement; default nothing. */
  lose(field: string, value: unknown, instead?: unknown): void
}

/**
 * Finds the counterparts of the items' values in the project that all of them move into, and records them; must not write.
 * @returns the write for the drafts without problems
 */
export const itemMoves = defineHook<(ctx: ReadContext, moves: readonly ItemMove[]) => PreparedWrite>('items.moves')

/** Rejects items (`draft.problems.push(…)`) after all parameters are applied and before anything is written; previews call it too. */
export const itemChecks =
  defineHook<(ctx: ReadContext, drafts: readonly Draft[]) => Promise<void> | void>('items.checks')

/** The texts of an item. */
export type ItemTexts = Pick<Draft['after'], 'title' | 'detail'>

/**
 * Prepares what depends on the texts of new items alone, in the order in which the items will be written, while the database writes earlier
 * ones. Must not read or write, and the items may never be written.
 */
export const upcomingTexts = defineHook<(ctx: ReadContext, texts: readonly ItemTexts[]) => void>('items.upcomingTexts')

/** Handles changes in the same transaction, after the rows are written. Must not reject them. Constant number of statements. */
export const itemChanges =
  defineHook<(ctx: WriteContext, changes: readonly ItemChange[]) => Promise<void> | void>('items.changes')

/** A section of items_context_get: a scalar subquery on `i` that returns a json array (or object). */
export interface ItemSection {
  readonly name: string
  readonly schema: TSchema
  sql(ctx: ReadContext): Expression<unknown>
  /** For a section that shows only its first rows: the total, and the tool that reads the rest. */
  readonly rest?: { readonly total: Expression<number>; readonly tool: string }
}
export const itemSections = definePoint<ItemSection>('items.sections', { requires: ['name', 'schema'], calls: ['sql'] })

/** Adds a key to the filter language. */
export const itemFilters = definePoint<ItemFilter>('items.filters', {
  requires: ['key', 'type', 'summary', 'example'],
  calls: ['sql'],
  shape: Type.Object({ type: choice(FILTER_TYPES) }),
})
/** Adds a value to `is:`. */
export const itemIs = definePoint<ItemFlag>('items.is', { requires: ['value', 'summary'], calls: ['sql'] })
/** Adds a value to `has:` and `no:`. */
export const itemHas = definePoint<ItemFlag>('items.has', { requires: ['value', 'summary'], calls: ['sql'] })
/** Conditions, any of which makes an item without a date count as someday instead of anytime. */
export const itemSomeday = defineHook<(ctx: ReadContext) => Condition>('items.someday')

/** The word index of items; without it, words are searched in the texts themselves. */
export interface ItemWords {
  /** Joins a word table to `i` as `words`. */
  readonly join: Expression<unknown>
  /** Returns the condition on `words` for items that contain a word, or a phrase with spaces; null for text without words. */
  has(text: string): Condition | null
}
export const itemWords = definePoint<ItemWords>('items.words')

/** A further field that items_grep searches. */
export interface ItemGrepField {
  readonly name: string
  /** Searched if the call names no fields. */
  readonly byDefault: boolean
  /** Scalar subquery on `i`: jsonb array of the texts, or null. */
  texts(ctx: ReadContext, input: Readonly<Record<string, unknown>>): Expression<unknown>
  /**
   * Uncorrelated subquery for the ids of items that may have a matching text, which avoids a scan of all items. If thousands match, it is
   * evaluated per item instead, so an index on the item's id should serve it.
   * @param mayMatch condition on a text column, which a trigram index can serve
   */
  candidates?(
    ctx: ReadContext,
    mayMatch: (column: string) => Condition,
    input: Readonly<Record<string, unknown>>,
  ): Expression<unknown>
  /** Parameters of items_grep for this field. */
  readonly params?: TProperties
}
export const itemGrepFields = definePoint<ItemGrepField>('items.grepFields', { requires: ['name'], calls: ['texts'] })

/** Another form of `item_ref`, for example `PREFIX-12`. */
export interface ItemRefForm {
  /** Returns whether a text (NFKC, trimmed) has this form. */
  matches(text: string): boolean
  /** Returns the condition on the item row `i` for such a text. */
  sql(ctx: ReadContext, text: string): Condition
}
export const itemRefs = definePoint<ItemRefForm>('items.refs', { calls: ['matches', 'sql'] })

/** What the page that edits an item shows of a field. */
export interface EditedValue {
  readonly value: string
  /** Label by value, for a value that is chosen; without it, the value is a text. */
  readonly choices?: Readonly<Record<string, string>>
  readonly hint?: Readonly<Record<Language, string>>
}

/** A field on the page of the portal that edits an item. */
export interface ItemEdit {
  /** Errors of `prepare` name it as their field. */
  readonly name: string
  readonly label: Readonly<Record<Language, string>>
  /** Reads the value; null for an item without this field. */
  load(ctx: ReadContext, item: ItemRow): Promise<EditedValue | null>
  /** Resolves a value that was changed, as `prepare` of `ItemParams` does. */
  prepare(ctx: ReadContext, drafts: readonly Draft[], value: string): PreparedWrite
}
export const itemEdits = definePoint<ItemEdit>('items.edits', {
  requires: ['name', 'label'],
  calls: ['load', 'prepare'],
})

/** All extension points, for the plugin's declaration. */
export const points = [
  itemFields,
  itemPolicies,
  itemParams.point,
  itemMoves,
  itemChecks,
  upcomingTexts,
  itemChanges,
  itemSections,
  itemFilters,
  itemIs,
  itemHas,
  itemSomeday,
  itemWords,
  itemGrepFields,
  itemRefs,
  itemEdits,
]

/** Returns the contributed parameters of one tool, for its schema. */
export function contributedParams(
  all: All,
  tool: ItemWriteTool | 'items_bulk_patch_preview',
): { from: string; properties: TProperties }[] {
  const isPreview = tool === 'items_bulk_patch_preview'
  return all(itemParams.point)
    .filter(({ tools, previewed }) =>
      isPreview ? tools.includes('items_bulk_patch') && previewed !== false : tools.includes(tool),
    )
    .map(spec => ({ from: itemParams.point.id, properties: spec.params }))
}

/** Returns the contributed parameters of items_create with the given names, for tools that create items of another type. */
export function chosenParams(all: All, names: readonly string[]): { from: string; properties: TProperties }[] {
  return contributedParams(all, 'items_create').flatMap(({ from, properties }) => {
    const chosen = Object.entries(properties).filter(([name]) => names.includes(name))
    return chosen.length > 0 ? [{ from, properties: Object.fromEntries(chosen) }] : []
  })
}
