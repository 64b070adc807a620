/** An instant to the minute. */
export const readable = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`

/** A text as a quotation. */
export const quoted = (text: string): string => text.trimEnd().replaceAll(/^/gm, '> ')
