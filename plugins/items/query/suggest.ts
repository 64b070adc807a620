import { nameKey, nearest } from 'tasuki/plugin'
import type { Term } from './expr.ts'
import { filterValues, type FilterContext, type ItemFilter } from './filter.ts'

/** Words of other programs for keys and values. */
const MEANT: Readonly<Record<string, string>> = {
  status: 'state',
  tag: 'label',
  tags: 'label',
  deadline: 'due',
  milestone: 'version',
  iteration: 'sprint',
  body: 'detail',
  description: 'detail',
  done: 'closed',
  completed: 'closed',
  finished: 'closed',
  active: 'open',
  late: 'overdue',
}

/** Returns the word that was probably meant, or null. */
export function suggestWord(word: string, words: readonly string[]): string | null {
  const meant = Object.hasOwn(MEANT, word) ? MEANT[word]! : ''
  return words.includes(meant) ? meant : nearest(word, words)
}

/** Returns what was probably meant by a term whose key is unknown, as `label:` or `is:open`; null if nothing is close. */
export function suggestTerm(term: Term, filters: readonly ItemFilter[], ctx: FilterContext): string | null {
  const [value] = term.values
  const text = value?.kind === 'value' ? nameKey(value.text) : ''
  const offers = (filter: ItemFilter): boolean => filter.type === 'choice' && filterValues(filter, ctx).includes(text)
  const chosen = term.key === 'status' ? filters.find(offers) : undefined
  if (chosen) return `${chosen.key}:${text}`
  const keys = filters.map(each => (each.family === true ? `${each.key}.<name>` : each.key))
  const close = suggestWord(term.key, keys)
  return close && `${close}:`
}
