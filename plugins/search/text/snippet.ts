import { firstCharacters } from 'tasuki/plugin'
import { otherTexts } from './spellings.ts'
import { foldText, isAscii, tokens, tokenWeight } from './tokens.ts'
import type { Word } from './words.ts'

/** Markers around hits. */
const [OPEN, CLOSE] = ['«', '»']
/** Maximum length of a snippet in code points. */
const LENGTH = 160
/** Maximum number of other spellings to look for; each may take a pass over the text. */
const SPELLINGS_MAX = 100
/** Code points before the first hit. */
const BEFORE = 30

interface Needle {
  readonly text: string
  readonly weight: number
  /** A word of a script with spaces matches only at the beginning of a word. */
  readonly atStart: boolean
}

/** Finds the words of a query, or their other spellings and synonyms, in texts, and cuts out the most relevant part. */
export interface Marker {
  /** Returns the best part with markers; null without a hit. */
  mark(text: string): string | null
}

export function markerFor(words: readonly Word[]): Marker {
  const needles = needlesOf(words)
  const synonyms = words.flatMap(({ alike = [] }) =>
    alike.flatMap(({ same }) => same.map(text => ({ text, phrase: false }))),
  )
  const others = [...spellingsOf(words), ...needlesOf(synonyms)]
  return {
    mark(text) {
      const units = unitsOf(text)
      const own = spansOf(units, needles)
      const spans = own.length > 0 ? own : spansOf(units, others)
      return spans.length === 0 ? null : cut(units, spans)
    },
  }
}

/** Returns the beginning of a text on one line. */
export function renderBeginning(text: string): string {
  const { texts } = unitsOf(firstCharacters(text, 4 * LENGTH))
  return render(texts, [], 0, Math.min(texts.length, LENGTH)) + (texts.length > LENGTH ? '…' : '')
}

function needlesOf(words: readonly Word[]): Needle[] {
  const needles = new Map<string, Needle>()
  for (const { text } of words) {
    const whole = foldText(text).trim()
    const parts = Array.from(tokens(text))
    if (parts.length > 1 && whole.length <= LENGTH)
      needles.set(whole, { text: whole, weight: parts.length, atStart: parts[0]!.form === 'word' })
    for (const { text: part, form, alone } of parts) {
      if (form === 'single' && !alone) continue
      const stem = form === 'word' && /^\p{L}{3,}[^s]s$/u.test(part) ? part.slice(0, -1) : part
      needles.set(stem, { text: stem, weight: tokenWeight(part), atStart: form === 'word' })
    }
  }
  const all = [...needles.values()]
  // Grammatical words are marked only if there are no others.
  const telling = all.filter(({ weight }) => weight > 0.25)
  return telling.length > 0 ? telling : all
}

/** Returns other spellings of unquoted words, which also find a text. */
function spellingsOf(words: readonly Word[]): readonly Needle[] {
  const read = words.filter(({ phrase }) => !phrase).flatMap(({ text }) => Array.from(tokens(text)))
  return read
    .flatMap(token => otherTexts(token).map(text => ({ text, weight: 1, atStart: token.form === 'word' })))
    .slice(0, SPELLINGS_MAX)
}

/** A text by displayed characters: code points with their combining marks. */
interface Units {
  readonly texts: ArrayLike<string>
  readonly folded: ArrayLike<string>
}
const UNITS = /[^][\p{M}\uFF9E\uFF9F]*/gu

function unitsOf(text: string): Units {
  // Each character of ASCII is one unit, and folds to one.
  if (isAscii(text)) return { texts: text, folded: text.toLowerCase() }
  const texts = text.match(UNITS) ?? []
  return { texts, folded: texts.map(foldUnit) }
}

/** Cache: texts have few different characters, and normalizing one takes longer than a lookup. */
const foldedUnits = new Map<string, string>()
const FOLDED_MOST = 10_000
/** Maximum length of a unit in the cache; some have many combining marks. */
const KEPT_MAX = 4

function foldUnit(unit: string): string {
  let folded = foldedUnits.get(unit)
  if (folded !== undefined) return folded
  folded = foldText(unit)
  if (unit.length > KEPT_MAX) return folded
  if (foldedUnits.size >= FOLDED_MOST) foldedUnits.clear()
  foldedUnits.set(unit, folded)
  return folded
}

interface Span {
  readonly start: number
  readonly end: number
  readonly weight: number
}

/** Returns the positions of needles, in units. */
function spansOf({ folded }: Units, needles: readonly Needle[]): Span[] {
  const { text, unitAt } = indexUnits(folded)
  const spans: Span[] = []
  for (const { text: needle, weight, atStart } of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      if (atStart && at > 0 && /[\p{Script=Latin}\p{N}]/u.test(text[at - 1]!)) continue
      spans.push({ start: unitAt(at), end: unitAt(at + needle.length - 1) + 1, weight })
    }
  }
  return spans.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

/** Joins the units, and maps each UTF-16 unit of the text to its unit. */
function indexUnits(folded: ArrayLike<string>): { readonly text: string; unitAt(at: number): number } {
  if (typeof folded === 'string') return { text: folded, unitAt: at => at }
  const owner: number[] = []
  for (let n = 0; n < folded.length; n++) for (let k = 0; k < folded[n]!.length; k++) owner.push(n)
  return { text: join(folded, 0, folded.length), unitAt: at => owner[at]! }
}

/** Cuts out the window with the highest weight of hits; repeated hits count little. */
function cut({ texts, folded }: Units, spans: readonly Span[]): string {
  let best = 0
  let bestWeight = -1
  for (let n = 0, tried = 0; n < spans.length && tried < 200; n++) {
    if (n > 0 && spans[n]!.start === spans[n - 1]!.start) continue
    tried++
    const seen = new Set<string>()
    let weight = 0
    for (let k = n; k < spans.length && spans[k]!.end <= spans[n]!.start + LENGTH - BEFORE; k++) {
      const { start, end, weight: one } = spans[k]!
      const key = join(folded, start, end)
      weight += seen.has(key) ? one / 10 : one
      seen.add(key)
    }
    if (weight > bestWeight) [best, bestWeight] = [n, weight]
  }
  const end = Math.min(texts.length, Math.max(spans[best]!.start - BEFORE, 0) + LENGTH)
  const start = Math.max(0, Math.min(spans[best]!.start - BEFORE, end - LENGTH))
  return `${start > 0 ? '…' : ''}${render(texts, spans, start, end)}${end < texts.length ? '…' : ''}`
}

function join(parts: ArrayLike<string>, from: number, to: number): string {
  let text = ''
  for (let n = from; n < to; n++) text += parts[n]!
  return text
}

/** Renders a part as one line of text, with markers around hits; adjacent hits are merged. */
function render(texts: ArrayLike<string>, spans: readonly Span[], from: number, to: number): string {
  const hit = new Set<number>()
  for (const { start, end } of spans) for (let n = Math.max(start, from); n < Math.min(end, to); n++) hit.add(n)
  let text = ''
  for (let n = from; n < to; n++) {
    if (hit.has(n) && !hit.has(n - 1)) text += OPEN
    text += texts[n]!
    if (hit.has(n) && !hit.has(n + 1)) text += CLOSE
  }
  return text.replace(/\s+/gu, ' ').trim()
}
