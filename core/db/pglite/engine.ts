import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { addCompilationHints } from './compilation-hints.ts'

// TypeScript declares WebAssembly only in its types for browsers.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

/** V8's default budget: approximately the bytes of code that a function executes before V8 optimizes it. */
const BUDGET = 13_000_000
/** With the default, optimizing took a third of the startup time, for code that runs only for some milliseconds. */
const RAISED_BUDGET = 8 * BUDGET
/**
 * Indices in pglite.wasm of the functions that V8 must not optimize: the five that need the most memory in V8 13.
 * The first is PostgreSQL's parser, one switch of 2,005 cases: 607 MB, compared with 25 in V8 14.6. Decision 24 explains how to find them.
 */
const NEVER_OPTIMIZED = [2131, 3729, 5724, 3781, 3576]

/** A V8 flag during the compilation, and the flag that restores V8's default. */
type Flag = readonly [meanwhile: string, after: string]

const tieringBudget: Flag = [`--wasm-tiering-budget=${RAISED_BUDGET}`, `--wasm-tiering-budget=${BUDGET}`]
/** Eagerly compiled functions are then never optimized: the filter allows only function 0, which is an import. */
const noTierUp: readonly Flag[] = [
  ['--experimental-wasm-compilation-hints', '--no-experimental-wasm-compilation-hints'],
  ['--no-wasm-lazy-compilation', '--wasm-lazy-compilation'],
  ['--wasm-tier-up-filter=0', '--wasm-tier-up-filter=-1'],
]

let compiledModule: object | undefined

/**
 * Returns the compiled WebAssembly module, shared by all databases of this process.
 * The first call blocks this thread for about 50 ms. The flags apply to the whole process and V8 reads them when it compiles; while they
 * differ from the defaults, V8 rejects its cached JavaScript code.
 */
export function compileEngine(): object {
  if (compiledModule) return compiledModule
  const bytes = readFileSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  const isV8_13 = process.versions.v8.startsWith('13.')
  const flags = isV8_13 ? [tieringBudget, ...noTierUp] : [tieringBudget]
  for (const [meanwhile] of flags) setFlagsFromString(meanwhile)
  try {
    compiledModule = new WebAssembly.Module(isV8_13 ? addCompilationHints(bytes, NEVER_OPTIMIZED) : bytes)
  } finally {
    for (const [, after] of flags) setFlagsFromString(after)
  }
  return compiledModule
}
