/**
 * Returns the first `most` characters (code points) of a text. Cutting by UTF-16 units could split a surrogate pair, which the database
 * rejects.
 */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (let n = 0; n < most && end < text.length; n++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** Returns whether the database can store a text: it rejects U+0000 and halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Shortens a text to `most` characters (code points), with an ellipsis if it was cut. */
export function clip(text: string, most = 80): string {
  return isLonger(text, most) ? `${firstCharacters(text, most - 1)}…` : text
}

/** Returns whether a text has more than `most` characters; counts them only if the number of UTF-16 units does not decide it. */
export function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || countCharacters(text) > most)
}

/** Counts the characters (code points) of a text without creating an array, which would dominate the time of a call with a long text. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}
