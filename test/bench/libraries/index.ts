import type { Figure } from '../report.ts'

type Measure = () => Promise<Figure[]>

/** Our own implementations, compared with the libraries that could replace them (core/decisions/0038-written-by-hand.md). */
export const LIBRARIES: Readonly<Record<string, Measure>> = {
  transport: async () => (await import('./transport.ts')).measureTransport(),
  closing: async () => (await import('./closing.ts')).measureClosing(),
  embedded: async () => (await import('./embedded.ts')).measureEmbedded(),
  slots: async () => (await import('./slots.ts')).measureSlots(),
  metrics: async () => (await import('./metrics.ts')).measureMetrics(),
  'request-log': async () => (await import('./request-log.ts')).measureRequestLog(),
  recurrence: async () => (await import('./recurrence.ts')).measureRecurrence(),
  regex: async () => (await import('./regex.ts')).measureRegex(),
  sending: async () => (await import('./sending.ts')).measureSending(),
}
