import {
  iso,
  nullable,
  renderFragment,
  sql,
  Type,
  widen,
  type All,
  type RawBuilder,
  type ReadContext,
  type Static,
  type TObject,
  type TProperties,
} from 'tasuki/plugin'
import { keyColumn } from '../projects/index.ts'
import { itemJoins, priorityName } from './find.ts'
import { itemFields, type ItemFields } from './points.ts'
import { ownerEmail, type RefRow } from './refs.ts'

/** Fields of every item in a listing. */
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
  {
    category: Type.String(),
    status_attribute: Type.String(),
    color_hex: Type.Optional(Type.String()),
  },
  { description: 'Of the state that status names.' },
)

/** Fields that reads of one item have besides. */
const singleFields: TProperties = {
  id: Type.String(),
  project_key: Type.String(),
  status_definition_id: Type.String(),
  state: State,
  detail_length: Type.Optional(Type.Integer()),
  detail_next_offset: Type.Optional(Type.Integer()),
}

/** An object with what plugins add to it. @throws when two add the same field, which stops the boot */
function withFields(base: TProperties, contributed: readonly ItemFields[]): TObject {
  return widen(
    Type.Object(base),
    contributed.map(({ fields }) => ({ from: itemFields.id, properties: fields })),
  )
}

/** Schema of an item in a listing, with every field that some flag may add. */
export function listedItem(all: All): TObject {
  return withFields(
    baseFields,
    all(itemFields).filter(fields => fields.when !== 'single'),
  )
}

/** Schema of an item that was read alone. */
export function singleItem(all: All): TObject {
  return withFields({ ...baseFields, ...singleFields }, all(itemFields).filter(onSingle))
}

/** The `include_*` flags that plugins contribute, with what each adds. */
export function includeFlags(all: All): { from: string; properties: TProperties }[] {
  const summaries = new Map<string, string[]>()
  for (const { when, summary } of all(itemFields)) {
    if (when.startsWith('include_')) summaries.set(when, [...(summaries.get(when) ?? []), summary])
  }
  return [...summaries].map(([flag, parts]) => ({
    from: itemFields.id,
    properties: { [flag]: Type.Boolean({ description: `Adds ${parts.join(', ')}.` }) },
  }))
}

/** Code points of a body that listings show. */
const SNIPPET = 280

/** In code points; max null = to the end. */
export interface Slice {
  readonly offset: number
  readonly max: number | null
}

export interface Shape {
  /** Flags that are on (`include_area`); or `single`, for all that is known of one item; or `written`, for the answer of a write. */
  readonly flags: ReadonlySet<string> | 'single' | 'written'
  /** How much of the body: none, the beginning, or a slice. */
  readonly detail: 'none' | 'snippet' | 'full' | Slice
}

function onSingle({ single }: ItemFields): boolean {
  return single !== false
}

function chooseFields(ctx: ReadContext, { flags }: Shape): readonly ItemFields[] {
  const fields = ctx.all(itemFields)
  if (flags === 'single') return fields.filter(onSingle)
  if (flags === 'written') return fields.filter(({ when, written }) => when === 'always' || written !== undefined)
  return fields.filter(({ when }) => when === 'always' || flags.has(when))
}

const baseColumns = renderFragment(sql`i.title, i.due_date::text as due_date, i.due_time,
  i.start_date::text as start_date, ${priorityName} as priority, s.name as status, s.system_status,
  i.kind as agile_kind, ${iso('i.archived_at')} as archived_at`)

const singleColumns = sql.raw(
  'i.id, i.type, s.id as status_definition_id, s.category as state_category, s.status_attribute as state_attribute, s.color_hex as state_color',
)

const start = `left(i.detail, ${SNIPPET})`
// Bytes are compared, because counting characters would read every body to its end.
const truncated = `nullif(octet_length(i.detail) > octet_length(${start}), false) as detail_truncated`
const snippet = sql.raw(`nullif(${start}, '') as detail, ${truncated}`)

function detailColumns({ detail }: Shape): RawBuilder<unknown> | null {
  if (detail === 'none') return null
  if (detail === 'snippet') return snippet
  if (detail === 'full') return sql.raw('i.detail')
  const { offset, max } = detail
  if (offset === 0 && max === null) return sql.raw('i.detail, length(i.detail) as detail_length')
  const slice = max === null ? sql`substr(i.detail, ${offset + 1})` : sql`substr(i.detail, ${offset + 1}, ${max})`
  return sql`${slice} as detail, length(i.detail) as detail_length`
}

/** What plugins add to a shape. */
interface Contributed {
  /** In their order; neighbours that are the same for every caller are one text. */
  readonly parts: readonly ItemFields['sql'][]
  /** Fields that are there also when they are null. */
  readonly nulls: ReadonlySet<string>
  /** Fields that are read with others of their plugin and not shown. */
  readonly hidden: ReadonlySet<string>
}
const contributedBy = new WeakMap<readonly ItemFields[], Map<string, Contributed>>()

function contributedTo(ctx: ReadContext, shape: Shape): Contributed {
  const all = ctx.all(itemFields)
  let shapes = contributedBy.get(all)
  if (!shapes) contributedBy.set(all, (shapes = new Map()))
  const name = typeof shape.flags === 'string' ? shape.flags : [...shape.flags].toSorted().join()
  let found = shapes.get(name)
  if (!found) {
    const list = chooseFields(ctx, shape)
    shapes.set(
      name,
      (found = { parts: mergeFields(list), nulls: shownNulls(list, shape), hidden: hiddenFields(list, shape) }),
    )
  }
  return found
}

function shownNulls(list: readonly ItemFields[], { flags }: Shape): ReadonlySet<string> {
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

function mergeFields(list: readonly ItemFields[]): readonly ItemFields['sql'][] {
  const parts: ItemFields['sql'][] = []
  let constant: RawBuilder<unknown>[] = []
  const close = (): void => {
    if (constant.length > 0) parts.push(renderFragment(sql.join(constant)))
    constant = []
  }
  for (const { sql: part } of list) {
    if (typeof part !== 'function') constant.push(sql`(${part})`)
    else {
      close()
      parts.push(ctx => sql`(${part(ctx)})`)
    }
  }
  close()
  return parts
}

/** The select list of a read; the row source must be aliased `i` and joined by `itemJoins`. */
export function itemColumns(ctx: ReadContext, shape: Shape): RawBuilder<unknown> {
  const key = keyColumn(ctx, 'p')
  const parts: RawBuilder<unknown>[] = [sql`${key} || '#' || i.number as ref`, baseColumns]
  if (shape.flags === 'single') parts.push(sql`${key} as project_key`, singleColumns)
  else if (shape.flags === 'written') parts.push(sql.raw(`nullif(i.type, 'task') as type`))
  const detail = detailColumns(shape)
  if (detail) parts.push(detail)
  const added = contributedTo(ctx, shape).parts.map(part => (typeof part === 'function' ? part(ctx) : part))
  if (added.length > 0) parts.push(sql`json_build_array(${sql.join(added)}) as contributed`)
  return sql.join(parts)
}

export type Row = Record<string, unknown>

/** Makes the items that callers get of rows of `itemColumns`: contributed fields merged, what says nothing left out. */
export function itemsFrom(ctx: ReadContext, shape: Shape, rows: readonly Row[]): Row[] {
  const rules = contributedTo(ctx, shape)
  return rows.map(row => itemOf(shape, rules, row))
}

/** Makes the item that callers get of one row, as `itemsFrom`. */
export function itemFrom(ctx: ReadContext, shape: Shape, row: Row): Row {
  return itemOf(shape, contributedTo(ctx, shape), row)
}

function itemOf(
  { flags, detail }: Shape,
  { nulls, hidden }: Contributed,
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
  for (const fields of (added ?? []) as readonly (Row | null)[]) if (fields) addPresent(item, fields, nulls, hidden)
  // Reads of one item ask for everything, and this null says that it is not archived.
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

function addSlice(item: Row, { offset, max }: Slice, length: number): void {
  const end = max === null ? length : offset + max
  if (offset > 0 || end < length) item['detail_length'] = length
  if (end >= length) return
  item['detail_truncated'] = true
  item['detail_next_offset'] = end
}

/** A row of a read, with what references are matched by. */
export type FoundRow = RefRow & { readonly columns: Row }

/**
 * Reads rows for `itemFrom` by a condition on `i`, in one statement.
 * @param extra further columns, each with a comma before it
 */
export async function readItems(
  ctx: ReadContext,
  where: RawBuilder<boolean>,
  shape: Shape,
  extra: RawBuilder<unknown> = sql``,
): Promise<FoundRow[]> {
  const { rows } = await sql<RefRow & Row>`
    select ${itemColumns(ctx, shape)}, i.owner_id as "ownerId", i.number, p.key, i.former_keys as "formerKeys", ${ownerEmail(ctx)} as "ownerEmail" ${extra}
    from items.items i ${itemJoins} where ${where}
  `.execute(ctx.db)
  return rows.map(({ ownerId, number, key, formerKeys, ownerEmail: email, ...columns }) => ({
    ownerId,
    number,
    key,
    formerKeys: formerKeys ?? null,
    ownerEmail: email ?? null,
    columns,
  }))
}
