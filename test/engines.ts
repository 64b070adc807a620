import { describe } from 'node:test'
import type { Engine } from 'tasuki/testing'

/** The embedded database and PostgreSQL; the service must behave the same on both. */
export const ENGINES: readonly Engine[] = ['pglite', 'postgres']

/** Registers a suite once per engine, as `name [pglite]` and `name [postgres]`; `TEST_ENGINE` limits it to one. */
export function forEachEngine(name: string, suite: (engine: Engine) => void): void {
  const wanted = process.env['TEST_ENGINE'] ?? 'both'
  for (const engine of ENGINES) {
    if (wanted === 'both' || wanted === engine) describe(`${name} [${engine}]`, () => suite(engine))
  }
}

/** Value for `skip` of tests that need PostgreSQL: the reason why they do not run, or false. */
export const noPostgres = process.env['TEST_ENGINE'] === 'pglite' && 'needs PostgreSQL, and TEST_ENGINE is pglite'
