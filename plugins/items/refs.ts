import { contributedSql, normalizeText, quoteName, quoteValue, reference, ToolError } from 'tasuki/plugin'
import type { Condition, ReadContext } from 'tasuki/plugin'
import { keyFor, keyIsOwn, readKey } from '../projects/index.ts'
import { itemRefs } from './points.ts'

/** Returns the `item_ref` parameter. */
export const itemRef = (description = 'KEY#n.') => reference(description)

/** A parsed reference. */
export type Ref =
  | {
      readonly form: 'number'
      readonly key: string | null
      readonly owner: string | null
      readonly number: number
      /** Written as KEY-n, which is no valid reference but shows which item was meant. */
      readonly dashed?: true
    }
  | { readonly form: 'other'; readonly condition: Condition }

const NUMBERED = /^(.*?)#\s*(\d{1,9})$/
const DASHED = /^([A-Za-z][A-Za-z0-9_]*)-(\d{1,9})$/

/** Parses `KEY#n`, `#n` or a contributed form, in any case and width. @throws ToolError invalid_argument */
export function readRef(ctx: ReadContext, text: string, field: string): Ref {
  const plain = normalizeText(text).trim()
  const match = NUMBERED.exec(plain)
  if (match) {
    const [, before = '', digits] = match
    const number = Number(digits)
    if (before === '') return { form: 'number', key: null, owner: null, number }
    const named = readKey(before)
    // Two references in one text name no item: the last one is not what was meant.
    if (!named.key.includes('#')) return { form: 'number', ...named, number }
  }
  for (const form of ctx.all(itemRefs))
    if (form.matches(plain)) return { form: 'other', condition: contributedSql(form, () => form.sql(ctx, plain)) }
  const dashed = DASHED.exec(plain)
  if (dashed) return { form: 'number', ...readKey(dashed[1]!), number: Number(dashed[2]), dashed: true }
  throw new ToolError('invalid_argument', `${quoteName(text)} is not an item reference.`, {
    field,
    hint: 'Write KEY#12, or #12 for an item of your own; listings show it as ref.',
  })
}

/** The columns that reference matching needs. */
export interface RefRow {
  readonly ownerId: string
  readonly number: number
  readonly key: string
  /** Keys of the item's former projects. */
  readonly formerKeys?: readonly string[] | null
  readonly ownerEmail?: string | null
}

/** Picks the row that a reference names. @throws ToolError not_found, ambiguous_ref */
export function matchRef<T extends RefRow>(
  ctx: ReadContext,
  ref: Ref,
  rows: readonly T[],
  text: string,
  field: string,
): T {
  if (ref.form === 'other') {
    const [found, ...others] = preferOwn(ctx, rows)
    if (!found) throw displayRefNotFoundError(ctx, text, field)
    if (others.length > 0) throw ambiguous(ctx, [found, ...others], text, field)
    return found
  }
  const numbered = rows.filter(row => row.number === ref.number)
  const candidates = matchByOwner(ctx, ref, numbered)
  const [found, other] = candidates
  if (ref.dashed) throw dashedFormError(ctx, candidates, text, field)
  // Numbers are per owner: another owner's item of that number is not the one that was meant.
  const near = ref.owner === null ? numbered : numbered.filter(row => row.ownerEmail === ref.owner)
  if (!found) throw itemNotFoundError(ctx, text, field, near)
  if (other) throw ambiguous(ctx, candidates, text, field)
  return found
}

/** Returns the caller's own rows; if there are none, the rows shared with the caller. */
function preferOwn<T extends RefRow>(ctx: ReadContext, rows: readonly T[]): readonly T[] {
  const own = rows.filter(row => row.ownerId === ctx.actor.userId)
  return own.length > 0 ? own : rows
}

/** Resolves a bare number or key to the caller's own items, or to shared ones if the caller owns none that match. */
function matchByOwner<T extends RefRow>(
  ctx: ReadContext,
  { key, owner }: Extract<Ref, { readonly form: 'number' }>,
  rows: readonly T[],
): readonly T[] {
  if (key === null) return preferOwn(ctx, rows)
  if (owner !== null)
    return inProject(
      rows.filter(row => row.ownerEmail === owner),
      key,
    )
  const own = rows.filter(row => row.ownerId === ctx.actor.userId)
  if (keyIsOwn(ctx, key)) return inProject(own, key)
  // The key still names an own item that was in a project with that key.
  const moved = inProject(own, key)
  return moved.length > 0 ? moved : inProject(rows, key)
}

/** Returns the rows in the project with that key; if there are none, the rows that were in it before. */
function inProject<T extends RefRow>(rows: readonly T[], key: string): readonly T[] {
  const now = rows.filter(row => row.key === key)
  return now.length > 0 ? now : rows.filter(row => row.formerKeys?.includes(key))
}

/** Returns the caller's reference to an item. */
export function refFor(ctx: ReadContext, row: Pick<RefRow, 'ownerId' | 'key' | 'number'>): string {
  return `${keyFor(ctx, row)}#${row.number}`
}

function itemNotFoundError(ctx: ReadContext, text: string, field: string, numbered: readonly RefRow[] = []): ToolError {
  const right = numbered.map(row => refFor(ctx, row))
  return new ToolError('not_found', `There is no item ${quoteValue(text)}.`, {
    field,
    hint:
      right.length > 0 ? `Its number belongs to ${right.join(' and ')}.` : 'Find items with tasks_list or items_grep.',
    ...(right.length > 0 && { allowed: right }),
  })
}

/** Creates the error for an unknown display reference; suggests the item reference that resembles it. */
function displayRefNotFoundError(ctx: ReadContext, text: string, field: string): ToolError {
  const dashed = DASHED.exec(normalizeText(text).trim())
  return dashed
    ? new ToolError('not_found', `No item has the number ${quoteValue(text)}.`, {
        field,
        hint: `If you mean item ${dashed[2]} of the project ${dashed[1]!.toUpperCase()}, write ${dashed[1]!.toUpperCase()}#${dashed[2]}.`,
      })
    : itemNotFoundError(ctx, text, field)
}

function dashedFormError(ctx: ReadContext, matches: readonly RefRow[], text: string, field: string): ToolError {
  const allowed = matches.map(row => refFor(ctx, row))
  return new ToolError('not_found', `There is no item ${quoteValue(text)}.`, {
    field,
    hint:
      matches.length > 0
        ? `Items are written KEY#n: you mean ${allowed[0]}.`
        : 'Items are written KEY#n, for example APP#12.',
    ...(matches.length > 0 && { allowed }),
  })
}

function ambiguous(ctx: ReadContext, rows: readonly RefRow[], text: string, field: string): ToolError {
  const allowed = rows.map(row => refFor(ctx, row))
  return new ToolError('ambiguous_ref', `${quoteValue(text)} may mean ${rows.length} items.`, {
    field,
    allowed,
    hint: 'Give one of the allowed references.',
  })
}
