import { compileRe2, matchesOf } from './regex-matches.ts'
import { snippetsOf, type Snippets } from './snippets.ts'

export interface MatchTask {
  readonly pattern: string
  readonly ignoreCase: boolean
  readonly text: string
  readonly max: number
  readonly context: number
}

/** Searches a text in a worker thread. */
export function matchTask({ pattern, ignoreCase, text, max, context }: MatchTask): Promise<Snippets> {
  return snippetsOf(text, matchesOf(compileRe2(pattern, ignoreCase), text), max, context)
}
