import { RE2JS } from 're2js'
import type { Span } from './snippets.ts'

/** Compiles a regular expression; `^` and `$` are line ends. @throws RE2JSException */
export function compileRe2(pattern: string, ignoreCase: boolean): RE2JS {
  return RE2JS.compile(pattern, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
}

/** Finds the matches that are not empty. */
export function* matchesOf(re: RE2JS, text: string): Generator<Span> {
  // RE2's automaton is many times faster than locating matches.
  if (!re.test(text)) return
  const matcher = re.matcher(text)
  while (matcher.find()) if (matcher.end() > matcher.start()) yield [matcher.start(), matcher.end()]
}
