import { parens } from 'tasuki/plugin'
import { estimateFacts } from '../estimation/points.ts'
import { labelsText } from './item-label.repository.ts'

/** Suggested estimates learn what labels say. */
export const labelFacts = estimateFacts(parens(labelsText))
