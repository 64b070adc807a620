import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { compileAtOnce } from './compilation-hints.ts'

// TypeScript has it among the types of browsers alone.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

/** What V8 begins with: about the bytes of code that a function runs before it is compiled again, optimized. */
const BUDGET = 13_000_000
/** While the service starts, optimizing took a third of all its time, for code that had run for some milliseconds. */
const PATIENT_BUDGET = 8 * BUDGET
/**
 * Functions that are never optimized, by their index among those that pglite.wasm declares: the five that V8 13 needs most memory for.
 * The first is PostgreSQL's parser, one switch of 2,005 cases: 607 MB, where V8 14.6 needs 25. Decision 24 tells how they are found.
 */
const NEVER_OPTIMIZED = [2131, 3729, 5724, 3781, 3576]

/** A flag of V8 while the engine is compiled, and what V8 has by itself. */
type Flag = readonly [meanwhile: string, after: string]

const patient: Flag = [`--wasm-tiering-budget=${PATIENT_BUDGET}`, `--wasm-tiering-budget=${BUDGET}`]
/** What is compiled meanwhile is not optimized later: only number 0 may be, an import. */
const neverOptimized: readonly Flag[] = [
  ['--experimental-wasm-compilation-hints', '--no-experimental-wasm-compilation-hints'],
  ['--no-wasm-lazy-compilation', '--wasm-lazy-compilation'],
  ['--wasm-tier-up-filter=0', '--wasm-tier-up-filter=-1'],
]

let compiled: object | undefined

/**
 * The embedded engine as WebAssembly, compiled once for all databases of this process.
 * Blocks this thread meanwhile, for some 50 ms of the first call: the flags are those of the whole process, which V8 takes over when it
 * compiles, and as long as they differ V8 refuses all JavaScript that it has compiled before.
 */
export function compiledEngine(): object {
  if (compiled) return compiled
  const bytes = readFileSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  const sparing = process.versions.v8.startsWith('13.')
  const flags = sparing ? [patient, ...neverOptimized] : [patient]
  for (const [meanwhile] of flags) setFlagsFromString(meanwhile)
  try {
    compiled = new WebAssembly.Module(sparing ? compileAtOnce(bytes, NEVER_OPTIMIZED) : bytes)
  } finally {
    for (const [, after] of flags) setFlagsFromString(after)
  }
  return compiled
}
