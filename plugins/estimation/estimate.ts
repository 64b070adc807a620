import { normalizeText, quoteName, ToolError } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

/** The largest estimate in either unit: larger than any task, and exact as a number. */
const MAX_ESTIMATE = 100_000
const NUMBER = /^(\d{1,6}(?:\.\d{1,2})?|\.\d{1,2})\s*(\p{L}*)$/u
/** Suffixes of numbers, by unit. */
const SUFFIXES = {
  points: ['', 'p', 'pt', 'pts', 'sp', 'point', 'points'],
  hours: ['', 'h', 'hr', 'hrs', 'hour', 'hours'],
} as const

/**
 * Parses an estimate (`3`, `2.5`, `3h` with the unit hours), in any width; empty text is null and clears.
 * @returns the number as plain text, or the error if it does not fit the unit of the project
 */
export function readEstimate(text: string, project: ProjectRow, field: string): string | null | ToolError {
  const plain = normalizeText(text).trim().toLowerCase()
  if (plain === '') return null
  const { key, estimateUnit: unit } = project
  if (unit === 'none')
    return new ToolError('invalid_argument', `${key} has no estimate unit, so its items take no estimate.`, {
      field,
      hint: 'Its owner chooses points or hours in the portal, in the settings of the project.',
    })
  const [, digits, suffix = ''] = NUMBER.exec(plain) ?? []
  const value = Number(digits)
  if (digits === undefined || value > MAX_ESTIMATE || !(SUFFIXES[unit] as readonly string[]).includes(suffix))
    return new ToolError('invalid_argument', `${quoteName(text)} is not an estimate in ${unit}.`, {
      field,
      hint: `${key} estimates in ${unit}: give a number from 0 to ${MAX_ESTIMATE} with at most two decimals, for example ${unit === 'points' ? '3' : '1.5'}.`,
    })
  return String(value)
}
