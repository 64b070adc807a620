import { countCharacters, firstCharacters, nullable, Type, widen } from 'tasuki/plugin'
import type { All, ReadContext, Static, TObject, TProperties } from 'tasuki/plugin'
import type { Row } from './item-columns.repository.ts'
import { chooseFields, isOnSingleRead, nameOfFlags, type Shape, type Slice } from './item-shape.ts'
import { itemFields, type ItemFields } from './points.ts'

/** Fields of every listed item. */
const baseFields: TProperties = {
  ref: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.String(),
  detail: Type.Optional(Type.String()),
  detail_truncated: Type.Optional(Type.Boolean()),
  due_date: Type.Optional(nullable(Type.String())),
  due_time: Type.Optional(nullable(Type.String())),
  start_date: Type.Optional(nullable(Type.String())),
  priority: Type.Optional(nullable(Type.String())),
  status: Type.String(),
  system_status: Type.String(),
  agile_kind: Type.String(),
  archived_at: Type.Optional(nullable(Type.String())),
}

const State = Type.Object(
  { category: Type.String(), status_attribute: Type.String(), color_hex: Type.Optional(Type.String()) },
  { description: 'Of the state that status names.' },
)

/** Further fields for reads of one item. */
const singleFields: TProperties = {
  id: Type.String(),
  project_key: Type.String(),
  status_definition_id: Type.String(),
  state: State,
  detail_length: Type.Optional(Type.Integer()),
  detail_next_offset: Type.Optional(Type.Integer()),
}

/** Returns an object schema with contributed fields. @throws if two plugins add the same field, which aborts the boot */
function withFields(base: TProperties, contributed: readonly ItemFields[]): TObject {
  const additions = contributed.map(({ fields }) => ({ from: itemFields.id, properties: fields }))
  return widen(Type.Object(base), additions)
}

/** Returns the schema of a listed item, with the fields of all flags. */
export function listItemSchema(all: All): TObject {
  const listed = all(itemFields).filter(fields => fields.when !== 'single')
  return withFields(baseFields, listed)
}

/** Returns the schema of a single item. */
export function singleItem(all: All): TObject {
  return withFields({ ...baseFields, ...singleFields }, all(itemFields).filter(isOnSingleRead))
}

/** Returns the contributed `include_*` flags with descriptions of what they add. */
export function includeFlags(all: All): { from: string; properties: TProperties }[] {
  const summaries = new Map<string, string[]>()
  for (const { when, summary } of all(itemFields))
    if (when.startsWith('include_')) summaries.set(when, [...(summaries.get(when) ?? []), summary])
  return [...summaries].map(([flag, parts]) => ({
    from: itemFields.id,
    properties: { [flag]: Type.Boolean({ description: `Adds ${parts.join(', ')}.` }) },
  }))
}

/** How the fields of a shape are shown. */
interface FieldRules {
  /** Fields that are kept when they are null. */
  readonly nulls: ReadonlySet<string>
  /** Fields that are read along with others but not shown. */
  readonly hidden: ReadonlySet<string>
  /** The conversion of each record, in the order of the fields. */
  readonly converts: readonly (ItemFields['convert'] | undefined)[]
}
const rulesByShape = new WeakMap<readonly ItemFields[], Map<string, FieldRules>>()

function rulesOf(ctx: ReadContext, shape: Shape): FieldRules {
  const all = ctx.all(itemFields)
  let shapes = rulesByShape.get(all)
  if (!shapes) rulesByShape.set(all, (shapes = new Map()))
  const name = nameOfFlags(shape)
  let rules = shapes.get(name)
  if (!rules) {
    const list = chooseFields(ctx, shape)
    const converts = list.map(({ convert }) => convert)
    shapes.set(name, (rules = { nulls: listShownNulls(list, shape), hidden: hiddenFields(list, shape), converts }))
  }
  return rules
}

function listShownNulls(list: readonly ItemFields[], { flags }: Shape): ReadonlySet<string> {
  if (flags === 'written') return new Set()
  const shown = list.filter(({ nulls }) => nulls === 'always' || (nulls === 'listed' && flags !== 'single'))
  return new Set(shown.flatMap(({ fields }) => Object.keys(fields)))
}

function hiddenFields(list: readonly ItemFields[], { flags }: Shape): ReadonlySet<string> {
  if (flags !== 'written') return new Set()
  return new Set(
    list.flatMap(({ fields, written }) => Object.keys(fields).filter(name => written && !written.includes(name))),
  )
}

/** Converts rows of `itemColumns` to items for callers: merges contributed fields and removes empty ones. */
export function itemsFrom(ctx: ReadContext, shape: Shape, rows: readonly Row[]): Row[] {
  const rules = rulesOf(ctx, shape)
  return rows.map(row => itemOf(shape, rules, row))
}

/** Converts one row, as `itemsFrom` does. */
export function itemFrom(ctx: ReadContext, shape: Shape, row: Row): Row {
  return itemOf(shape, rulesOf(ctx, shape), row)
}

function itemOf(
  { flags, detail }: Shape,
  { nulls, hidden, converts }: FieldRules,
  { contributed: added, detail_length: length, state_category, state_attribute, state_color, ...columns }: Row,
): Row {
  const item: Row = {}
  addPresent(item, columns)
  if (flags === 'single')
    item['state'] = {
      category: state_category,
      status_attribute: state_attribute,
      ...(state_color !== null && { color_hex: state_color }),
    } satisfies Partial<Record<keyof Static<typeof State>, unknown>>
  for (const [n, fields] of ((added ?? []) as readonly (Row | null)[]).entries())
    if (fields) addPresent(item, converts[n]?.(fields as never) ?? fields, nulls, hidden)
  // A read of one item returns everything, and this null means that the item is not archived.
  if (flags === 'single') item['archived_at'] ??= null
  if (typeof detail === 'object') addSlice(item, detail, length as number)
  return item
}

function addPresent(item: Row, fields: Row, nulls?: ReadonlySet<string>, hidden?: ReadonlySet<string>): void {
  for (const name in fields) {
    const value = fields[name]
    const absent = value === null ? !nulls?.has(name) : Array.isArray(value) && value.length === 0
    if (!absent && !hidden?.has(name)) item[name] = value
  }
}

/** Shortens the body of an item that was read from `offset`, as a slice. @param most code points */
export function shortenDetail<I extends { readonly detail?: string }>(item: I, most: number, offset = 0): I {
  const { detail = '' } = item
  const length = countCharacters(detail)
  if (length <= most) return item
  const short: Row = { ...item, detail: firstCharacters(detail, most) }
  addSlice(short, { offset, max: most }, (short['detail_length'] as number | undefined) ?? offset + length)
  return short as unknown as I
}

function addSlice(item: Row, { offset, max }: Slice, length: number): void {
  const end = max === null ? length : offset + max
  if (offset > 0 || end < length) item['detail_length'] = length
  if (end >= length) return
  item['detail_truncated'] = true
  item['detail_next_offset'] = end
}
