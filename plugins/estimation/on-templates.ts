import { keysOfGenerated, templateGenerated } from '../templates/points.ts'
import { copyEstimates } from './estimate.repository.ts'

/** A generated task gets the estimate of its template. */
export const estimateGenerated = templateGenerated((ctx, generated) =>
  copyEstimates(ctx, generated.map(keysOfGenerated)),
)
