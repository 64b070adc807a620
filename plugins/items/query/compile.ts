import { byNearness, contributedSql, quoteName, sql, throwAll, ToolError, type Condition } from 'tasuki/plugin'
import type { Expr, Term } from './expr.ts'
import { allOf, anyOf, not } from './filter.repository.ts'
import type { FilterContext, ItemFilter } from './filter.ts'
import { shortReference } from './help.ts'
import { resolveTerm, type Report } from './resolve.ts'
import { suggestTerm } from './suggest.ts'

export interface CompileOptions {
  /** Builds the condition for free texts that must all match (each a word or a phrase), or returns `ignore`. */
  readonly words: (words: string[]) => Condition | 'ignore'
  /** Name of the query's parameter, for errors; default `q`. */
  readonly field?: string
}

/** Stands for free text among the keys that a query mentions; no key ends with a colon. */
export const WORDS = 'words:'

export interface CompiledQuery {
  /** Null when the query restricts nothing. */
  readonly where: Condition | null
  readonly ignoredWords: string[]
  /** The keys that ask for a value (`due`), key with value if the values are a choice (`is:archived`), and `WORDS` for free text. */
  readonly mentions: ReadonlySet<string>
}

interface Compiler {
  readonly filters: readonly ItemFilter[]
  readonly byKey: ReadonlyMap<string, ItemFilter>
  readonly ctx: FilterContext
  readonly words: CompileOptions['words']
  readonly report: Report
  readonly ignoredWords: string[]
  readonly mentions: Set<string>
}

/** Compiles a parsed query to SQL. @throws ToolError `invalid_query` with all problems of the query */
export function compileQuery(
  expr: Expr,
  filters: readonly ItemFilter[],
  ctx: FilterContext,
  options: CompileOptions,
): CompiledQuery {
  const problems: ToolError[] = []
  const field = options.field ?? 'q'
  const report: Report = (position, message, help) => {
    // Only the first problem includes the syntax reference.
    const hint = problems.length === 0 ? `${help.hint} ${shortReference(filters)}` : help.hint
    const text = `${message} (character ${position})`
    problems.push(new ToolError('invalid_query', text, { ...help, hint, field, details: { position } }))
  }
  const compiler: Compiler = {
    filters,
    byKey: new Map(filters.map(filter => [filter.key, filter])),
    ctx,
    words: options.words,
    report,
    ignoredWords: [],
    mentions: new Set(),
  }
  const where = compile(compiler, expr)
  throwAll(problems)
  return { where, ignoredWords: compiler.ignoredWords, mentions: compiler.mentions }
}

/** Returns null if the expression restricts nothing. */
function compile(compiler: Compiler, expr: Expr): Condition | null {
  switch (expr.kind) {
    case 'and':
      return compileAll(compiler, expr.parts)
    case 'or': {
      const parts = expr.parts.map(part => compile(compiler, part)).filter(part => part !== null)
      return parts.length === 0 ? null : anyOf(parts)
    }
    case 'not': {
      // What a query excludes, it does not ask for.
      const part = compile({ ...compiler, mentions: new Set() }, expr.part)
      return part && not(part)
    }
    case 'term':
      return compileTerm(compiler, expr)
    case 'word':
    case 'phrase':
      return compileWords(compiler, [expr.text])
  }
}

/** Compiles the parts of a query; adjacent words are searched together. */
function compileAll(compiler: Compiler, parts: readonly Expr[]): Condition | null {
  const words: string[] = []
  const conditions: Condition[] = []
  for (const part of parts) {
    if (part.kind === 'word' || part.kind === 'phrase') {
      words.push(part.text)
      continue
    }
    const condition = compile(compiler, part)
    if (condition) conditions.push(condition)
  }
  const found = words.length === 0 ? null : compileWords(compiler, words)
  if (found) conditions.push(found)
  return conditions.length === 0 ? null : allOf(conditions)
}

function compileWords(compiler: Compiler, texts: readonly string[]): Condition | null {
  const words = texts.filter(text => text.trim() !== '')
  if (words.length === 0) return null
  const condition = compiler.words(words)
  compiler.mentions.add(WORDS)
  if (condition !== 'ignore') return condition
  compiler.ignoredWords.push(...words)
  return null
}

function compileTerm(compiler: Compiler, term: Term): Condition | null {
  const filter = filterOf(compiler, term)
  const resolved = filter && resolveTerm(term, filter, compiler.ctx, compiler.report)
  if (!resolved) return null
  const condition =
    resolved.values.length === 0 ? sql.lit(false) : contributedSql(filter, () => filter.sql(compiler.ctx, resolved))
  if (term.op === '!=') return not(condition)
  const named = resolved.values.filter(value => value.kind !== 'any' && value.kind !== 'none')
  if (named.length > 0) compiler.mentions.add(term.key)
  for (const value of named) if (value.kind === 'choice') compiler.mentions.add(`${term.key}:${value.value}`)
  return condition
}

function filterOf(compiler: Compiler, term: Term): ItemFilter | null {
  const exact = compiler.byKey.get(term.key)
  if (exact && exact.family !== true) return exact
  const dot = term.key.indexOf('.')
  const family = dot > 0 && dot < term.key.length - 1 ? compiler.byKey.get(term.key.slice(0, dot)) : undefined
  if (family?.family === true) return family
  const keys = compiler.filters.map(each => (each.family === true ? `${each.key}.<name>` : each.key))
  const close = exact ? `${exact.key}.<name>:` : suggestTerm(term, compiler.filters, compiler.ctx)
  compiler.report(term.at, `${quoteName(term.key)} is no filter key`, {
    hint:
      close === null ? 'Quote it to search for the text.' : `Did you mean ${close}? Quote it to search for the text.`,
    allowed: byNearness(term.key, keys),
  })
  return null
}
