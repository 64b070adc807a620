import type { Figure } from '../report.ts'

type Measure = () => Promise<Figure[]>

/** What is written by hand, measured against the library that would take its place (core/decisions/0038-written-by-hand.md). */
export const LIBRARIES: Readonly<Record<string, Measure>> = {
  transport: async () => (await import('./transport.ts')).measureTransport(),
  metrics: async () => (await import('./metrics.ts')).measureMetrics(),
  'request-log': async () => (await import('./request-log.ts')).measureRequestLog(),
  sending: async () => (await import('./sending.ts')).measureSending(),
}
