import fc from 'fast-check'

const SURROGATES = 0xd800
const SURROGATE_COUNT = 0x800
const HIGHEST = 0x10ffff

/**
 * Any character of Unicode, as the `unit` of `fc.string`. fast-check's own unit `binary` first makes a map of all 1.1 million, which takes a
 * second of processor time in each process.
 */
export const codePoint = fc.integer({ min: 0, max: HIGHEST - SURROGATE_COUNT }).map(
  n => String.fromCodePoint(n < SURROGATES ? n : n + SURROGATE_COUNT),
  // The way back, by which fast-check finds texts such as `__proto__` to try.
  text => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('this is not one character')
    return point < SURROGATES ? point : point - SURROGATE_COUNT
  },
)
