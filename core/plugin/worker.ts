/** The part of the contract that needs no package: modules of a worker thread import it, because a thread loads its modules when it starts. */
export { clip, countCharacters, firstCharacters, isLonger } from './clip.ts'
export { ToolError, type ErrorCode, type ErrorHelp } from './errors.ts'
export { findJsonProblem, type JsonLimits } from './json-shape.ts'
export { nameKey } from './name-key.ts'
export { normalizeText } from './normalize-text.ts'
export { definePoint, type All, type ExtensionPoint } from './point.ts'
export { quoteName, quoteValue } from './quote-name.ts'
export { Turn } from './turn.ts'
