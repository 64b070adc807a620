import { templateGenerated } from '../templates/points.ts'
import { copyEstimates } from './estimate.repository.ts'

/** A generated task gets the estimate of its template. */
export const estimateGenerated = templateGenerated((ctx, generated) =>
  copyEstimates(
    ctx,
    generated.map(({ template, task }) => ({ owner_id: template.ownerId, from_id: template.id, to_id: task.id })),
  ),
)
