import type { Synonyms } from '../synonyms/dictionary.ts'
import { foldKana, GRAMMAR_WORDS, isStopWord, stemOf } from './analyzer.ts'
import { dividedQueries, joinedQueries, pairQueries } from './spellings.ts'
import { tokens, tokenWeight, type Token } from './tokens.ts'
import { typosOf, type Typos } from './typos.ts'

/** A word or phrase as typed. */
export interface Word {
  readonly text: string
  readonly phrase: boolean
  /** Counts for the ranking, but is not required. */
  readonly optional?: boolean
  /** Synonyms of the word or its parts. */
  readonly alike?: readonly Synonyms[]
}

/** A term of the ranking: a query for one token, and its weight. */
export interface Term {
  /**
   * A `common` word ranks the texts that others find, and finds none itself. Each of two `adjacent` words is also a term, and finds the
   * texts that have both. A `synonym` is not in the query.
   */
  readonly kind: 'word' | 'common' | 'adjacent' | 'synonym'
  readonly query: string
  /** What texts are indexed with for it; missing if there are several. */
  readonly lexeme?: string | undefined
  /** 0 for terms that may be required but do not count for the ranking. */
  readonly weight: number
  /** Exponent of the rarity. Adjacent pairs of one word are not independent, and a rare one is more specific than several common ones. */
  readonly rarity: number
  /** Parameters of BM25: the saturation of repetitions `k1`, and the length normalization `b`. */
  readonly k1: number
  readonly b: number
  /** A text contains all words if it contains all of these. */
  readonly needed: boolean
  /** The query for texts that have the word as it is written, if it is inflected: they rank above those that have other forms of it. */
  readonly written?: string | null
  /** Prefix query if the query finds nothing. */
  readonly open?: string | null
  /** Typo search if the prefix query finds nothing either. */
  readonly typos?: Typos | null
}

/** Maximum number of terms in a ranking; a question of 50 characters has about as many. */
const TERMS_MAX = 40
/** Maximum number of words that are corrected if no text contains them: each needs a look at the whole vocabulary. */
const CORRECTED_MAX = 12
/** Constants of BM25: the usual ones for words; pairs of characters repeat with the words that contain them. Tuned on development sets. */
const OF_WORDS = { rarity: 1.1, k1: 1.2, b: 0.85 }
const OF_PAIRS = { rarity: 1.2, k1: 0.8, b: 0.5 }
/** Weight of grammatical words, which are left out if there are enough others. */
const GRAMMAR = { weight: 0.25, enough: 3 }
/** Most words of a query that are also looked up as one. Longer ones need not contain all words, and would take longer. */
const FEW_WORDS = 4
/** Bonus for two words next to each other as in the query, and the maximum number of stop words between them. */
const ADJACENT = { weight: 0.3, between: 2 }

/** Returns a query, in the database's notation, for texts that contain the whole word; null for a word without letters and digits. */
export function wordQuery({ text, phrase }: Word): string | null {
  const needed = listNeededTokens(text)
  if (needed.length === 0) return null
  const joined = (queryOf: (token: Token, between: boolean) => string): string =>
    needed
      .map((token, n) => {
        const distance = phrase ? `<${token.position - (needed[n - 1]?.position ?? 0)}>` : '&'
        return `${n > 0 ? ` ${distance} ` : ''}${queryOf(token, n < needed.length - 1)}`
      })
      .join('')
  // A phrase matches exactly; an unquoted word may be inflected, a prefix, or spelled otherwise.
  const query = joined((token, between) => (phrase ? exactQuery(token, between) : openQueryOf(token)))
  if (needed.length === 1) return query
  const [whole] = phrase || needed.length > 2 ? [] : joinedQueries(needed[0]!, needed[1]!)
  return whole === undefined ? `(${query})` : `((${query}) | ${whole})`
}

/** BM25's saturation of the words of the query: one that it says twice is its subject, and counts 1.5 times; none counts three times. */
const weightOfRepeated = (times: number): number => (3 * times) / (2 + times)

/** Weight of stop words that distinguish similar texts, and the number of other words from which on they are left out. */
const COMMON = { weight: 0.35, telling: 8 }

/** Returns the distinct terms of all words: those for the ranking first, by weight, then the other required ones. */
export function termsOf(words: readonly Word[]): Term[] {
  const terms = new Map<string, Term>()
  const times = new Map<string, number>()
  const add = (term: Term): void => {
    const known = terms.get(term.query)
    const said = (times.get(term.query) ?? 0) + 1
    times.set(term.query, said)
    // A part of an identifier may be a word of the query too, which weighs more.
    const weight = Math.max(known?.weight ?? 0, term.weight * (term.k1 === OF_WORDS.k1 ? weightOfRepeated(said) : 1))
    terms.set(term.query, known ? { ...known, weight, needed: known.needed || term.needed } : term)
  }
  const read = readTokens(words)
  const telling = read.filter(({ token }) => !isStopWord(token.text))
  const content = telling.length === 0 ? read : telling
  for (const { word, token } of content) for (const term of termsOfToken(token, word)) add(term)
  for (const [n, one] of content.entries()) {
    const next = content[n + 1]
    if (!next || one.token.form !== 'word' || next.token.form !== 'word') continue
    const distance = next.token.position - one.token.position
    if (distance > 1 + ADJACENT.between) continue
    const query = adjacentQuery(one.token, next.token)
    add({ kind: 'adjacent', query, weight: ADJACENT.weight, ...OF_WORDS, needed: false })
  }
  if (content === telling && content.length < COMMON.telling) {
    for (const { token } of read) {
      if (token.form === 'word' && isStopWord(token.text) && !GRAMMAR_WORDS.has(token.text))
        add({ kind: 'common', ...stemTerm(token.text), weight: COMMON.weight, ...OF_WORDS, needed: false })
    }
  }
  const ranking = rankingOf([...terms.values()])
  const others = [...terms.values()].filter(term => term.needed && !ranking.includes(term))
  const spellings = findSpellings(read)
  return [
    ...ranking.map((term, n) => (n < CORRECTED_MAX ? term : { ...term, typos: null })),
    ...synonymTerms(words, terms),
    ...others.map(({ kind, query }) => ({ kind, query, weight: 0, ...OF_WORDS, needed: true })),
  ].map(term => ({ ...term, query: [term.query, ...(spellings.get(term.query) ?? [])].join(' | ') }))
}

/** Returns the queries for other spellings of terms, by their query. */
function findSpellings(read: readonly WordToken[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const add = (query: string, others: readonly string[]): void =>
    void found.set(query, new Set([...(found.get(query) ?? []), ...others]))
  const unquoted = read.filter(({ word }) => !word.phrase).map(({ token }) => token)
  for (const [n, token] of unquoted.entries()) {
    add(termQuery(token), pairQueries(token))
    const next = unquoted[n + 1]
    if (!next || unquoted.length > FEW_WORDS) continue
    const joined = joinedQueries(token, next)
    for (const query of [termQuery(token), termQuery(next), adjacentQuery(token, next)]) add(query, joined)
  }
  return found
}

function adjacentQuery(one: Token, next: Token): string {
  return `'${stemOf(one.text)}' <${next.position - one.position}> '${stemOf(next.text)}'`
}

/** Weights of synonyms by similarity. One term for all synonyms of a word; otherwise rare ones would outweigh the word itself. */
const SAME_WEIGHT = 0.5
const RELATED = 0.2

function synonymTerms(words: readonly Word[], known: ReadonlyMap<string, Term>): Term[] {
  const terms = new Map<string, Term>()
  for (const { same, related } of words.flatMap(word => word.alike ?? [])) {
    for (const [texts, weight] of [
      [same, SAME_WEIGHT],
      [related, RELATED],
    ] as const) {
      const queries = new Set(texts.flatMap(text => synonymQuery(text) ?? []))
      for (const query of known.keys()) queries.delete(query)
      const query = [...queries].join(' | ')
      if (query !== '' && !terms.has(query))
        terms.set(query, { kind: 'synonym', query, weight, ...OF_WORDS, needed: false })
    }
  }
  return [...terms.values()]
}

/** The ending of a Japanese verb or adjective, which differs in each form. */
const INFLECTED = /(?<=\p{Script=Han}\p{Script=Hiragana}*)[うくぐすつぬぶむるい]$/u

function synonymQuery(text: string): string | null {
  const list = listNeededTokens(text.replace(INFLECTED, ''))
  if (list.length === 0) return null
  const query = list
    .map((token, n) => {
      const distance = n === 0 ? '' : ` <${token.position - list[n - 1]!.position}> `
      return `${distance}${token.form === 'word' ? `'${stemOf(token.text)}'` : exactQuery(token, n < list.length - 1)}`
    })
    .join('')
  return list.length > 1 ? `(${query})` : query
}

function rankingOf(all: readonly Term[]): Term[] {
  const telling = all.filter(({ weight }) => weight > GRAMMAR.weight)
  return (telling.length < GRAMMAR.enough ? all : telling).toSorted((a, b) => b.weight - a.weight).slice(0, TERMS_MAX)
}

interface WordToken {
  readonly word: Word
  readonly token: Token
}

/** Tokenizes all words with continuous positions, so that adjacency is known. */
function readTokens(words: readonly Word[]): readonly WordToken[] {
  const read: WordToken[] = []
  let last = 0
  for (const word of words) {
    for (const token of listNeededTokens(word.text, last)) {
      read.push({ word, token })
      last = token.position
    }
  }
  return read
}

function* termsOfToken(token: Token, { phrase, optional = false }: Word): Generator<Term> {
  const { text, form, parts = [] } = token
  const needed = !optional
  const query = termQuery(token)
  if (form !== 'word') {
    // A single character is a prefix of many pairs and carries little information.
    const weight = tokenWeight(text) * (form === 'single' ? 0.5 : 1)
    const lexeme = form === 'pair' ? foldKana(text) : undefined
    yield { kind: 'word', query, lexeme, weight, ...OF_PAIRS, needed }
    return
  }
  const written = parts.length < 2 && stemOf(text) !== text ? `'${text}'` : null
  const open = phrase ? null : openQuery(token)
  const typos = phrase ? null : typosOf(text)
  const lexeme = parts.length < 2 ? stemOf(text) : text
  yield { kind: 'word', query, lexeme, weight: 1, ...OF_WORDS, needed, written, open, typos }
  if (parts.length < 2) return
  for (const part of parts) yield { kind: 'word', ...stemTerm(part), weight: 0.5, ...OF_WORDS, needed: false }
}

function stemTerm(word: string): { readonly query: string; readonly lexeme: string } {
  const lexeme = stemOf(word)
  return { query: `'${lexeme}'`, lexeme }
}

/** Omits the last character of a run, which the last pair implies. */
function listNeededTokens(text: string, from = 0): Token[] {
  return Array.from(tokens(text, from)).filter(token => token.form !== 'single' || token.alone)
}

/** Matches the token as written. @param between whether more of a phrase follows */
function exactQuery({ text, form }: Token, between: boolean): string {
  if (form === 'word') return `'${text}'`
  // As the first character of a pair, or the last character of a run.
  return form === 'single' && !between ? `'${foldKana(text)}':*` : `'${foldKana(text)}'`
}

/** Matches any inflection, and an identifier also when it is written as separate words. */
function termQuery(token: Token): string {
  const { text, form, parts = [] } = token
  if (form !== 'word') return exactQuery(token, false)
  if (parts.length < 2) return `'${stemOf(text)}'`
  return `('${text}' | (${parts.map(part => `'${stemOf(part)}'`).join(' <-> ')}))`
}

/** Hashes are typed in full or as a prefix. */
const HASH = /^(?=.*\d)(?=.*[a-f])[\da-f]{9,}$/
const SHORTEST_HASH = 7

function openQuery({ text, parts = [] }: Token): string | null {
  if (/[+#]$/.test(text)) return parts.map(part => `'${part}'`).join(' | ') || null
  if (text.length < 3 || /^\p{N}+$/u.test(text)) return null
  const open = [`'${text}':*`, ...dividedQueries(text)].join(' | ')
  if (!HASH.test(text)) return open
  const shorter = Array.from({ length: Math.min(text.length, 20) - SHORTEST_HASH }, (_, n) =>
    text.slice(0, SHORTEST_HASH + n),
  )
  return [open, ...shorter.map(each => `'${each}'`)].join(' | ')
}

function openQueryOf(token: Token): string {
  const [whole, open] = [termQuery(token), openQuery(token)]
  const others = token.form === 'word' ? (open === null || /[+#]$/.test(token.text) ? [] : [open]) : pairQueries(token)
  return others.length === 0 ? whole : `(${[whole, ...others].join(' | ')})`
}
