import { templateGenerated } from '../templates/points.ts'
import { copyLabels } from './copy.ts'

/** A generated task carries the labels of its template. */
export const labelInstances = templateGenerated((ctx, generated) =>
  copyLabels(
    ctx,
    generated.map(({ template, task }) => ({ ownerId: template.ownerId, from: template.id, to: task.id })),
  ),
)
