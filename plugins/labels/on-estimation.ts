import { parens } from 'tasuki/plugin'
import { estimateFacts } from '../estimation/points.ts'
import { labelsText } from './item-label.repository.ts'

/** Labels as input of estimate suggestions. */
export const labelFacts = estimateFacts(parens(labelsText))
