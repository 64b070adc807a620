import type { Db, WriteContext } from 'tasuki/plugin'
import { advanceCounters } from './counter.repository.ts'
import type { Draft } from './draft.ts'

/** How many numbers to take, by the id of the owner. */
type Counts = ReadonlyMap<string, number>

/** The first number taken, by owner id. */
type FirstNumbers = ReadonlyMap<string, number>

/** A caller that waits for its numbers. */
interface Waiter {
  readonly counts: Counts
  resolve(first: FirstNumbers): void
  reject(error: unknown): void
}

interface Queue {
  waiting: Waiter[]
  busy: boolean
}

/** One queue per database of the process. */
const queues = new WeakMap<Db, Queue>()

/**
 * Takes the next item numbers of owners, outside the transaction: the counter is locked for one statement, not until the commit, so that
 * items of one owner can be created concurrently. Callers that arrive during a statement share the next one. A rollback leaves a gap; no
 * number is assigned twice.
 */
export function takeNumbers(ctx: WriteContext, counts: Counts): Promise<FirstNumbers> {
  const { autonomous, db } = ctx
  // With a single session there is nothing to wait for.
  if (autonomous === db) return advanceCounters(db, counts)
  let queue = queues.get(autonomous)
  if (!queue) queues.set(autonomous, (queue = { waiting: [], busy: false }))
  const { promise, resolve, reject } = Promise.withResolvers<FirstNumbers>()
  queue.waiting.push({ counts, resolve, reject })
  if (!queue.busy) void allocate(autonomous, queue)
  return promise
}

/** Assigns numbers to new items, in order. */
export async function assignNumbers(ctx: WriteContext, drafts: readonly Draft[]): Promise<void> {
  const byOwner = Map.groupBy(drafts, ({ ownerId }) => ownerId)
  const first = await takeNumbers(ctx, new Map([...byOwner].map(([ownerId, group]) => [ownerId, group.length])))
  for (const [ownerId, group] of byOwner) group.forEach((draft, n) => draft.assignNumber(first.get(ownerId)! + n))
}

async function allocate(db: Db, queue: Queue): Promise<void> {
  queue.busy = true
  while (queue.waiting.length > 0) {
    const waiters = queue.waiting
    queue.waiting = []
    const totals = new Map<string, number>()
    for (const [owner, count] of waiters.flatMap(({ counts }) => [...counts]))
      totals.set(owner, (totals.get(owner) ?? 0) + count)
    try {
      const next = new Map(await advanceCounters(db, totals))
      for (const { counts, resolve } of waiters) resolve(takeShare(next, counts))
    } catch (error) {
      for (const { reject } of waiters) reject(error)
    }
  }
  queue.busy = false
}

/** Returns a waiter's share of the numbers taken for all. */
function takeShare(next: Map<string, number>, counts: Counts): FirstNumbers {
  const first = new Map<string, number>()
  for (const [owner, count] of counts) {
    first.set(owner, next.get(owner)!)
    next.set(owner, next.get(owner)! + count)
  }
  return first
}
