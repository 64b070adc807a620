import { clip } from './clip.ts'

/** Control, format and private-use characters. Joiners are kept, because emoji and some scripts need them. */
const INVISIBLE = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Replaces invisible characters by spaces: a terminal obeys control characters, and marks of direction turn what is around them. */
export function replaceInvisible(text: string): string {
  return text.replace(INVISIBLE, ' ')
}

/** Quotation marks inside the text that could appear to end the quotation, and their replacements. */
const MARKS = {
  '""': { inner: /["“”„‟＂]/gu, instead: "'" },
  '「」': { inner: /[「」｢｣]/gu, instead: '|' },
} as const

/**
 * Quotes a name from a user, an app or an import for a sentence of the service: on one line, without invisible characters, and without
 * inner marks that close the quotation.
 * Everything that may contain spaces has to be quoted; keys, references and URLs contain none.
 * @param most maximum number of characters (code points); a longer name ends with an ellipsis
 * @param marks quotation marks of the sentence's language
 */
export function quoteName(name: string, most = 120, marks: keyof typeof MARKS = '""'): string {
  const { inner, instead } = MARKS[marks]
  const text = replaceInvisible(name.slice(0, 4 * most))
    .replace(inner, instead)
    .replace(/\s+/gu, ' ')
    .trim()
  return `${marks[0]}${clip(text, most)}${marks[1]}`
}

/** Quotes a name in a Japanese sentence, like `quoteName`. */
export function quoteNameJa(name: string): string {
  return quoteName(name, undefined, '「」')
}

/** Formats a value, key or reference in a sentence: verbatim if it is ASCII without spaces, else quoted. */
export function quoteValue(value: string, most?: number): string {
  return /^[\w.:+@/#-]{1,80}$/.test(value) ? value : quoteName(value, most)
}
