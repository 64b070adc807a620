import { firstCharacters, quoteName, toolCallObservers, uuid, type FinishedCall } from 'tasuki/plugin'
import { insertDigests, type Digest } from './message.repository.ts'
import { partyOf } from './thread.repository.ts'

/** Maximum number of references in a digest, and of characters in a title. */
const MAX_REFS = 5
const TITLE_MAX = 80

/**
 * Adds a digest of each tool call to the thread of its credential and client: the tool, its items and the outcome. Of the arguments it
 * stores only references, the project and a title, since others may be secret.
 */
export const digests = toolCallObservers<Digest>({ record: toDigest, store: insertDigests })

export function toDigest({ tool, toolClass, actor, at, input, result, ok, error }: FinishedCall): Digest {
  const refs = collectRefs(input, toolClass === 'R' ? null : result)
  const title = typeof input['title'] === 'string' ? cleanTitle(input['title']) : ''
  const outcome = ok ? 'ok' : (error ?? 'failed')
  const about = refs.length === 0 ? '' : ` ${refs.join(' ')}`
  const content = `${tool}${about}${title === '' ? '' : ` ${quoteName(title)}`}${ok ? '' : ` (${outcome})`}`
  return { ...partyOf(actor), id: uuid(), content, tool, title: title === '' ? null : title, refs, outcome, at }
}

/** A reference has no spaces or control characters. */
const REF = /^[^\p{C}\s]{1,60}$/u
/** The result of a write begins with its record. */
const RETURNED = /^.{0,40}?"(?:item_)?ref":"([^"\\]{1,60})"/

function collectRefs(input: FinishedCall['input'], result: string | null): string[] {
  const refs: string[] = []
  const take = (value: unknown): void => {
    if (typeof value === 'string' && refs.length < MAX_REFS && REF.test(value) && !refs.includes(value))
      refs.push(value)
  }
  for (const name in input) {
    const value = input[name]
    if (name.endsWith('_ref') || name === 'project_key') take(value)
    else if (name.endsWith('_refs') && Array.isArray(value)) value.slice(0, MAX_REFS).forEach(take)
  }
  if (result !== null) take(RETURNED.exec(result)?.[1])
  return refs
}

/** Puts the title on one line and removes characters that the database rejects. */
function cleanTitle(title: string): string {
  const line = title
    .slice(0, 2 * TITLE_MAX)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return firstCharacters(line, TITLE_MAX)
}
