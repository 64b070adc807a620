import type { Language } from '../language.ts'

const UNITS = [
  { unit: 'gigabyte', size: 1e9 },
  { unit: 'megabyte', size: 1e6 },
  { unit: 'kilobyte', size: 1000 },
  { unit: 'byte', size: 1 },
] as const

/** Formats a number of bytes for people. */
export function sizeText(language: Language, bytes: number): string {
  const { unit, size } = UNITS.find(each => bytes >= each.size) ?? UNITS.at(-1)!
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / size)
}
