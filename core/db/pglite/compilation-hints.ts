/** Ids of WebAssembly sections. */
const CUSTOM = 0
const FUNCTIONS = 3
const HEADER_BYTES = 8

/** Compilation hints of V8 13, one byte per function. */
const LAZILY = 1
const AT_ONCE = 2

/**
 * Adds a custom section that makes V8 13 compile the listed functions eagerly and all others on their first call.
 * V8 reads it only with `--experimental-wasm-compilation-hints`; other engines skip custom sections.
 * @param declared indices of the functions, without the module's imports
 * @throws RangeError if an index exceeds the functions of the module
 */
export function addCompilationHints(module: Uint8Array, declared: readonly number[]): Uint8Array {
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
    // V8 accepts the section only between the declarations and the code.
    return Buffer.concat([
      module.subarray(0, end),
      Buffer.of(CUSTOM),
      encodeNumber(content.length),
      content,
      module.subarray(end),
    ])
  }
}

/** Encodes a number as LEB128. */
function encodeNumber(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}
