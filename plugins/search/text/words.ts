import { tokens, tokenWeight, type Token } from './tokens.ts'

/** A word or phrase as the user wrote it. */
export interface Word {
  readonly text: string
  readonly phrase: boolean
}

/** What texts are ranked by: a query for one token, and how much it says. */
export interface Term {
  readonly query: string
  readonly weight: number
}

/** Terms that a search looks at; a question of 50 characters has about as many. */
const TERMS_MAX = 40

/** Query, in the database's notation, for texts that have the whole word; null for a word without letters and digits. */
export function wordQuery({ text, phrase }: Word): string | null {
  const needed = neededTokens(text)
  if (needed.length === 0) return null
  let query = ''
  needed.forEach((token, n) => {
    // A phrase is what it says; an unquoted word may go on.
    const term = phrase && n < needed.length - 1 ? `'${token.text}'` : termQuery(token, !phrase)
    if (n > 0) query += phrase ? ` <${token.position - needed[n - 1]!.position}> ` : ' & '
    query += term
  })
  return needed.length === 1 ? query : `(${query})`
}

/** Query for texts that have all words; null when none of them has letters or digits. */
export function allWords(words: readonly Word[]): string | null {
  const queries = words.map(wordQuery).filter(query => query !== null)
  return queries.length === 0 ? null : queries.join(' & ')
}

/** Query for texts that have any token of any word; null when there is none. */
export function anyWord(words: readonly Word[]): string | null {
  const terms = termsOf(words)
  return terms.length === 0 ? null : terms.map(({ query }) => query).join(' | ')
}

/** What grammar weighs; it is left out where there is enough else to rank by. */
const GRAMMAR = 0.25
const ENOUGH = 3

/** The distinct terms of all words, those that say most first. */
export function termsOf(words: readonly Word[]): Term[] {
  const terms = new Map<string, Term>()
  for (const { text, phrase } of words) {
    for (const token of neededTokens(text)) {
      const query = termQuery(token, !phrase)
      // A single character begins many pairs and so says little.
      const weight = tokenWeight(token.text) * (token.form === 'single' ? 0.5 : 1)
      terms.set(query, { query, weight })
    }
  }
  const all = [...terms.values()]
  const telling = all.filter(({ weight }) => weight > GRAMMAR)
  return (telling.length < ENOUGH ? all : telling).toSorted((a, b) => b.weight - a.weight).slice(0, TERMS_MAX)
}

/** Without the last character of a run, which its last pair implies. */
function neededTokens(text: string): Token[] {
  return Array.from(tokens(text)).filter(token => token.form !== 'single' || token.alone)
}

function termQuery({ text, form }: Token, open: boolean): string {
  if (form === 'pair') return `'${text}'`
  // As the beginning of a pair, or as the last character of a run.
  if (form === 'single') return `'${text}':*`
  if (!open || !/^\p{L}{3,}$/u.test(text)) return `'${text}'`
  // English plurals; what follows is open anyway.
  return `'${text.length > 3 && /[^s]s$/.test(text) ? text.slice(0, -1) : text}':*`
}
