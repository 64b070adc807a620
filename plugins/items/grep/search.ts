import { sql, ToolError, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { visible } from '../../projects/index.ts'
import { archivedRule, compileFilter } from '../filters.ts'
import { itemJoins } from '../find.ts'
import { itemGrepFields } from '../points.ts'
import type { Pattern } from './pattern.ts'

/** Fields that the items plugin itself brings. */
export const OWN_FIELDS = ['title', 'detail'] as const

/** A field to search: SQL of a jsonb array of texts, and a condition that rows with a match meet. */
export interface GrepField {
  readonly name: string
  readonly texts: RawBuilder<unknown>
  candidate(pattern: Pattern): RawBuilder<boolean>
}

/** The fields that a call names, or those that are searched by default. */
export function grepFields(ctx: ReadContext, input: object): GrepField[] {
  const { fields: named } = input as { fields?: readonly string[] }
  const own = OWN_FIELDS.filter(name => !named || named.includes(name)).map(ownField)
  const others = ctx
    .all(itemGrepFields)
    .filter(field => (named ? named.includes(field.name) : field.byDefault))
    .map(field => contributedField(field.name, field.texts(ctx, input as Readonly<Record<string, unknown>>)))
  return [...own, ...others]
}

function ownField(name: (typeof OWN_FIELDS)[number]): GrepField {
  const column = sql.ref(`i.${name}`)
  return { name, texts: sql`json_build_array(${column})`, candidate: pattern => pattern.sqlCandidate(column) }
}

function contributedField(name: string, texts: RawBuilder<unknown>): GrepField {
  return {
    name,
    texts,
    candidate: pattern =>
      sql<boolean>`exists (select from jsonb_array_elements_text((${texts})::jsonb) as t (text) where ${pattern.sqlCandidate('t.text')})`,
  }
}

export interface GrepRequest {
  readonly pattern: Pattern
  readonly fields: readonly GrepField[]
  readonly filters: string | undefined
  readonly limit: number
  /** Snippets per item; 0 = counts only. */
  readonly snippets: number
  readonly context: number
  readonly cursor: string | undefined
}

export interface GrepItem {
  readonly ref: string
  readonly title: string
  readonly type: string
  readonly count: number
  readonly snippets?: { field: string; before: string; match: string; after: string }[]
}
export interface GrepResult {
  readonly items: GrepItem[]
  readonly next_cursor: string | null
  readonly has_more: boolean
  readonly warnings?: string[]
}

interface Candidate {
  readonly ref: string
  readonly title: string
  readonly type: string
  readonly ownerId: string
  readonly number: number
  readonly texts: readonly (readonly string[] | null)[]
}

/** Statements of one call: candidates that turn out to be none may cost more than one, but never without bound. */
const ROUNDS = 4
/** Milliseconds that one call may spend on matching. */
const MATCHING_MS = 3000

/** Finds matching items in the order of their owners and numbers; the cursor is the last item that was looked at. */
export async function grepItems(ctx: ReadContext, request: GrepRequest): Promise<GrepResult> {
  const query =
    request.filters === undefined ? null : compileFilter(ctx, request.filters, { ignoreWords: true, field: 'filters' })
  const warnings =
    query && query.ignoredWords.length > 0
      ? [`Free words in filters were ignored: ${query.ignoredWords.join(' ')}.`]
      : []
  const conditions: RawBuilder<boolean>[] = [
    visible(ctx, 'i'),
    archivedRule(query),
    ...(query?.where ? [query.where] : []),
    sql`(${sql.join(
      request.fields.map(field => field.candidate(request.pattern)),
      sql` or `,
    )})`,
  ]
  const items: GrepItem[] = []
  let last = request.cursor === undefined ? null : readCursor(request.cursor)
  const began = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    const batch = Math.min(2 * (request.limit - items.length) + 10, 200)
    const rows = await candidates(ctx, request.fields, conditions, last, batch)
    for (const row of rows) {
      if (items.length === request.limit || performance.now() - began > MATCHING_MS) return page(items, last, warnings)
      const item = matched(request, row)
      if (item) items.push(item)
      last = { ownerId: row.ownerId, number: row.number }
    }
    if (rows.length < batch) return page(items, null, warnings)
  }
  return page(items, last, warnings)
}

async function candidates(
  ctx: ReadContext,
  fields: readonly GrepField[],
  conditions: readonly RawBuilder<boolean>[],
  after: Cursor | null,
  limit: number,
): Promise<readonly Candidate[]> {
  const next = after === null ? sql`true` : sql`(i.owner_id, i.number) > (${after.ownerId}::uuid, ${after.number})`
  const { rows } = await sql<Candidate>`
    select p.key || '#' || i.number as ref, i.title, i.type, i.owner_id as "ownerId", i.number,
      json_build_array(${sql.join(fields.map(field => sql`(${field.texts})`))}) as texts
    from items.items i ${itemJoins} where ${sql.join([...conditions, next], sql` and `)}
    order by i.owner_id, i.number limit ${limit}
  `.execute(ctx.db)
  return rows
}

function matched({ fields, pattern, snippets: wanted, context }: GrepRequest, row: Candidate): GrepItem | null {
  const snippets: NonNullable<GrepItem['snippets']> = []
  let count = 0
  fields.forEach((field, n) => {
    for (const text of row.texts[n] ?? []) {
      const found = pattern.snippets(text, Math.max(wanted - snippets.length, 0), context)
      count += found.count
      for (const { before, match, after } of found.snippets) snippets.push({ field: field.name, before, match, after })
    }
  })
  if (count === 0) return null
  const { ref, title, type } = row
  return { ref, title, type, count, ...(wanted > 0 && { snippets }) }
}

function page(items: GrepItem[], last: Cursor | null, warnings: string[]): GrepResult {
  return {
    items,
    next_cursor: last && Buffer.from(`${last.ownerId} ${last.number}`).toString('base64url'),
    has_more: last !== null,
    ...(warnings.length > 0 && { warnings }),
  }
}

interface Cursor {
  readonly ownerId: string
  readonly number: number
}

function readCursor(text: string): Cursor {
  const match = /^([0-9a-f-]{36}) (\d{1,10})$/.exec(Buffer.from(text, 'base64url').toString())
  if (!match)
    throw new ToolError('invalid_argument', 'The cursor is not one that items_grep gave.', {
      field: 'cursor',
      hint: 'Leave it out to begin again.',
    })
  return { ownerId: match[1]!, number: Number(match[2]) }
}
