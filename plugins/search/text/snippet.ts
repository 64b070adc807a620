import { firstCharacters } from 'tasuki/plugin'
import { foldText, tokens, tokenWeight } from './tokens.ts'
import type { Word } from './words.ts'

/** Markers around hits. */
const [OPEN, CLOSE] = ['«', '»']
/** Maximum length of a snippet in code points. */
const LENGTH = 160
/** Code points before the first hit. */
const BEFORE = 30

interface Needle {
  readonly text: string
  readonly weight: number
  /** A word of a script with spaces matches only at the beginning of a word. */
  readonly atStart: boolean
}

/** Finds the words of a query or their synonyms in texts, and cuts out the most relevant part. */
export interface Marker {
  /** Returns the best part with markers; null without a hit. */
  mark(text: string): string | null
}

export function markerFor(words: readonly Word[]): Marker {
  const needles = needlesOf(words)
  const synonyms = words.flatMap(({ alike = [] }) =>
    alike.flatMap(({ same }) => same.map(text => ({ text, phrase: false }))),
  )
  const others = needlesOf(synonyms)
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
  const units = unitsOf(firstCharacters(text, 4 * LENGTH))
  return render(units, [], 0, Math.min(units.length, LENGTH)) + (units.length > LENGTH ? '…' : '')
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

/** One displayed character: a code point with its combining marks. */
interface Unit {
  readonly text: string
  readonly folded: string
}
const UNITS = /[^][\p{M}\uFF9E\uFF9F]*/gu

function unitsOf(text: string): Unit[] {
  return Array.from(text.matchAll(UNITS), ([unit]) => ({ text: unit, folded: foldText(unit) }))
}

interface Span {
  readonly start: number
  readonly end: number
  readonly weight: number
}

/** Returns the positions of needles, in units. */
function spansOf(units: readonly Unit[], needles: readonly Needle[]): Span[] {
  // Maps each UTF-16 unit of the folded text to its unit.
  const owner: number[] = []
  let text = ''
  units.forEach((unit, n) => {
    for (let k = 0; k < unit.folded.length; k++) owner.push(n)
    text += unit.folded
  })
  const spans: Span[] = []
  for (const { text: needle, weight, atStart } of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      if (atStart && at > 0 && /[\p{Script=Latin}\p{N}]/u.test(text[at - 1]!)) continue
      spans.push({ start: owner[at]!, end: owner[at + needle.length - 1]! + 1, weight })
    }
  }
  return spans.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

/** Cuts out the window with the highest weight of hits; repeated hits count little. */
function cut(units: readonly Unit[], spans: readonly Span[]): string {
  let best = 0
  let bestWeight = -1
  for (let n = 0, tried = 0; n < spans.length && tried < 200; n++) {
    if (n > 0 && spans[n]!.start === spans[n - 1]!.start) continue
    tried++
    const seen = new Set<string>()
    let weight = 0
    for (let k = n; k < spans.length && spans[k]!.end <= spans[n]!.start + LENGTH - BEFORE; k++) {
      const { start, end, weight: one } = spans[k]!
      const key = units
        .slice(start, end)
        .map(unit => unit.folded)
        .join('')
      weight += seen.has(key) ? one / 10 : one
      seen.add(key)
    }
    if (weight > bestWeight) [best, bestWeight] = [n, weight]
  }
  const end = Math.min(units.length, Math.max(spans[best]!.start - BEFORE, 0) + LENGTH)
  const start = Math.max(0, Math.min(spans[best]!.start - BEFORE, end - LENGTH))
  return `${start > 0 ? '…' : ''}${render(units, spans, start, end)}${end < units.length ? '…' : ''}`
}

/** Renders a part as one line of text, with markers around hits; adjacent hits are merged. */
function render(units: readonly Unit[], spans: readonly Span[], from: number, to: number): string {
  const hit = new Set<number>()
  for (const { start, end } of spans) for (let n = Math.max(start, from); n < Math.min(end, to); n++) hit.add(n)
  let text = ''
  for (let n = from; n < to; n++) {
    if (hit.has(n) && !hit.has(n - 1)) text += OPEN
    text += units[n]!.text
    if (hit.has(n) && !hit.has(n + 1)) text += CLOSE
  }
  return text.replace(/\s+/gu, ' ').trim()
}
