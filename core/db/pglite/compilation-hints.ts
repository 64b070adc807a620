/** Sections of a WebAssembly module that are named by a number. */
const CUSTOM = 0
const FUNCTIONS = 3
const HEADER_BYTES = 8

/** How V8 13 is to compile a function, as one byte of its section of hints. */
const LAZILY = 1
const AT_ONCE = 2

/**
 * Adds the section by which V8 13 compiles some functions at once and every other when it is first called.
 * Read with `--experimental-wasm-compilation-hints` alone; every other engine skips a custom section.
 * @param declared indices of the functions among those that the module declares, so without its imports.
 * @throws RangeError when the module does not declare so many functions.
 */
export function compileAtOnce(module: Uint8Array, declared: readonly number[]): Uint8Array {
  let at = HEADER_BYTES
  const readNumber = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++]!
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  for (;;) {
    if (at >= module.length) throw new RangeError('The module declares no functions')
    const id = module[at++]
    const end = readNumber() + at
    if (id !== FUNCTIONS) {
      at = end
      continue
    }
    const count = readNumber()
    if (Math.max(...declared) >= count) throw new RangeError(`The module declares ${count} functions only`)
    const hints = Buffer.alloc(count, LAZILY)
    for (const index of declared) hints[index] = AT_ONCE
    const name = Buffer.from('compilationHints')
    const content = Buffer.concat([encodeNumber(name.length), name, encodeNumber(count), hints])
    // V8 takes it between the declarations and the code alone.
    return Buffer.concat([
      module.subarray(0, end),
      Buffer.of(CUSTOM),
      encodeNumber(content.length),
      content,
      module.subarray(end),
    ])
  }
}

/** LEB128, as WebAssembly writes numbers. */
function encodeNumber(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}
