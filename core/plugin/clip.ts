/** The first `most` characters (code points), the last of them an ellipsis if something was cut off. */
export function clip(text: string, most: number): string {
  return isLonger(text, most)
    ? `${Array.from(text.slice(0, most * 2))
        .slice(0, most - 1)
        .join('')}…`
    : text
}

/** Whether a text has more characters than that; they are counted only where UTF-16 units leave it open. */
export function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > most * 2 || Array.from(text).length > most)
}
