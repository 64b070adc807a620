/** Formats a time to the minute. */
export const readable = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`

/** Formats a text as a quotation. */
export const quoted = (text: string): string => text.trimEnd().replaceAll(/^/gm, '> ')
