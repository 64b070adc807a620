import { appendFileSync } from 'node:fs'

/** Figures of one promise, as `npm run trust` prints them: rounds, calls, milliseconds. */
export type Figures = Readonly<Record<string, number>>

/** Records measurements of a test for test/TRUST.md; does nothing in a normal run. */
export function recordFigures(promise: string, figures: Figures): void {
  const file = process.env['TRUST_FIGURES']
  if (file) appendFileSync(file, `${JSON.stringify({ promise, figures })}\n`)
}
