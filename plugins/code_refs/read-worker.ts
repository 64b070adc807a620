import { readDelivery, type SentDelivery } from './read-delivery.ts'

/** Reads a delivery in a worker thread. */
export function readTask(sent: SentDelivery): ReturnType<typeof readDelivery> {
  return readDelivery(sent)
}
