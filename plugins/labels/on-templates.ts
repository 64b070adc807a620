import { keysOfGenerated, templateGenerated } from '../templates/points.ts'
import { copyLabels } from './item-label.repository.ts'

/** A generated task gets the labels of its template. */
export const labelInstances = templateGenerated((ctx, generated) => copyLabels(ctx, generated.map(keysOfGenerated)))
