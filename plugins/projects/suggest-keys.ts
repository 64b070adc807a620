import { argumentValues, normalizeText } from 'tasuki/plugin'
import { findMatchingKeys } from './project.repository.ts'

/** Suggests project keys by prefix or by words of the name, own projects first. */
export const projectValues = argumentValues({
  argument: 'project',
  async complete(ctx, value) {
    return [...new Set(await findMatchingKeys(ctx, normalizeText(value).trim(), 100))]
  },
})
