import { templateGenerated } from '../templates/points.ts'
import { copyLabels } from './item-label.repository.ts'

/** A generated task gets the labels of its template. */
export const labelInstances = templateGenerated((ctx, generated) =>
  copyLabels(
    ctx,
    generated.map(({ template, task }) => ({ owner_id: template.ownerId, from_id: template.id, to_id: task.id })),
  ),
)
