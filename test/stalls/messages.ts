/** A message of the measured process. */
export type FromServer =
  | {
      readonly kind: 'ready'
      readonly url: string
      readonly token: string
      readonly cookie: string
      /** Paths of the portal's pages. */
      readonly pages: readonly string[]
    }
  | { readonly kind: 'tool'; readonly tool: string; readonly args: object; readonly input: object }
  | { readonly kind: 'watching' }
  | { readonly kind: 'longest'; readonly milliseconds: number }
  | { readonly kind: 'done' }

/**
 * A request to the measured process: start a measurement (a rough one is cheap and at most two milliseconds too high), report the longest
 * stall since then, continue with the next tool, or end.
 */
export type ToServer = 'watch' | 'watch exactly' | 'stop' | 'next' | 'close'
