/** No script needs more combining marks on one character (UAX 15, Stream-Safe Text Format). */
const LONG_MARKS = /(\p{M}{30})\p{M}+/gu
/** Some characters expand to up to 18 others. Longer text that grows by more than this factor is not natural. */
const GROWTH = 3
const LONG_TEXT = 4000
const WORD = 32

/**
 * Normalizes any text to NFKC in linear time. Normalization sorts the combining marks of a character, which takes seconds for a
 * hundred thousand of them, so marks after the thirtieth are dropped. Text that grows to many times its length is truncated.
 */
export function normalizeText(text: string): string {
  if (text.length <= WORD) return text.normalize('NFKC')
  const normal = text.replace(LONG_MARKS, '$1').normalize('NFKC')
  return normal.length <= LONG_TEXT ? normal : normal.slice(0, Math.max(LONG_TEXT, GROWTH * text.length))
}
