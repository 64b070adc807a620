import type { Histogram } from 'prom-client'

/** Batch size: the histogram is much faster with many observations at once. */
const BATCH_SIZE = 500

type Labels = Readonly<Record<string, string>>

/** Buffers durations by label set until a histogram is available. */
export class BufferedHistogram {
  readonly #kept = new Map<string, { readonly labels: Labels; seconds: number[] }>()
  #histogram: Histogram | null = null
  #dropped = false
  /** @param key identifies the labels, which are created only once per key */
  add(key: string, labels: () => Labels, seconds: number): void {
    if (this.#dropped) return
    let found = this.#kept.get(key)
    if (!found) this.#kept.set(key, (found = { labels: labels(), seconds: [] }))
    found.seconds.push(seconds)
    if (found.seconds.length >= BATCH_SIZE && this.#histogram) observe(this.#histogram, found)
  }
  /** Creates the histogram that receives the durations. @param make gets the function to call before each scrape */
  flow(make: (collect: () => void) => Histogram): void {
    const histogram = make(() => this.#kept.forEach(each => observe(histogram, each)))
    this.#histogram = histogram
  }
  /** Discards the buffer and all later durations. */
  drop(): void {
    this.#dropped = true
    this.#kept.clear()
  }
}

function observe(histogram: Histogram, kept: { readonly labels: Labels; seconds: number[] }): void {
  const { seconds } = kept
  kept.seconds = []
  const labelled = histogram.labels(kept.labels)
  for (const each of seconds) labelled.observe(each)
}
