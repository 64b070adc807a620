import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from './instance.ts'

/** A row of the table. */
export interface Outcome {
  readonly scenario: string
  readonly engine: string
  readonly rounds: number
  /** Acknowledged writes. */
  readonly acknowledged: number
  readonly lost: number
  readonly doubled: number
  /** Longest time until the next successful write, from the end of the fault, or from its beginning if it does not end. */
  readonly seconds: number
  /** Longest time until the next successful read; absent if not measured. */
  readonly readSeconds?: number
  /** Answers of /readyz that were wrong or late. */
  readonly untrue?: number
}

/** Writes items with unique names during faults, and counts lost and duplicate writes afterwards. */
export class Ledger {
  readonly #acknowledged = new Set<string>()
  #sent = 0
  #slowest = 0

  /** Number of acknowledged writes so far. */
  get acknowledged(): number {
    return this.#acknowledged.size
  }

  /** Writes until stopped. @param keyed whether calls have an idempotency key and are retried */
  async write(instance: () => Instance, stop: AbortSignal, { keyed = false } = {}): Promise<void> {
    while (!stop.aborted) await this.writeOne(instance, { keyed, until: Date.now() + (keyed ? 60_000 : 0) })
  }

  /** @returns whether the write was acknowledged */
  async writeOne(instance: () => Instance, { keyed = false, until = 0 } = {}): Promise<boolean> {
    const title = `item ${++this.#sent} ${Math.random()}`
    for (;;) {
      const args = { project_key: 'INBOX', title }
      const answer = await instance().call('items_create', args, keyed ? title : undefined)
      if (answer?.ok) {
        this.#acknowledged.add(title)
        return true
      }
      const again = keyed && (answer === null || answer.retryable) && Date.now() < until
      await sleep(50)
      if (!again) return false
    }
  }

  /** Measures how long it takes until a write succeeds. */
  async recover(instance: () => Instance): Promise<void> {
    const since = performance.now()
    while (!(await this.writeOne(instance))) if (performance.now() - since > 120_000) break
    this.#slowest = Math.max(this.#slowest, performance.now() - since)
  }

  async outcome(instance: Instance, scenario: string, engine: string, rounds: number): Promise<Outcome> {
    const counts = new Map<string, number>()
    for (let offset = 0, more = true; more; offset += 100) {
      const page = await instance.call('tasks_list', { limit: 100, offset })
      if (!page?.ok) throw new Error(`the items cannot be counted: ${JSON.stringify(page)}`)
      const items = page.data['items'] as readonly { readonly title: string }[]
      for (const { title } of items) counts.set(title, (counts.get(title) ?? 0) + 1)
      more = page.data['has_more'] === true
    }
    return {
      scenario,
      engine,
      rounds,
      acknowledged: this.#acknowledged.size,
      lost: [...this.#acknowledged].filter(title => !counts.has(title)).length,
      doubled: [...counts.values()].filter(count => count > 1).length,
      seconds: Math.round(this.#slowest / 100) / 10,
    }
  }
}
