import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

// TypeScript has it among the types of browsers alone.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

/** What V8 begins with: about the bytes of code that a function runs before it is compiled again, optimized. */
const BUDGET = 13_000_000
/** While the service starts, optimizing took a third of all its time, for code that had run for some milliseconds. */
const PATIENT_BUDGET = 8 * BUDGET

let compiled: object | undefined

/**
 * The embedded engine as WebAssembly, compiled once for all databases of this process.
 * Blocks this thread meanwhile, for some 50 ms of the first call: the budget is a setting of the whole process, which V8 takes over when it
 * compiles, and as long as it is another one V8 refuses all JavaScript that it has compiled before.
 */
export function compiledEngine(): object {
  if (compiled) return compiled
  const bytes = readFileSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  setFlagsFromString(`--wasm-tiering-budget=${PATIENT_BUDGET}`)
  try {
    compiled = new WebAssembly.Module(bytes)
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${BUDGET}`)
  }
  return compiled
}
