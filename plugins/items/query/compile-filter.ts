import { compileFragment, contributedSql, HostError, noSql, oncePer, sql } from 'tasuki/plugin'
import type { All, Condition, Expression, ReadContext } from 'tasuki/plugin'
import { access } from '../../projects/index.ts'
import { itemJoins } from '../item.repository.ts'
import { itemFilters, itemGrepFields, itemHas, itemIs, itemSections, itemSomeday, itemWords } from '../points.ts'
import { dayIn } from './clock.ts'
import { compileQuery, type CompiledQuery } from './compile.ts'
import type { Expr } from './expr.ts'
import { allOf, anyOf, hasText, isUnset } from './filter.repository.ts'
import type { FilterContext, ItemFilter } from './filter.ts'
import { builtInFilters, HAS, IS } from './built-in-filters.ts'
import { isNamedBy } from './named-item.ts'
import { parseQuery } from './parse.ts'

/** Returns every key of the filter language in this deployment; computed once per host. */
export const filtersOf = oncePer((all: All): readonly ItemFilter[] => [
  ...builtInFilters({
    is: all(itemIs),
    has: all(itemHas),
    ...(all(itemSomeday).length > 0 && { someday: ({ ctx }: FilterContext) => isSomeday(ctx) }),
  }),
  ...all(itemFilters),
])

/** Returns the condition that an undated item is deferred; only for deployments with a plugin that defers items. */
export function isSomeday(ctx: ReadContext): Condition {
  const conditions = ctx.all(itemSomeday).map(condition => contributedSql(condition, () => condition(ctx)))
  return conditions.length === 0 ? sql.lit(false) : anyOf(conditions)
}

/** Returns the context of relative dates and overdue checks, in the owner's time zone. */
export function filterContext(ctx: ReadContext): FilterContext {
  const { timeZone } = access(ctx)
  return { ctx, timeZone, now: ctx.now, today: dayIn(timeZone, ctx.now), weekStart: 1 }
}

export interface FilterUse {
  /** Ignores free words, as items_grep's filters do. */
  readonly ignoreWords?: boolean
  readonly field?: string
  /** A key whose terms are ignored, because a parameter replaces them. */
  readonly without?: string
}

/** Compiles a query text to SQL on `i`, `p` and `s`. @throws ToolError invalid_query with all problems */
export function compileFilter(
  ctx: ReadContext,
  text: string,
  { ignoreWords, field = 'q', without }: FilterUse = {},
): CompiledQuery {
  const parsed = parseQuery(text, field)
  const expr = without === undefined ? parsed : (withoutKey(parsed, without) ?? { kind: 'and', parts: [], at: 1 })
  return compileQuery(expr, filtersOf(ctx.all), filterContext(ctx), {
    words: ignoreWords ? () => 'ignore' : words => hasWords(ctx, words),
    field,
  })
}

/** Returns the condition that the item contains every word, by the word index if there is one, or is named by it. */
function hasWords(ctx: ReadContext, texts: readonly string[]): Condition {
  const [words] = ctx.all(itemWords)
  return allOf(
    texts.map(text => {
      const [has, named] = [words?.has(text) ?? hasText(text), isNamedBy(ctx, text)]
      return named ? anyOf([has, named]) : has
    }),
  )
}

/**
 * Returns the joins that a condition on `i` needs, and no others: if the planner expects few matches, it may cross join projects and states
 * with all of them.
 */
export function joinsOf(ctx: ReadContext, condition: Condition | null | undefined): Expression<unknown> {
  if (!condition) return noSql
  const text = compileFragment(condition).sql
  const joined: Expression<unknown>[] = /(?<![\w."])"?[ps]"?\./.test(text) ? [itemJoins] : []
  const [words] = ctx.all(itemWords)
  if (words && /(?<![\w."])"?words"?\./.test(text)) joined.push(words.join)
  return joined.length === 0 ? noSql : sql.join(joined, sql.raw(' '))
}

/**
 * Removes the terms of one key from a query; null when nothing else is left. The replacement is a separate condition, so the removed terms
 * count as true.
 */
function withoutKey(expr: Expr, key: string): Expr | null {
  switch (expr.kind) {
    case 'and': {
      const parts = expr.parts.map(part => withoutKey(part, key)).filter(part => part !== null)
      return parts.length === 0 ? null : { ...expr, parts }
    }
    case 'or': {
      const parts = expr.parts.map(part => withoutKey(part, key))
      return parts.includes(null) ? null : { ...expr, parts: parts.filter(part => part !== null) }
    }
    case 'not': {
      const part = withoutKey(expr.part, key)
      return part && { ...expr, part }
    }
    case 'term':
      return expr.key === key ? null : expr
    case 'word':
    case 'phrase':
      return expr
  }
}

/** Hides archived items unless the query asks for them. */
export function excludeArchived(query: CompiledQuery | null): Condition {
  return query?.mentions.has('is:archived') ? sql.lit(true) : isUnset('archived_at')
}

/** Aborts the boot if two plugins add the same word. @throws HostError */
export function checkWords(all: All): void {
  const words = {
    'filter key': filtersOf(all).map(({ key }) => key),
    'value of is:': [...IS, ...all(itemIs)].map(({ value }) => value),
    'value of has:': [...HAS, ...all(itemHas)].map(({ value }) => value),
    'section of items_context_get': ['item', 'warnings', ...all(itemSections).map(({ name }) => name)],
    'field of items_grep': all(itemGrepFields).map(({ name }) => name),
  }
  for (const [what, names] of Object.entries(words)) {
    // Keys and values of queries are compared in lower case.
    const wrong = names.find(name => !/^[^\s\p{Lu}:,"()]+$/u.test(name))
    if (wrong !== undefined) throw new HostError(`the ${what} "${wrong}" is not one word in lower case; rename it`)
    const twice = names.find((name, n) => names.indexOf(name) !== n)
    if (twice !== undefined) throw new HostError(`the ${what} "${twice}" is added twice; rename one or switch one off`)
  }
}
