/** What the measured process tells. */
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

/** What it is asked for: to measure from here on, to tell the longest stall since then, to go on to the next tool, to end. */
export type ToServer = 'watch' | 'stop' | 'next' | 'close'
