/** The first `most` characters (code points) of a text. A cut by UTF-16 units may leave half a character, which no database keeps. */
export function firstCharacters(text: string, most: number): string {
  return text.length <= most
    ? text
    : Array.from(text.slice(0, 2 * most))
        .slice(0, most)
        .join('')
}

/** The first `most` characters (code points), the last of them an ellipsis if something was cut off. */
export function clip(text: string, most = 80): string {
  return isLonger(text, most) ? `${firstCharacters(text, most - 1)}…` : text
}

/** Whether a text has more than `most` characters; counts them only where UTF-16 units leave it open. */
export function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || Array.from(text).length > most)
}

/** How many characters (code points) a text has; made without a list of them, which for a long text takes most of a call. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}
