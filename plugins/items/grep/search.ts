import { readCursor, ToolError, Turn, uuidBytes, uuidText, writeCursor, type ReadContext } from 'tasuki/plugin'
import { compileFilter } from '../query/compile-filter.ts'
import { explainEmpty } from '../query/explain-empty.repository.ts'
import { parseQuery } from '../query/parse.ts'
import { itemGrepFields } from '../points.ts'
import { contributedField, ownField, readCandidates } from './grep.repository.ts'
import type { Candidate, GrepField, GrepPlace } from './grep.repository.ts'
import type { Pattern } from './pattern.ts'

/** Fields that the items plugin itself provides. */
export const OWN_FIELDS = ['title', 'detail'] as const

/** Returns the fields that a call names, or the default ones. */
export function grepFields(ctx: ReadContext, input: object): GrepField[] {
  const { fields: names } = input as { fields?: readonly string[] }
  const own = OWN_FIELDS.filter(name => !names || names.includes(name)).map(ownField)
  const others = ctx
    .all(itemGrepFields)
    .filter(field => (names ? names.includes(field.name) : field.byDefault))
    .map(field => contributedField(ctx, field, input as Readonly<Record<string, unknown>>))
  return [...own, ...others]
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
  /** Identifies the search that the cursor belongs to. */
  readonly search: string
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

/** Maximum number of statements per call. More than one is needed when candidates do not match. */
const MAX_STATEMENTS = 4
/** Time limit of one call for matching, in milliseconds. Reads do not count: a slow database must not end a page before its first row. */
const MATCHING_MS = 3000
/** Shared by all texts without a match. */
const turn = new Turn(5)
/** Maximum size of a page in bytes of JSON. If the host truncated the page, the cursor would skip the lost rows. */
const PAGE_BYTES = 150_000

/** Finds matching items in the order of owners and numbers; the cursor is the last item examined. */
export async function grepItems(ctx: ReadContext, request: GrepRequest): Promise<GrepResult> {
  const query =
    request.filters === undefined ? null : compileFilter(ctx, request.filters, { ignoreWords: true, field: 'filters' })
  const page: Page = { items: [], bytes: 0, full: false, counted: [], ignored: query?.ignoredWords ?? [], notes: [] }
  const { fields, pattern } = request
  let last = request.cursor === undefined ? null : placeOf(ctx, request.cursor, request.search)
  const finish = (at: GrepPlace | null): GrepResult => finishPage(page, at && cursorAt(ctx, at, request.search))
  let matchingMs = 0
  for (let round = 0; round < MAX_STATEMENTS; round++) {
    const batch = Math.min(2 * (request.limit - page.items.length) + 10, 200)
    const rows = await readCandidates(ctx, { fields, pattern, query, after: last, limit: batch })
    for (const row of rows) {
      if (page.items.length === request.limit || matchingMs > MATCHING_MS) return finish(last)
      const began = performance.now()
      await addMatches(page, request, row)
      matchingMs += performance.now() - began
      if (page.full) return finish(last)
      last = { ownerId: row.ownerId, number: row.number }
    }
    if (rows.length < batch) {
      if (page.items.length === 0 && request.cursor === undefined && request.filters !== undefined)
        page.notes.push(...(await explainEmpty(ctx, parseQuery(request.filters, 'filters'))))
      return finish(null)
    }
  }
  return finish(last)
}

interface Page {
  readonly items: GrepItem[]
  bytes: number
  /** The next item did not fit into the page. */
  full: boolean
  /** References of items whose matches were only partly counted. */
  readonly counted: string[]
  readonly ignored: readonly string[]
  /** Further warnings. */
  readonly notes: string[]
}

async function addMatches(
  page: Page,
  { fields, pattern, snippets: wanted, context }: GrepRequest,
  row: Candidate,
): Promise<void> {
  const { ref, title, type } = row
  const snippets: NonNullable<GrepItem['snippets']> = []
  let count = 0
  let partial = false
  for (const [n, field] of fields.entries()) {
    for (const text of row.texts[n] ?? []) {
      if (turn.isOver()) await turn.next()
      const found = await pattern.snippets(text, Math.max(wanted - snippets.length, 0), context)
      count += found.count
      partial ||= found.partial === true
      for (const { before, match, after } of found.snippets) snippets.push({ field: field.name, before, match, after })
    }
  }
  if (count === 0) return
  const item = { ref, title, type, count, ...(wanted > 0 && { snippets }) }
  const bytes = Buffer.byteLength(JSON.stringify(item))
  page.full = page.items.length > 0 && page.bytes + bytes > PAGE_BYTES
  if (page.full) return
  page.items.push(item)
  page.bytes += bytes
  if (partial) page.counted.push(ref)
}

function finishPage({ items, full, counted, ignored, notes }: Page, cursor: string | null): GrepResult {
  const warnings = [...notes]
  if (ignored.length > 0) warnings.push(`Free words in filters were ignored: ${ignored.join(' ')}.`)
  if (counted.length > 0)
    warnings.push(`Counting took too long in ${counted.join(', ')}: there are more matches than count says.`)
  if (full) warnings.push(`The page ends after ${items.length} items to stay small; go on with next_cursor.`)
  return { items, next_cursor: cursor, has_more: cursor !== null, ...(warnings.length > 0 && { warnings }) }
}

function cursorAt(ctx: ReadContext, { ownerId, number }: GrepPlace, search: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return writeCursor(ctx, search, Buffer.concat([uuidBytes(ownerId), bytes]))
}

/** @throws ToolError invalid_argument for a cursor of another caller or another search */
function placeOf(ctx: ReadContext, cursor: string, search: string): GrepPlace {
  const bytes = readCursor(ctx, search, cursor)
  if (bytes) return { ownerId: uuidText(bytes.subarray(0, 16)), number: bytes.readUInt32BE(16) }
  throw new ToolError('invalid_argument', 'The cursor is not one that items_grep gave you for this search.', {
    field: 'cursor',
    hint: 'Repeat the call that gave it with nothing else changed, or leave the cursor out to begin again.',
  })
}
