import { argumentValues } from 'tasuki/plugin'
import { findMatchingKeys } from './project.repository.ts'

/** Suggests project keys by their beginning or by words of the name, the caller's own first. */
export const projectValues = argumentValues({
  argument: 'project',
  async complete(ctx, value) {
    return [...new Set(await findMatchingKeys(ctx, value.normalize('NFKC').trim(), 100))]
  },
})
