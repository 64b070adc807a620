/** No script puts more on one character (UAX 15, Stream-Safe Text Format). */
const LONG_MARKS = /(\p{M}{30})\p{M}+/gu
/** Some characters become up to 18 others; a text that grows by more than this, and beyond some lines, is not one of people. */
const GROWTH = 3
const SOME_LINES = 4000
const WORD = 32

/**
 * Unicode normalization of any text in linear time. The marks of one character are sorted, which for a hundred thousand of them takes
 * seconds, so those after the thirtieth are left out; what grows to many times its length is cut.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD' = 'NFKC'): string {
  if (text.length <= WORD) return text.normalize(form)
  const normal = text.replace(LONG_MARKS, '$1').normalize(form)
  return normal.length <= SOME_LINES ? normal : normal.slice(0, Math.max(SOME_LINES, GROWTH * text.length))
}
