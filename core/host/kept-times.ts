import type { Histogram } from 'prom-client'

/** Times that are kept before they are observed: the histogram takes far less for each when it takes many. */
const KEPT = 500

type Labels = Readonly<Record<string, string>>

/** Times of one kind by their labels, until there is a histogram that takes them. */
export class KeptTimes {
  readonly #kept = new Map<string, { readonly labels: Labels; seconds: number[] }>()
  #histogram: Histogram | null = null
  #dropped = false
  /** @param key of the labels, which are made for the first time alone */
  add(key: string, labels: () => Labels, seconds: number): void {
    if (this.#dropped) return
    let found = this.#kept.get(key)
    if (!found) this.#kept.set(key, (found = { labels: labels(), seconds: [] }))
    found.seconds.push(seconds)
    if (found.seconds.length >= KEPT && this.#histogram) observe(this.#histogram, found)
  }
  /** Makes the histogram that takes the times. @param make is given what it has to call when it is read */
  flow(make: (collect: () => void) => Histogram): void {
    const histogram = make(() => this.#kept.forEach(each => observe(histogram, each)))
    this.#histogram = histogram
  }
  /** Nothing will ever take them. */
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
