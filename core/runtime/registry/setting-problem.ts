import { ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import { ValuePointer } from '@sinclair/typebox/value'
import { describeExpectation } from './expectation.ts'
import { nearest } from '../../plugin/nearest.ts'

/** Describes an invalid setting: its key, the expected and the actual value. */
export function settingProblem(error: ValueError): string {
  const segments = [...ValuePointer.Format(error.path)]
  const where = segments.join(' → ') || 'the config'
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const [pattern] = Object.keys((error.schema['patternProperties'] ?? {}) as object)
    if (pattern !== undefined) return `${where} is not allowed as a name; it must match ${pattern}`
    const known = Object.keys((error.schema['properties'] ?? {}) as object)
    const suggestion = nearest(segments.at(-1) ?? '', known)
    return `${where} is not a setting; ${suggestion === null ? `known are ${known.join(', ')}` : `did you mean ${suggestion}?`}`
  }
  if (error.type === ValueErrorType.ObjectRequiredProperty)
    return `${where} is missing; it must be ${describeExpectation(error.schema)}`
  return `${where} must be ${describeExpectation(error.schema)}, got ${JSON.stringify(error.value)}`
}
