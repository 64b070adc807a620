import { sql, ToolError, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { keyColumn, ofSeenOwner, visible } from '../../projects/index.ts'
import { archivedRule, compileFilter } from '../filters.ts'
import { itemJoins } from '../find.ts'
import { allOf, anyOf } from '../query/filter-sql.ts'
import { itemGrepFields, type ItemGrepField } from '../points.ts'
import type { Pattern } from './pattern.ts'

/** Fields that the items plugin itself brings. */
export const OWN_FIELDS = ['title', 'detail'] as const

/** Texts of an item, and how the database narrows down which items to look at. */
export interface GrepField {
  readonly name: string
  /** SQL of a jsonb array of the texts. */
  readonly texts: RawBuilder<unknown>
  /** A column of the item itself. */
  readonly own: boolean
  /** Condition that items with a match meet. */
  candidate(pattern: Pattern): RawBuilder<boolean>
  /** Sub-select of the ids of items that meet it, where they can be had without looking at every item. */
  candidateIds?(pattern: Pattern): RawBuilder<unknown>
}

/** The fields that a call names, or those that are searched by default. */
export function grepFields(ctx: ReadContext, input: object): GrepField[] {
  const { fields: named } = input as { fields?: readonly string[] }
  const own = OWN_FIELDS.filter(name => !named || named.includes(name)).map(ownField)
  const others = ctx
    .all(itemGrepFields)
    .filter(field => (named ? named.includes(field.name) : field.byDefault))
    .map(field => contributedField(ctx, field, input as Readonly<Record<string, unknown>>))
  return [...own, ...others]
}

function ownField(name: (typeof OWN_FIELDS)[number]): GrepField {
  const column = sql.ref(`i.${name}`)
  return {
    name,
    own: true,
    texts: sql`json_build_array(${column})`,
    candidate: pattern => pattern.sqlCandidate(column),
  }
}

function contributedField(ctx: ReadContext, field: ItemGrepField, input: Readonly<Record<string, unknown>>): GrepField {
  const texts = field.texts(ctx, input)
  const base = { name: field.name, own: false, texts }
  if (!field.candidates) {
    return {
      ...base,
      candidate: ({ sqlCandidate }) =>
        sql`exists (select from jsonb_array_elements_text((${texts})::jsonb) as t (text) where ${sqlCandidate('t.text')})`,
    }
  }
  const candidateIds = ({ sqlCandidate }: Pattern): RawBuilder<unknown> => field.candidates!(ctx, sqlCandidate, input)
  return {
    ...base,
    candidateIds,
    // The offset keeps the database from looking for all of them first.
    candidate: pattern => sql`exists (select from (${candidateIds(pattern)}) c (id) where c.id = i.id offset 0)`,
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
/** Candidates of a field that are looked up one by one; where there are more, a page is soon full of items taken in their order. */
const FEW = 2000
/** Bytes of JSON in a page; rows that the host had to cut off would be lost to the cursor. */
const PAGE_BYTES = 150_000

/** Finds matching items in the order of their owners and numbers; the cursor is the last item that was looked at. */
export async function grepItems(ctx: ReadContext, request: GrepRequest): Promise<GrepResult> {
  const query =
    request.filters === undefined ? null : compileFilter(ctx, request.filters, { ignoreWords: true, field: 'filters' })
  const among: Among = {
    conditions: [visible(ctx, 'i'), archivedRule(query), ...(query?.where ? [query.where] : [])],
    // A query may name the project or the state of an item; without one the items alone tell.
    joins: query?.where ? itemJoins : sql``,
  }
  const page: Page = { items: [], bytes: 0, full: false, counted: [], ignored: query?.ignoredWords ?? [] }
  let last = request.cursor === undefined ? null : readCursor(request.cursor)
  const began = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    const batch = Math.min(2 * (request.limit - page.items.length) + 10, 200)
    const rows = await candidates(ctx, request, among, last, batch)
    for (const row of rows) {
      if (page.items.length === request.limit || performance.now() - began > MATCHING_MS) return finishPage(page, last)
      addMatches(page, request, row)
      if (page.full) return finishPage(page, last)
      last = { ownerId: row.ownerId, number: row.number }
    }
    if (rows.length < batch) return finishPage(page, null)
  }
  return finishPage(page, last)
}

/** The items that are searched. */
interface Among {
  /** On `i`, and on what `joins` joins. */
  readonly conditions: readonly RawBuilder<boolean>[]
  readonly joins: RawBuilder<unknown>
}

interface Page {
  readonly items: GrepItem[]
  bytes: number
  /** An item had no room any more. */
  full: boolean
  /** References of items whose matches were counted in part. */
  readonly counted: string[]
  readonly ignored: readonly string[]
}

/**
 * The next items that may match. The items' own columns and each contributed field are looked through by a query of their own, so that
 * each can use its index; the first rows of them together are the first rows of all.
 */
async function candidates(
  ctx: ReadContext,
  { fields, pattern }: GrepRequest,
  { conditions, joins }: Among,
  after: Cursor | null,
  limit: number,
): Promise<readonly Candidate[]> {
  const next =
    after === null
      ? sql<boolean>`true`
      : sql<boolean>`(i.owner_id, i.number) > (${after.ownerId}::uuid, ${after.number})`
  const search = (...more: RawBuilder<boolean>[]): RawBuilder<unknown> => sql`(
    select i.owner_id, i.number, i.id from items.items i ${joins} where ${allOf([...conditions, next, ...more])}
    order by i.owner_id, i.number limit ${limit})`
  const own = fields.filter(field => field.own).map(field => field.candidate(pattern))
  const searches = own.length > 0 ? [search(anyOf(own))] : []
  const gathered: RawBuilder<unknown>[] = []
  for (const { own: isOwn, candidate, candidateIds } of fields) {
    if (isOwn) continue
    if (!candidateIds) {
      searches.push(search(candidate(pattern)))
      continue
    }
    // How many there are decides, not what the database guesses of it: of the two searches one finds that it has nothing to do.
    const ids = sql.ref(`ids${gathered.length}`)
    const few = sql<boolean>`(select cardinality(ids) from ${ids}) <= ${FEW}`
    gathered.push(
      sql`${ids} as materialized (select array(select c.id from (${candidateIds(pattern)}) c (id) limit ${FEW + 1}) as ids)`,
    )
    searches.push(
      search(few, ofSeenOwner(ctx, 'i'), sql`i.id in (select unnest(ids) from ${ids})`),
      search(sql`not ${few}`, candidate(pattern)),
    )
  }
  const { rows } = await sql<Candidate>`
    ${gathered.length > 0 ? sql`with ${sql.join(gathered)}` : sql``}
    select ${keyColumn(ctx, 'p')} || '#' || i.number as ref, i.title, i.type, i.owner_id as "ownerId", i.number,
      json_build_array(${sql.join(fields.map(({ texts }) => sql`(${texts})`))}) as texts
    from (select * from (${sql.join(searches, sql` union `)}) each order by owner_id, number limit ${limit}) found
    join items.items i on i.owner_id = found.owner_id and i.id = found.id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    order by i.owner_id, i.number
  `.execute(ctx.db)
  return rows
}

function addMatches(page: Page, { fields, pattern, snippets: wanted, context }: GrepRequest, row: Candidate): void {
  const { ref, title, type } = row
  const snippets: NonNullable<GrepItem['snippets']> = []
  let count = 0
  let partial = false
  fields.forEach((field, n) => {
    for (const text of row.texts[n] ?? []) {
      const found = pattern.snippets(text, Math.max(wanted - snippets.length, 0), context)
      count += found.count
      partial ||= found.partial === true
      for (const { before, match, after } of found.snippets) snippets.push({ field: field.name, before, match, after })
    }
  })
  if (count === 0) return
  const item = { ref, title, type, count, ...(wanted > 0 && { snippets }) }
  const bytes = Buffer.byteLength(JSON.stringify(item))
  page.full = page.items.length > 0 && page.bytes + bytes > PAGE_BYTES
  if (page.full) return
  page.items.push(item)
  page.bytes += bytes
  if (partial) page.counted.push(ref)
}

function finishPage({ items, full, counted, ignored }: Page, last: Cursor | null): GrepResult {
  const warnings: string[] = []
  if (ignored.length > 0) warnings.push(`Free words in filters were ignored: ${ignored.join(' ')}.`)
  if (counted.length > 0) {
    warnings.push(`Counting took too long in ${counted.join(', ')}: there are more matches than count says.`)
  }
  if (full) warnings.push(`The page ends after ${items.length} items to stay small; go on with next_cursor.`)
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
