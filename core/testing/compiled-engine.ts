import { readFile } from 'node:fs/promises'

// TypeScript has it among the types of browsers alone.
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> }

let module: Promise<object> | undefined

/**
 * Compiles the embedded engine once for all hosts of this process, which else each do it anew: V8 shares what it compiled of equal bytes
 * among threads for as long as one of them has the module.
 */
export async function keepCompiledEngine(): Promise<void> {
  module ??= readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))).then(bytes =>
    WebAssembly.compile(bytes),
  )
  await module
}
