import { iso, nullable, sql, Type, type All, type RawBuilder, type ReadContext, type TObject, type TProperties } from 'tasuki/plugin'
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
  status_definition_id: Type.String(),
  agile_kind: Type.String(),
  archived_at: Type.Optional(nullable(Type.String())),
}

const State = Type.Object({
  id: Type.String(),
  name: Type.String(),
  system_status: Type.String(),
  category: Type.String(),
  status_attribute: Type.String(),
  color_hex: Type.Optional(Type.String()),
})

/** Fields that reads of one item have besides. */
const singleFields: TProperties = {
  id: Type.String(),
  project_key: Type.String(),
  state: State,
  detail_length: Type.Optional(Type.Integer()),
  detail_next_offset: Type.Optional(Type.Integer()),
}

function fieldsOf(contributed: readonly ItemFields[]): TProperties {
  return Object.fromEntries(contributed.flatMap(({ fields }) => Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])))
}

/** Schema of an item in a listing, with every field that some flag may add. */
export function listedItem(all: All): TObject {
  return Type.Object({ ...baseFields, ...fieldsOf(all(itemFields).filter(fields => fields.when !== 'single')) })
}

/** Schema of an item that was read alone. */
export function singleItem(all: All): TObject {
  return Type.Object({ ...baseFields, ...singleFields, ...fieldsOf(all(itemFields)) })
}

/** The `include_*` flags that plugins contribute, with what each adds. */
export function includeFlags(all: All): { from: string; properties: TProperties }[] {
  const summaries = new Map<string, string[]>()
  for (const { when, summary } of all(itemFields)) {
    if (when.startsWith('include_')) summaries.set(when, [...(summaries.get(when) ?? []), summary])
  }
  return [...summaries].map(([flag, parts]) => ({ from: itemFields.id, properties: { [flag]: Type.Boolean({ description: `Adds ${parts.join(', ')}.` }) } }))
}

/** Code points of a body that listings show. */
const SNIPPET = 280

export interface Shape {
  /** Flags that are on (`include_area`), or `single`. */
  readonly flags: ReadonlySet<string> | 'single'
  /** How much of the body: none, the beginning, or a slice. */
  readonly detail: 'none' | 'snippet' | 'full' | { readonly offset: number; readonly max: number | null }
  /** Whether the type is shown; single reads show it always. */
  readonly type?: boolean
}

function chosen(ctx: ReadContext, { flags }: Shape): readonly ItemFields[] {
  const fields = ctx.all(itemFields)
  return flags === 'single' ? fields : fields.filter(({ when }) => when === 'always' || flags.has(when))
}

/** The select list of a read; the row source must be aliased `i` and joined by `itemJoins`. */
export function itemColumns(ctx: ReadContext, shape: Shape): RawBuilder<unknown> {
  const parts: RawBuilder<unknown>[] = [
    sql`p.key || '#' || i.number as ref, i.title, i.due_date::text as due_date, i.due_time, i.start_date::text as start_date, ${priorityName} as priority,
      s.name as status, s.system_status, s.id as status_definition_id, i.kind as agile_kind, ${iso('i.archived_at')} as archived_at`,
  ]
  if (shape.flags === 'single') {
    parts.push(sql`i.id, p.key as project_key, i.type,
      json_strip_nulls(json_build_object('id', s.id, 'name', s.name, 'system_status', s.system_status, 'category', s.category,
        'status_attribute', s.status_attribute, 'color_hex', s.color_hex)) as state`)
  } else if (shape.type) parts.push(sql`i.type`)
  const { detail } = shape
  if (detail === 'snippet') parts.push(sql`left(i.detail, ${sql.lit(SNIPPET)}) as detail, length(i.detail) as detail_length`)
  else if (detail === 'full') parts.push(sql`i.detail, length(i.detail) as detail_length`)
  else if (detail !== 'none') {
    const slice = detail.max === null ? sql`substr(i.detail, ${detail.offset + 1})` : sql`substr(i.detail, ${detail.offset + 1}, ${detail.max})`
    parts.push(sql`${slice} as detail, length(i.detail) as detail_length`)
  }
  chosen(ctx, shape).forEach((fields, n) => parts.push(sql`(${fields.sql(ctx)}) as ${sql.raw(`x${n}`)}`))
  return sql.join(parts)
}

export type Row = Record<string, unknown>

/** Turns a row of `itemColumns` into the item that callers get: contributed fields merged, what is null left out. */
export function itemFrom(ctx: ReadContext, shape: Shape, row: Row): Row {
  const item: Row = {}
  const { detail_length: length, ...plain } = row
  for (const name in plain) {
    const value = plain[name]
    if (value === null || value === undefined) continue
    if (name[0] === 'x' && /^x\d+$/.test(name)) mergePresent(item, value as Row)
    else item[name] = value
  }
  if (item['detail'] === '' && shape.flags !== 'single') delete item['detail']
  markTruncated(item, shape.detail, length as number | undefined)
  return item
}

function mergePresent(item: Row, fields: Row): void {
  for (const name in fields) {
    const value = fields[name]
    if (value === null && !NULL_MATTERS.has(name)) continue
    if (Array.isArray(value) && value.length === 0) continue
    item[name] = value
  }
}

/** Fields whose null says something: `completed_at: null` is an unfinished item. */
const NULL_MATTERS = new Set(['completed_at', 'archived_at'])

function markTruncated(item: Row, detail: Shape['detail'], length: number | undefined): void {
  if (length === undefined) return
  if (detail === 'snippet') {
    if (length > SNIPPET) item['detail_truncated'] = true
  } else if (typeof detail === 'object') {
    const end = detail.max === null ? length : detail.offset + detail.max
    if (detail.offset > 0 || end < length) item['detail_length'] = length
    if (end < length) {
      item['detail_truncated'] = true
      item['detail_next_offset'] = end
    }
  }
}

/** Reads rows for `itemFrom` by a condition on `i`, in one statement, with what references are matched by. */
export async function readItems(ctx: ReadContext, where: RawBuilder<boolean>, shape: Shape): Promise<(RefRow & { readonly columns: Row })[]> {
  const { rows } = await sql<RefRow & Row>`
    select ${itemColumns(ctx, shape)}, i.owner_id as "ownerId", i.number, p.key, ${ownerEmail} as "ownerEmail" from items.items i ${itemJoins} where ${where}
  `.execute(ctx.db)
  return rows.map(({ ownerId, number, key, ownerEmail: email, ...columns }) => ({ ownerId, number, key, ownerEmail: email ?? null, columns }))
}
