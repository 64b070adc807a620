import { clip } from './clip.ts'

/** Controls, format characters and what no font has. Joiners stay: emoji and scripts need them. */
const UNSEEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Marks that would seem to end the quotation, and what stands in their place. */
const MARKS = {
  '""': { inner: /["“”„‟＂]/gu, instead: "'" },
  '「」': { inner: /[「」｢｣]/gu, instead: '|' },
} as const

/**
 * Quotes what a person, an app or an import named something, for a sentence of the service:
 * on one line, without characters that nobody sees, and with no mark inside that closes the quotation.
 * Everything that may have blanks is quoted; keys, references and addresses have none.
 * @param most characters (code points); what is cut off ends with an ellipsis
 * @param marks of the language of the sentence
 */
export function quoteName(name: string, most = 120, marks: keyof typeof MARKS = '""'): string {
  const { inner, instead } = MARKS[marks]
  const text = name
    .slice(0, 4 * most)
    .replace(UNSEEN, ' ')
    .replace(inner, instead)
    .replace(/\s+/gu, ' ')
    .trim()
  return `${marks[0]}${clip(text, most)}${marks[1]}`
}

/** Quotes a name in a Japanese sentence, as `quoteName` does. */
export function quoteNameJa(name: string, most?: number): string {
  return quoteName(name, most, '「」')
}

/** A value, key or reference in a sentence: as it is where it has no blanks and nothing but ASCII, else quoted. */
export function quoteValue(value: string, most?: number): string {
  return /^[\w.:+@/#-]{1,80}$/.test(value) ? value : quoteName(value, most)
}
