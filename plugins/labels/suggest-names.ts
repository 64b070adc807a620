import { argumentValues } from 'tasuki/plugin'
import { matchingNames } from './label.repository.ts'

const MAX_NAMES = 100

/** Suggests names of labels, in one project if given. */
export const labelValues = argumentValues({
  argument: 'label',
  complete: (ctx, value, { project }) => matchingNames(ctx, value, project, MAX_NAMES),
})
