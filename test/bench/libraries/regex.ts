import * as fc from 'fast-check'
import { RE2JS } from 're2js'
import { readRegex } from '../../../plugins/items/grep/regex-syntax.ts'
import { regex, texts } from '../../plugins/items/grep/patterns.ts'
import type { Figure } from '../report.ts'
import { figureWithoutTarget } from './in-turn.ts'

const PATTERNS = 3000

/**
 * Counts how many of the patterns that RE2 accepts our parser reads, and how many a parser of ECMAScript syntax reads, such as
 * @eslint-community/regexpp, which reads the syntax of `RegExp`. Also counts the patterns whose meaning differs there, so that an index
 * would miss matches.
 */
export async function measureRegex(): Promise<Figure[]> {
  const settings = { numRuns: PATTERNS, seed: 38 }
  const samples = fc.sample(texts, settings)
  let taken = 0
  let ours = 0
  const others = ['v', 'u', ''].map(flags => ({ flags, read: 0, different: 0 }))
  fc.sample(regex, settings).forEach((pattern, n) => {
    const re2 = attempt(() => RE2JS.compile(pattern, RE2JS.MULTILINE))
    if (!re2) return
    taken++
    if (readRegex(pattern, false)) ours++
    for (const other of others) {
      const expression = attempt(() => new RegExp(pattern, `m${other.flags}`))
      if (!expression) continue
      other.read++
      // A text that RE2 matches and ECMAScript does not would be missing from the results.
      if (samples[n]!.some(text => re2.test(text) && !expression.test(text))) other.different++
    }
  })
  const percent = (count: number): number => (100 * count) / taken
  return others.flatMap(({ flags, read, different }) => [
    figureWithoutTarget(
      `patterns of RE2 that are read, by ECMAScript's syntax with flags "${flags}"`,
      '%',
      percent(ours),
      percent(read),
    ),
    figureWithoutTarget(
      `of those, patterns that lose one of six random texts, flags "${flags}"`,
      '%',
      0,
      percent(different),
    ),
  ])
}

function attempt<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
